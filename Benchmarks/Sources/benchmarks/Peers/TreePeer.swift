// The C libraries' operations on trees, besides queries: counting, writing, copying, building.

import CLibXML2Peer
import CPugiXMLPeer

/// A library with trees of its own. A document's stanza is the first child of its root.
struct TreePeer {
    typealias Handle = UnsafeMutableRawPointer
    typealias Bytes = UnsafePointer<CChar>

    let name: String
    let parse: ([String]) throws -> PeerDocuments
    /// A tree of one text, to be given back to `free`.
    let parseOne: ([UInt8]) -> Handle?
    let free: (Handle?) -> Void
    let elementCount: (Handle?) -> Int
    private let writeStanza: (Handle?, UnsafeMutablePointer<Int>?) -> Bytes?
    private let copyStanza: (Handle?) -> Int32
    private let buildMessage: (Bytes?, Bytes?, UnsafeMutablePointer<Int>?) -> Bytes?
    /// Builds an element with a number of children and frees it. Returns the number of children.
    let buildChildren: (Int) -> Int

    static var libxml2: TreePeer {
        TreePeer(
            name: "libxml2", parse: PeerDocuments.libxml2, parseOne: Parsing.libxml2Tree, free: libxml2_document_free,
            elementCount: libxml2_document_elements, writeStanza: libxml2_stanza_write, copyStanza: libxml2_stanza_copy,
            buildMessage: libxml2_message_build, buildChildren: libxml2_children_build)
    }

    static var pugixml: TreePeer {
        TreePeer(
            name: "pugixml", parse: PeerDocuments.pugixml, parseOne: Parsing.pugixmlTree, free: pugixml_document_free,
            elementCount: pugixml_document_elements, writeStanza: pugixml_stanza_write, copyStanza: pugixml_stanza_copy,
            buildMessage: pugixml_message_build, buildChildren: pugixml_children_build)
    }

    static var all: [TreePeer] { [.pugixml, .libxml2] }

    /// Writes the stanzas of documents; how many bytes in all.
    func write(_ documents: PeerDocuments) -> Int {
        var sum = 0
        for handle in documents.handles {
            var count = 0
            _ = writeStanza(handle, &count)
            sum += count
        }
        return sum
    }

    /// The written form of a stanza.
    func text(of handle: Handle?) -> String {
        var count = 0
        return Self.text(writeStanza(handle, &count), count)
    }

    /// Copies the stanzas of documents; how many there are.
    func copy(_ documents: PeerDocuments) -> Int {
        documents.handles.reduce(0) { $0 + Int(copyStanza($1)) }
    }

    /// Builds the message of `Trees.build`.
    func build(_ identifier: String, _ origin: String) -> Int {
        buildMessage(identifier, origin, nil) == nil ? 0 : 1
    }

    /// Builds and writes it; how many bytes.
    func buildAndWrite(_ identifier: String, _ origin: String) -> Int {
        var count = 0
        _ = buildMessage(identifier, origin, &count)
        return count
    }

    func builtText(_ identifier: String, _ origin: String) -> String {
        var count = 0
        return Self.text(buildMessage(identifier, origin, &count), count)
    }

    private static func text(_ bytes: Bytes?, _ count: Int) -> String {
        String(decoding: UnsafeRawBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
