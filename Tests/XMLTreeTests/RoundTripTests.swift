// Parse ∘ serialize = identity: on random trees and on real stanzas.

import TestSupport
import Testing

@testable import XMLTree

@Suite struct RoundTripTests {
    @Test(arguments: 0..<20)
    func randomTrees(round: Int) throws {
        var random = SeededGenerator(salt: UInt64(1000 + round))
        for _ in 0..<50 {
            let tree = try RandomTree.make(using: &random)
            let context: NamespaceContext = random.pick([
                .empty, .clientStream, NamespaceContext(defaultNamespace: "u", prefixes: ["p": "u", "ns1": "v"]),
            ])
            let frozen = tree.freeze()
            let xml = frozen.xmlString(in: context)
            let parsed = try Element(parsing: xml, in: context)
            let comment: Comment = "seed \(SeededGenerator.seed), round \(round): \(xml)"
            #expect(parsed == frozen, comment)
            #expect(parsed.xmlString(in: context) == xml, comment)
            #expect(parsed.thaw().xmlString(in: context) == xml, comment)
            // Pretty printing keeps everything except white space between elements.
            let pretty = try Element(parsing: frozen.xmlString(in: context, format: .pretty), in: context)
            #expect(pretty.xmlString(in: context, format: .pretty) == frozen.xmlString(in: context, format: .pretty))
        }
    }

    @Test(.enabled(if: Corpus.specifications != nil)) func theExamplesOfTheSpecifications() throws {
        let stanzas = try Corpus.stanzas(in: #require(Corpus.specifications))
        #expect(stanzas.count > 1000)
        try expectRoundTrips(stanzas)
    }

    @Test func theRecordedSession() throws {
        let stanzas = try Corpus.stanzas(in: Corpus.recordedSession)
        #expect(stanzas.count >= 300)
        try expectRoundTrips(stanzas)
    }

    private func expectRoundTrips(_ stanzas: [String]) throws {
        for source in stanzas {
            let element = try Element(stanza: source)
            for context in [NamespaceContext.clientStream, .empty] {
                let xml = element.xmlString(in: context)
                let parsed = try Element(parsing: xml, in: context)
                #expect(parsed == element, "\(xml)")
                #expect(parsed.xmlString(in: context) == xml)
                if context == .clientStream { #expect(difference(parsed, element) == nil, "\(xml)") }
            }
            #expect(element.thaw().freeze() == element)
            #expect(element.copy().dump == element.dump)
            #expect(element.thaw().freeze().dump == element.dump)
        }
    }

    /// Returns the first difference that equality ignores: prefixes, their bindings, the order of attributes.
    private func difference(_ one: Element, _ other: Element) -> String? {
        if one.prefix != other.prefix { return "prefix of \(one)" }
        if one.namespacesInScope != other.namespacesInScope { return "prefixes in scope at \(one)" }
        if Array(one.attributes) != Array(other.attributes) { return "attributes of \(one)" }
        for (child, otherChild) in zip(one.children, other.children) {
            if let difference = difference(child, otherChild) { return difference }
        }
        return nil
    }
}
