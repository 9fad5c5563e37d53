// The parser's storage of trees: runs of text, trees that keep the buffers, and pending input.

import Testing

@testable import XMLTree

@Suite struct ParserStorageTests {
    private static let mode = XMLStreamParser.Mode.fragments(in: .empty)

    /// A run that arrives in parts is one run.
    @Test func runsMayArriveInParts() throws {
        for (text, expected) in [
            ("<a>\n<b/>\n&#120;<c/>\n</a>", ["\n", "\nx", "\n"]),
            ("<a>\n<b/>\n<![CDATA[y]]>&lt;<c/>\n<d/>\nz</a>", ["\n", "\ny<", "\n", "\nz"]),
            ("<a>1234567<b/>1234567<c/>12345678<d/>1234567</a>", ["1234567", "1234567", "12345678", "1234567"]),
        ] {
            for chunk in [1, .max] {
                var parser = XMLStreamParser(mode: Self.mode)
                for byte in chunk == 1 ? text.utf8.map({ [$0] }) : [Array(text.utf8)] { parser.feed(byte) }
                parser.finish()
                guard case .element(let element, _)? = try parser.next() else {
                    Issue.record("no element")
                    return
                }
                let runs = element.content.compactMap { piece -> String? in
                    if case .text(let text) = piece { text } else { nil }
                }
                #expect(runs == expected)
            }
        }
    }

    /// Runs of all lengths, equal, or different in one byte.
    @Test func runsOfAllLengths() throws {
        for length in 1...40 {
            let run = String(repeating: " ", count: length - 1) + "x"
            for position in 0..<length {
                var other = Array(run.utf8)
                other[position] = UInt8(ascii: "y")
                let changed = String(decoding: other, as: UTF8.self)
                let text = "<a>\(run)<b/>\(changed)<b/>\(run)<b/>\(run)</a>"
                let element = try Element(parsing: text)
                #expect(element.xmlString() == text)
            }
        }
    }

    /// A large tree keeps the buffers in which the parser collected it; the next one begins with small buffers.
    @Test func largeTreesAmongSmallOnes() throws {
        let large = "<l>" + String(repeating: "<b c='d'>text</b>", count: 20_000) + "</l>"
        let small = "<s a='1'>\n<t/>\n</s>"
        let text = [small, large, small, small, large].joined(separator: "\n")
        for chunk in [1000, 100_000, .max] {
            let lines = transcript(text, Self.mode, chunk: chunk, limits: .document).lines
            #expect(lines.count == 5)
            let trees = lines.map { $0.split(separator: " ", maxSplits: 2)[2] }
            #expect(trees[0] == trees[2] && trees[2] == trees[3] && trees[1] == trees[4])
        }
        // A tree outlives its parser, and copies outlive the tree.
        var copy: Element?
        do {
            var parser = XMLStreamParser(mode: .document)
            parser.feed(large)
            parser.finish()
            if case .element(let element, _)? = try parser.next() { copy = element.children.first?.copy() }
        }
        #expect(copy?.xmlString() == "<b c='d'>text</b>")
    }

    /// The parser keeps input after an event as bytes, and reads it when the caller takes events.
    @Test func inputWaitsUntilEventsAreTaken() throws {
        var parser = XMLStreamParser(mode: Self.mode)
        let text = String(repeating: "<a b='c'>text</a>\n", count: 10_000)
        parser.feed(text)
        parser.feed(text)
        parser.finish()
        let readBefore = parser.tokenizer.base.offset
        #expect(readBefore <= Tokenizer.sliceLength)
        var count = 0
        var last: SourcePosition?
        while let event = try parser.next() {
            guard case .element(_, let position) = event else { continue }
            count += 1
            last = position
        }
        #expect(count == 20_000)
        #expect(last == SourcePosition(line: 20_000, column: 1, offset: 2 * text.utf8.count - 18))
        let read = parser.tokenizer.base.offset
        #expect(read == 2 * text.utf8.count)
    }

    /// After `reset()`, a parser of fragments keeps its context and counts places from the start.
    @Test func resettingKeepsTheContextOfFragments() throws {
        var parser = XMLStreamParser(mode: .fragments(in: .clientStream))
        var dictionarySizes = Set<Int>()
        for round in 0..<100 {
            for text in ["<a b='c'>x</a>\n", "\u{FEFF}\n<a b='c'>x</a>", " <a b='c'>x</a> \n "] {
                parser.feed(text)
                if round % 2 == 0 { parser.finish() }
                guard case .element(let element, let position)? = try parser.next() else {
                    Issue.record("no element")
                    return
                }
                #expect(element.namespace == "jabber:client")
                #expect(position.short == place(of: "<a", in: text))
                let rest = try parser.next()
                #expect(rest == nil)
                parser.reset()
            }
            let size = parser.dictionarySize
            dictionarySizes.insert(size)
        }
        #expect(dictionarySizes.count == 1, "each round would have begun another context")
        // A mistake ends the input; after a reset, the parser reads the next input as usual.
        for bad in ["<a>", "<a></b>", "text", "<a b='", "<!-- "] {
            parser.feed(bad)
            parser.finish()
            #expect(throws: XMLParseError.self) { while try parser.next() != nil {} }
            parser.reset()
            parser.feed("<a/>")
            parser.finish()
            let event = try parser.next()
            #expect(event != nil)
            parser.reset()
        }
    }

    /// The events of an input do not depend on an input before `reset()`.
    @Test func resettingForgetsWhatStoodBefore() {
        let formers = ["<a/>", "<a/>\n", "\n", " \n<a/>\n \n", "<a/>&#10;", "\u{FEFF}<a/>\n"]
        let texts = [
            "text<a/>\n<b/>", "\n\ntext\n<b/>", "</a>\n<b/>", "]]>\n<b/>", "&unknown;\n<b/>", "&#32;\n<b/>",
            "<!x>\n<b/>",
            "<a></b>\n<b/>", "\u{FEFF}text\n<b/>", "\u{1}\n<b/>", " \n<a><\n<b/>", "<!--\n-->\n<b/>",
            "<a b='<'/>\n<b/>",
        ]
        for text in texts {
            for chunk in [1, 3, 1000] {
                var fresh = XMLStreamParser(mode: .fragments(in: .clientStream))
                let expected = read(text, by: chunk, &fresh)
                for former in formers {
                    var parser = XMLStreamParser(mode: .fragments(in: .clientStream))
                    _ = read(former, by: chunk, &parser)
                    parser.reset()
                    let lines = read(text, by: chunk, &parser)
                    #expect(
                        lines == expected, "\(text.debugDescription) after \(former.debugDescription), by \(chunk)")
                }
            }
        }
    }

    private func read(_ text: String, by chunk: Int, _ parser: inout XMLStreamParser) -> [String] {
        var transcript = Transcript()
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            parser.feed(bytes[start..<min(start + chunk, bytes.count)])
        }
        parser.finish()
        transcript.drain(&parser)
        return transcript.lines
    }
}
