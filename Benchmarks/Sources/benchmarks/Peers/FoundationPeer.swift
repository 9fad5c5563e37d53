// FoundationXML as a peer. It has no compiled queries.

import Foundation
import FoundationXML

/// Documents in Foundation's trees.
final class FoundationDocuments {
    private let documents: [XMLDocument]
    private let stanzas: [XMLNode]

    init(_ texts: [String]) throws {
        documents = try texts.map { try XMLDocument(xmlString: $0, options: .nodePreserveWhitespace) }
        stanzas = try documents.map { document in
            guard let stanza = document.rootElement()?.children?.first(where: { $0.kind == .element }) else {
                throw PeerError(description: "FoundationXML lost a stanza")
            }
            return stanza
        }
    }

    func check(_ xpath: String) throws -> Int {
        var count = 0
        for stanza in stanzas where try !stanza.nodes(forXPath: xpath).isEmpty { count += 1 }
        return count
    }

    func find(_ xpath: String) throws -> Int {
        var count = 0
        for stanza in stanzas { count += try stanza.nodes(forXPath: xpath).count }
        return count
    }

    /// The number of elements of a document.
    static func elementCount(_ bytes: [UInt8]) throws -> Int {
        func count(_ node: XMLNode) -> Int {
            (node.children ?? []).reduce(node.kind == .element ? 1 : 0) { $0 + count($1) }
        }
        return count(try XMLDocument(data: Data(bytes), options: .nodePreserveWhitespace))
    }

    static func parse(_ bytes: [UInt8]) throws -> Int {
        try XMLDocument(data: Data(bytes), options: .nodePreserveWhitespace).childCount
    }
}
