// Real input: the examples of the specifications, and recorded sessions of this project. All modes read them alike, and
// parse ∘ serialize = identity, as on random trees and on the seeds of the serializer's fuzzer.

import Foundation
import TestSupport
import Testing

@testable import XMLTree

@Suite struct CorpusTests {
    @Test(.enabled(if: Corpus.specifications != nil)) func specificationExamples() throws {
        let stanzas = try Corpus.stanzas(in: #require(Corpus.specifications))
        #expect(stanzas.count > 1000)
        try expectAllModesAgree(stanzas)
        try expectRoundTrips(stanzas)
    }

    @Test func recordedStanzas() throws {
        let stanzas = try Corpus.stanzas(in: Corpus.recordedSession)
        #expect(stanzas.count >= 300)
        try expectAllModesAgree(stanzas)
        try expectRoundTrips(stanzas)
    }

    private func expectAllModesAgree(_ stanzas: [String]) throws {
        let alone = try stanzas.map { try Element(parsing: $0, in: .clientStream).dump }
        let content = stanzas.joined(separator: "\n")
        let stream = transcript(content + "</stream:stream>", .stream, after: header, chunks: [7])
        #expect(stream.lines.last == "end")
        let dumps = stream.lines.dropFirst().dropLast().map { String($0.split(separator: " ", maxSplits: 1)[1]) }
        #expect(dumps == alone)
        let fragments = output(Array(content.utf8), .fragments(in: .clientStream))
        #expect(fragments.lines.count == stanzas.count && fragments.errors.isEmpty)
        let names = content.replacing("<stream:", with: "<").replacing("</stream:", with: "</")
        #expect(
            output(Array("<all>\(names)</all>".utf8), .document).lines.map { $0.hasPrefix("1:1@0 <all>") } == [true])
    }

    private func expectRoundTrips(_ stanzas: [String]) throws {
        for source in stanzas {
            let element = try Element(stanza: source)
            for context in [NamespaceContext.clientStream, .empty] {
                let xml = element.xmlString(in: context)
                let parsed = try Element(parsing: xml, in: context)
                #expect(parsed == element && parsed.xmlString(in: context) == xml, "\(xml)")
                if context == .clientStream { #expect(difference(parsed, element) == nil, "\(xml)") }
            }
            for copy in [element.thaw().freeze(), element.copy()] {
                #expect(copy == element && copy.dump == element.dump)
            }
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

    @Test func recordedStreams() throws {
        let folder = packageFolder.appending(path: "Grammar/corpus/streams")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.contains { $0.hasSuffix(".xml") } && files.contains { $0.hasSuffix(".broken") })
        var elements = 0
        for file in files {
            let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
            let found = transcript(bytes, .stream, chunks: [1, 5, 1000])
            #expect(found.lines.first?.contains(" start ") == true)
            // Some clients broke the rules deliberately, one of them with a comment.
            let isRestricted = found.lines.last?.contains("error restricted") == true && file.contains(".out.")
            #expect((found.lines.last == "end" || isRestricted) == file.hasSuffix(".xml"), "\(file)")
            elements += found.events.count - 1
        }
        #expect(elements >= 300)
    }

    @Test(arguments: 0..<20) func randomTrees(round: Int) throws {
        var random = SeededGenerator(salt: UInt64(1000 + round))
        for _ in 0..<50 {
            let frozen = try RandomTree.make(using: &random).freeze()
            let context: NamespaceContext = random.pick([
                .empty, .clientStream, NamespaceContext(defaultNamespace: "u", prefixes: ["p": "u", "ns1": "v"]),
            ])
            let xml = frozen.xmlString(in: context)
            let parsed = try Element(parsing: xml, in: context)
            let comment: Comment = "seed \(SeededGenerator.seed), round \(round): \(xml)"
            #expect(parsed == frozen, comment)
            #expect(parsed.xmlString(in: context) == xml && parsed.thaw().xmlString(in: context) == xml, comment)
            // Pretty printing keeps everything except white space between elements.
            let pretty = frozen.xmlString(in: context, format: .pretty)
            #expect(
                try Element(parsing: pretty, in: context).xmlString(in: context, format: .pretty) == pretty, comment)
        }
    }

    @Test func seedsOfTheSerializer() throws {
        #expect(try FuzzSeeds.run("Serializer") { fuzzSerializer(FuzzInput($0, $1)) } >= 8)
    }
}
