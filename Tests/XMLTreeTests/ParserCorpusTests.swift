// Real input: the examples of the specifications, and recorded sessions of this project.

import Foundation
import TestSupport
import Testing

@testable import XMLTree

@Suite struct ParserCorpusTests {
    private func expectAllModesAgree(_ stanzas: [String]) throws {
        let alone = try stanzas.map { try Element(parsing: $0, in: .clientStream).dump }
        let text = header + stanzas.joined(separator: "\n") + "</stream:stream>"
        for (chunk, renewal) in [
            (1, Renewal.standard), (7, Renewal(names: 50, bytes: .max)), (4099, Renewal(names: 0, bytes: 0)),
            (.max, .standard),
        ] {
            let lines = transcript(text, .stream, chunk: chunk, renewal: renewal).lines
            #expect(lines.count == stanzas.count + 2)
            #expect(lines.last == "end")
            let dumps = lines.dropFirst().dropLast().map {
                $0.split(separator: " ", maxSplits: 2).last.map(String.init)
            }
            #expect(dumps == alone)
        }
        let fragments = stanzas.joined(separator: "\n")
        #expect(transcript(fragments, .fragments(in: .clientStream)).lines.count == stanzas.count)
        #expect(transcript("<all>\(fragments.replacing("<stream:", with: "<"))</all>", .document).lines.count == 1)
    }

    @Test(.enabled(if: Corpus.specifications != nil)) func specificationExamples() throws {
        let stanzas = try Corpus.stanzas(in: #require(Corpus.specifications))
        #expect(stanzas.count > 1000)
        try expectAllModesAgree(stanzas)
    }

    @Test func recordedStanzas() throws {
        let stanzas = try Corpus.stanzas(in: Corpus.recordedSession)
        #expect(stanzas.count >= 300)
        try expectAllModesAgree(stanzas)
    }

    @Test func recordedStreams() throws {
        let folder = packageFolder.appending(path: "Grammar/corpus/streams")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.contains { $0.hasSuffix(".xml") } && files.contains { $0.hasSuffix(".broken") })
        var elements = 0
        for file in files.sorted() {
            let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
            let whole = transcript(bytes, .stream)
            #expect(whole.lines.first?.hasPrefix("start") == true)
            let last = whole.lines.last ?? ""
            // Some clients broke the rules deliberately, one of them with a comment.
            let isRestricted = last.hasPrefix("error restricted") && file.contains(".out.")
            #expect((last == "end" || isRestricted) == file.hasSuffix(".xml"), "\(file): \(last)")
            for chunk in [1, 5, 1000] { #expect(transcript(bytes, .stream, chunk: chunk) == whole, "\(file)") }
            elements += whole.lines.count { $0.hasPrefix("element") }
        }
        #expect(elements >= 300)
    }
}
