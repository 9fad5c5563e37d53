// Recorded sessions: a parser that reads one stream after the other (RFC 6120 §4.3.3).

import TestSupport
import Testing

@testable import XMLTree

@Suite struct RestartTests {
    private func recorded(_ text: String, chunk: Int = .max) -> Transcript {
        var parser = XMLStreamParser(recordingWithin: .stanza)
        return Transcript(of: Array(text.utf8), chunk: chunk, in: &parser)
    }

    /// A session's parser refuses the same input: its client has to reset it.
    @Test func onlyAParserOfRecordsRestarts() {
        let declared = header + "<a/>\n<?xml version='1.0'?>\n" + header + "<b/></stream:stream>"
        let completed = header + "</stream:stream>" + header
        #expect(recorded(declared).lines.count == 5 && recorded(completed).events.count == 3)
        #expect(transcript(declared, .stream).errors.map(\.kind) == [.restricted(.xmlDeclaration)])
        #expect(transcript(completed, .stream).errors.map(\.kind) == [.contentAfterEnd])
        // After a declaration, only another stream may follow.
        #expect(recorded(header + "<?xml version='1.0'?><a/>").errors.map(\.kind) == [.stanzaAfterDeclaration])
    }

    /// The events of streams one after the other are those of each alone, with positions of the whole input.
    @Test func streamsOneAfterTheOtherReadLikeEachAlone() {
        let roots = [
            ("<s:stream xmlns:s='http://etherx.jabber.org/streams' xmlns='urn:a' xmlns:p='urn:b'>", "</s:stream>"),
            ("<stream xmlns='http://etherx.jabber.org/streams' xmlns:q='urn:c'>", "</stream>"),
            (header, "</stream:stream>"),
        ]
        let stanzas = [
            "<a/>", "\n<b c='d'><e/></b>", "<x:a xmlns:x='urn:x' x:y='z'/>", " ", "<stream xmlns='urn:no'/>",
        ]
        func withoutPlaces(_ lines: [String]) -> [String] {
            lines.map { $0 == "end" ? $0 : String($0.split(separator: " ", maxSplits: 1)[1]) }
        }
        var random = SeededGenerator(salt: 0x5245_5354)
        var restarts = 0
        for number in 0..<SeededGenerator.cases(default: 150) {
            var (text, expected) = ("", [String]())
            for index in 0..<random.pick([1, 2, 4]) {
                let (start, end) = random.pick(roots)
                let content = (0..<random.pick([0, 1, 4])).map { _ in random.pick(stanzas) }.joined()
                let part = (random.chance(50) ? "<?xml version='1.0'?> " : "") + start + content
                if index > 0, random.chance(30) { text += "\u{FEFF}" }
                // A stream may break off between two stanzas.
                let isClosed = random.chance(50)
                let alone = withoutPlaces(output(Array((part + end).utf8), .stream).lines)
                expected += isClosed ? alone : Array(alone.dropLast())
                text += part + (isClosed ? end + random.pick(["", "\n"]) : "")
                restarts += index
            }
            for chunk in [1, 10, Int.max] {
                let found = recorded(text, chunk: chunk)
                #expect(found.errors.allSatisfy { $0.kind == .unexpectedEnd } && found.errors.count <= 1)
                let comment: Comment = "STANZA_SEED=\(SeededGenerator.seed), case \(number): \(text)"
                #expect(withoutPlaces(found.events) == expected, comment)
            }
        }
        #expect(restarts > 0)
    }
}
