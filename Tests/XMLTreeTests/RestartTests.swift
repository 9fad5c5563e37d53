// Recorded sessions: a parser that reads one stream after the other (RFC 6120 §4.3.3).
//
// STANZA_SEED and STANZA_CASES repeat and lengthen the random run.

import TestSupport
import Testing

@testable import XMLTree

@Suite struct RestartTests {
    private func recorded(_ text: String, chunk: Int = .max) -> Transcript {
        var parser = XMLStreamParser(recordingWithin: .stanza)
        var transcript = Transcript()
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            parser.feed(bytes[start..<min(bytes.count, start.saturatingAdd(chunk))])
            transcript.drain(&parser)
        }
        parser.finish()
        transcript.drain(&parser)
        return transcript
    }

    /// A session's parser refuses the same input: its client has to reset it.
    @Test func onlyAParserOfRecordsRestarts() {
        let input = header + "<a/>\n<?xml version='1.0'?>\n" + header + "<b/></stream:stream>"
        #expect(recorded(input).lines.count == 5)
        #expect(
            transcript(input, .stream).lines.last
                == "error restricted(XMLTree.XMLParseError.Markup.xmlDeclaration) at 2:1@\(header.utf8.count + 5)")
        let completed = header + "</stream:stream>" + header
        #expect(transcript(completed, .stream).lines.last?.hasPrefix("error contentAfterEnd") == true)
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
        var random = SeededGenerator(salt: 0x5245_5354)
        var restarts = 0
        for number in 0..<SeededGenerator.cases(default: 150) {
            var (text, expected) = ("", [String]())
            for index in 0..<random.pick([1, 2, 4]) {
                let (start, end) = random.pick(roots)
                let isDeclared = random.chance(50)
                let content = (0..<random.pick([0, 1, 4])).map { _ in random.pick(stanzas) }.joined()
                let part = (isDeclared ? "<?xml version='1.0'?> " : "") + start + content
                if index > 0, random.chance(30) { text += "\u{FEFF}" }
                // A stream may break off between two stanzas.
                let isClosed = random.chance(50)
                let alone = transcript(part + end, .stream).lines
                expected += isClosed ? alone : Array(alone.dropLast())
                text += part + (isClosed ? end + random.pick(["", "\n"]) : "")
                restarts += index
            }
            func names(_ lines: [String]) -> [String] {
                lines.map { line in
                    let words = line.split(separator: " ")
                    return (words.prefix(1) + words.dropFirst(2)).joined(separator: " ")
                }
            }
            for chunk in [1, 10, Int.max] {
                var found = recorded(text, chunk: chunk).lines
                if let last = found.last, last.hasPrefix("error") {
                    #expect(last.hasPrefix("error unexpectedEnd"))
                    found.removeLast()
                }
                guard names(found) == names(expected) else {
                    Issue.record("STANZA_SEED=\(SeededGenerator.seed), case \(number): \(text)")
                    return
                }
            }
        }
        #expect(restarts > 0)
    }
}
