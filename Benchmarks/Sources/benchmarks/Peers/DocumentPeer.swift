// Peers that are C libraries: their documents, and the ten queries over them.

import CLibXML2Peer
import CPugiXMLPeer

struct PeerError: Error, CustomStringConvertible {
    let description: String
}

/// Documents in a C library's own trees.
final class PeerDocuments {
    let handles: [UnsafeMutableRawPointer?]
    private let free: (UnsafeMutableRawPointer?) -> Void

    private init(
        _ texts: [String], name: String, parse: (UnsafePointer<CChar>, Int) -> UnsafeMutableRawPointer?,
        free: @escaping (UnsafeMutableRawPointer?) -> Void
    ) throws {
        self.free = free
        handles = try texts.map { text in
            guard let handle = text.withCString({ parse($0, text.utf8.count) }) else {
                throw PeerError(description: "\(name) refuses \(text)")
            }
            return handle
        }
    }

    deinit { handles.forEach(free) }

    static func libxml2(_ texts: [String]) throws -> PeerDocuments {
        try PeerDocuments(texts, name: "libxml2", parse: libxml2_document_parse, free: libxml2_document_free)
    }

    /// The number of elements in documents of libxml2, roots included.
    var elementCount: Int { handles.reduce(0) { $0 + libxml2_document_elements($1) } }

    static func pugixml(_ texts: [String]) throws -> PeerDocuments {
        try PeerDocuments(texts, name: "pugixml", parse: pugixml_document_parse, free: pugixml_document_free)
    }
}

/// Precompiled XPath of libxml2, with one context for all evaluations.
final class LibXML2Queries {
    private let context = libxml2_xpath_context(BenchmarkQuery.node)
    private let expressions: [UnsafeMutableRawPointer?]

    /// - Parameter prefixes: Namespaces beside those of the ten queries.
    init(_ sources: [String], prefixes: [(prefix: String, uri: String)] = []) throws {
        for (prefix, uri) in prefixes { libxml2_xpath_register(context, prefix, uri) }
        expressions = try sources.map { source in
            guard let expression = libxml2_xpath_compile(source) else {
                throw PeerError(description: "libxml2 cannot compile \(source)")
            }
            return expression
        }
    }

    deinit { expressions.forEach(libxml2_xpath_free) }

    func check(_ number: Int, _ documents: PeerDocuments) -> Int {
        libxml2_xpath_check(context, expressions[number], documents.handles, documents.handles.count)
    }

    func check(_ number: Int, _ documents: PeerDocuments, only document: Int) -> Int {
        documents.handles.withUnsafeBufferPointer {
            libxml2_xpath_check(context, expressions[number], $0.baseAddress.map { $0 + document }, 1)
        }
    }

    func find(_ number: Int, _ documents: PeerDocuments) -> Int {
        libxml2_xpath_find(context, expressions[number], documents.handles, documents.handles.count)
    }

    /// Compiles an expression and frees it.
    static func compile(_ source: String) throws -> Int {
        guard let expression = libxml2_xpath_compile(source) else {
            throw PeerError(description: "libxml2 cannot compile \(source)")
        }
        libxml2_xpath_free(expression)
        return 0
    }
}

/// Precompiled XPath of pugixml.
final class PugiXMLQueries {
    private let queries: [UnsafeMutableRawPointer?]

    init(_ sources: [String]) throws {
        queries = try sources.map { source in
            guard let query = pugixml_xpath_compile(source, BenchmarkQuery.node) else {
                throw PeerError(description: "pugixml cannot compile \(source)")
            }
            return query
        }
    }

    deinit { queries.forEach(pugixml_xpath_free) }

    /// Compiles a query and frees it.
    static func compile(_ source: String) throws -> Int {
        guard let query = pugixml_xpath_compile(source, BenchmarkQuery.node) else {
            throw PeerError(description: "pugixml cannot compile \(source)")
        }
        pugixml_xpath_free(query)
        return 0
    }

    func check(_ number: Int, _ documents: PeerDocuments) -> Int {
        pugixml_xpath_check(queries[number], documents.handles, documents.handles.count)
    }

    func check(_ number: Int, _ documents: PeerDocuments, only document: Int) -> Int {
        documents.handles.withUnsafeBufferPointer {
            pugixml_xpath_check(queries[number], $0.baseAddress.map { $0 + document }, 1)
        }
    }

    func find(_ number: Int, _ documents: PeerDocuments) -> Int {
        pugixml_xpath_find(queries[number], documents.handles, documents.handles.count)
    }

    /// The same query as C++ over pugixml's tree.
    static func handWritten(_ number: Int, _ documents: PeerDocuments) -> Int {
        pugixml_hand_check(Int32(number), BenchmarkQuery.node, documents.handles, documents.handles.count)
    }
}
