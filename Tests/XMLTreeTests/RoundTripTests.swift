// Parse ∘ serialize = identity: on random trees, and on the examples of the XMPP specifications.

import Foundation
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
            // Pretty printing keeps everything but white space between elements.
            let pretty = try Element(parsing: frozen.xmlString(in: context, format: .pretty), in: context)
            #expect(pretty.xmlString(in: context, format: .pretty) == frozen.xmlString(in: context, format: .pretty))
        }
    }

    /// The same elements with the same prefixes in scope, attribute for attribute.
    @Test func theExamplesOfTheSpecifications() throws {
        guard let lines = Corpus.lines() else { return }
        struct Line: Decodable {
            let xml: String
        }
        let decoder = JSONDecoder()
        for line in lines {
            let source = try decoder.decode(Line.self, from: Data(line.utf8)).xml
            guard let element = try? Element(parsing: source, in: .clientStream) else { continue }
            for context in [NamespaceContext.clientStream, .empty] {
                let xml = element.xmlString(in: context)
                let parsed = try Element(parsing: xml, in: context)
                guard parsed == element, parsed.xmlString(in: context) == xml else {
                    Issue.record("not the same: \(xml)")
                    continue
                }
                if context == .clientStream { #expect(difference(parsed, element) == nil, "\(xml)") }
            }
            #expect(element.thaw().freeze() == element)
            #expect(element.copy().dump == element.dump)
            #expect(element.thaw().freeze().dump == element.dump)
        }
    }

    /// Where two equal trees differ in what equality ignores: prefixes, their bindings, the order of attributes.
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

/// The examples of the XMPP specifications, where they are present.
enum Corpus {
    /// Says so loudly when they are absent.
    static func lines() -> [Substring]? {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let folder =
            ProcessInfo.processInfo.environment["STANZA_CORPUS"].map { URL(filePath: $0) }
            ?? package.appending(path: "../shared/corpus")
        let file = folder.appending(path: "xep-stanzas.jsonl")
        guard let text = try? String(contentsOf: file, encoding: .utf8) else {
            print("NO CORPUS: \(file.path) is missing; set STANZA_CORPUS to the folder that holds xep-stanzas.jsonl")
            return nil
        }
        return text.split(separator: "\n")
    }
}

/// Trees that use all that a tree can hold.
enum RandomTree {
    private static let names = ["a", "b", "iq", "\u{E9}", "e\u{301}", "x-y.z", "\u{4E00}"]
    private static let namespaces = ["u", "v", "jabber:client", "u'&<", XMLNamespace.stream]
    private static let prefixes = ["p", "q", "stream", "ns1"]
    private static let texts = [
        "", " ", "x", "&<>'\"", "\t\n\r", "]]>", "\u{E9}", "e\u{301}", "\u{10FFFD}\u{FFFD}", "\u{85}\u{2028}",
    ]

    static func make(using random: inout SeededGenerator) throws -> MutableElement {
        let root = try element(using: &random)
        var open = [root]
        for _ in 0..<Int.random(in: 0..<25, using: &random) {
            let parent = random.pick(open)
            let child = parent.add(try element(using: &random))
            open.append(child)
            if random.chance(30) { try parent.addText(random.pick(texts)) }
        }
        if random.chance(30) { try random.pick(open).declarePrefix(random.pick(prefixes), as: random.pick(namespaces)) }
        return root
    }

    private static func element(using random: inout SeededGenerator) throws -> MutableElement {
        let name = random.pick(names)
        let element =
            switch Int.random(in: 0..<5, using: &random) {
            case 0: try MutableElement(name)
            case 1: try MutableElement(name, namespace: .none)
            case 2: try MutableElement("\(random.pick(prefixes)):\(name)", namespace: .uri(random.pick(namespaces)))
            default: try MutableElement(name, namespace: .uri(random.pick(namespaces)))
            }
        if random.chance(30) { try element.declarePrefix(random.pick(prefixes), as: random.pick(namespaces)) }
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
            let value = random.pick(texts)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: try element.setAttribute("{\(random.pick(namespaces))}\(random.pick(names))", to: value)
            case 1: try element.setAttribute("xml:lang", to: value)
            default: try element.setAttribute(random.pick(names), to: value)
            }
        }
        if random.chance(50) { try element.setText(random.pick(texts)) }
        return element
    }
}
