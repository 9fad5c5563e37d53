// Peers that are C libraries: documents in their own trees, precompiled XPath over them, and their work on trees.

import CLibXML2Peer
import CPugiXMLPeer
import Harness

/// A library with trees of its own. A document's stanza is the first child of its root.
struct Peer {
    typealias Handle = UnsafeMutableRawPointer
    typealias Bytes = UnsafePointer<CChar>
    typealias Evaluation = (Handle?, UnsafePointer<Handle?>?, Int) -> Int

    let name: String
    private let parseBytes: (Bytes?, Int) -> Handle?
    let free: (Handle?) -> Void
    private let writeStanza: (Handle?, UnsafeMutablePointer<Int>?) -> Bytes?
    private let buildMessage: (Bytes?, Bytes?, UnsafeMutablePointer<Int>?) -> Bytes?
    /// Builds an element with a number of children and frees it. Returns the number of children.
    let buildChildren: (Int) -> Int
    fileprivate let compile: (String) -> Handle?
    fileprivate let freeQuery: (Handle?) -> Void
    fileprivate let check: Evaluation
    fileprivate let find: Evaluation
    /// A query of the ten in the peer's language.
    let translation: (BenchmarkQuery) -> String

    /// One thread uses them.
    nonisolated(unsafe) static let pugixml = Peer(
        name: "pugixml", parseBytes: pugixml_document_parse, free: pugixml_document_free,
        writeStanza: pugixml_stanza_write, buildMessage: pugixml_message_build, buildChildren: pugixml_children_build,
        compile: { pugixml_xpath_compile($0, BenchmarkQuery.node) }, freeQuery: pugixml_xpath_free,
        check: pugixml_xpath_check, find: pugixml_xpath_find, translation: { $0.pugixml })

    nonisolated(unsafe) static let libxml2: Peer = {
        // One context for all evaluations.
        let context = libxml2_xpath_context(BenchmarkQuery.node)
        for (prefix, uri) in BenchmarkQuery.prefixes { libxml2_xpath_register(context, prefix, uri) }
        return Peer(
            name: "libxml2", parseBytes: libxml2_document_parse, free: libxml2_document_free,
            writeStanza: libxml2_stanza_write, buildMessage: libxml2_message_build,
            buildChildren: libxml2_children_build, compile: { libxml2_xpath_compile($0) },
            freeQuery: libxml2_xpath_free, check: { libxml2_xpath_check(context, $0, $1, $2) },
            find: { libxml2_xpath_find(context, $0, $1, $2) }, translation: { $0.libxml2 })
    }()

    static var all: [Peer] { [pugixml, libxml2] }

    /// The tree of a document, to be given back to `free`.
    func parse(_ bytes: [UInt8]) -> Handle? {
        bytes.withUnsafeBytes { parseBytes($0.bindMemory(to: CChar.self).baseAddress, $0.count) }
    }

    /// Writes the stanzas of documents. Returns the number of bytes.
    func write(_ documents: PeerDocuments) -> Int {
        var sum = 0
        for handle in documents.handles {
            var count = 0
            _ = writeStanza(handle, &count)
            sum += count
        }
        return sum
    }

    /// Builds the message of `Trees.build`.
    func build() -> Int { buildMessage("m1", "o1", nil) == nil ? 0 : 1 }

    /// The written form of that message.
    func builtText() -> String { Self.text { buildMessage("m1", "o1", $0) } }

    /// The written form of a stanza.
    func text(of handle: Handle?) -> String { Self.text { writeStanza(handle, $0) } }

    private static func text(_ write: (UnsafeMutablePointer<Int>?) -> Bytes?) -> String {
        var count = 0
        let bytes = write(&count)
        return String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// Compiles a query and frees it.
    func compileOnce(_ source: String) throws -> Int {
        guard let query = compile(source) else { throw BenchmarkError("\(name) cannot compile \(source)") }
        freeQuery(query)
        return 0
    }
}

/// Documents in a peer's trees.
final class PeerDocuments {
    let handles: [Peer.Handle?]
    private let peer: Peer

    init(_ texts: [String], _ peer: Peer) throws {
        self.peer = peer
        handles = try texts.map { text in
            guard let handle = peer.parse(Array(text.utf8)) else {
                throw BenchmarkError("\(peer.name) refuses \(text)")
            }
            return handle
        }
    }

    deinit { handles.forEach(peer.free) }
}

/// Precompiled queries of a peer.
final class PeerQueries {
    private let peer: Peer
    private let queries: [Peer.Handle?]

    init(_ sources: [String], _ peer: Peer) throws {
        self.peer = peer
        queries = try sources.map { source in
            guard let query = peer.compile(source) else {
                throw BenchmarkError("\(peer.name) cannot compile \(source)")
            }
            return query
        }
    }

    deinit { queries.forEach(peer.freeQuery) }

    /// The number of documents whose stanza has a result.
    func check(_ number: Int, _ documents: PeerDocuments) -> Int {
        peer.check(queries[number], documents.handles, documents.handles.count)
    }

    /// The number of results in all documents.
    func find(_ number: Int, _ documents: PeerDocuments) -> Int {
        peer.find(queries[number], documents.handles, documents.handles.count)
    }
}
