// Lines with a stanza each: a batch gives the same items as single lines, and all lines are independent.

import StanzaQuery
import Testing

@testable import StanzaCLI

@Suite("Lines")
struct LineTests {
    /// Texts that are not an element alone, among good ones, and texts that would be one together.
    private static let texts = [
        "<a/>", "<b>\\n</b>", "<c>", "</c>", "<c/><d/>", "", " <e/>", "<!-- --><f/>", "<g/> <!-- x -->", "<h/><!--",
        "--><i/>", "<j", "/>", "text", "<k/>text", "<?xml version='1.0'?><l/>", "<m/>", "<n><o/>", "</n><p/>",
        "\\ufeff<q/>",
    ]

    /// The reader's items for lines, with the number of the first line.
    private static func items(_ format: InputFormat, _ lines: [String], first: Int = 1) -> [String] {
        let offset = first == 1 ? 0 : 1_000
        let place = InputPlace(format: format, position: SourcePosition(line: first, column: 1, offset: offset))
        let reader = StanzaReader(ReadingSettings(), at: place)
        Array(lines.joined(separator: "\n").utf8).withUnsafeBytes { reader.feed($0) }
        reader.finish()
        var items: [String] = []
        while let item = reader.next() {
            switch item {
            case .stanza(let stanza, let position, _): items.append("\(position.line): \(stanza.xmlString())")
            case .problem(let problem): items.append("\(problem)")
            case .results(let results): items.append("\(results)")
            }
        }
        return items
    }

    @Test("of JSON give the same in a batch as alone")
    func json() {
        for first in Self.texts {
            for second in Self.texts {
                let lines = [first, second, "<z/>"].map { "{\"xml\": \"\($0)\"}" }
                let apart = lines.enumerated().flatMap { Self.items(.jsonl, [$1], first: $0 + 1) }
                #expect(Self.items(.jsonl, lines) == apart, "\(first) \(second)")
                #expect(Self.items(.lines, lines) == apart, "\(first) \(second)")
                #expect(apart.count == 3)
            }
        }
    }

    @Test("of XML give the same in a batch as alone")
    func xml() {
        for first in Self.texts {
            for second in Self.texts {
                let lines = [first, second, "{\"xml\": \"<y/>\"}", "<z/>"]
                let apart = lines.enumerated().flatMap { Self.items(.lines, [$1], first: $0 + 1) }
                #expect(Self.items(.lines, lines) == apart, "\(first) \(second)")
                #expect(apart.count == lines.count { !$0.isEmpty })
            }
        }
    }

    /// A bad line in a batch affects no other line, for any size of the batch.
    @Test("are read in batches of a bounded size")
    func batches() {
        var batch = LineBatch(context: .clientStream, limits: .stanza, allowsXML: true)
        func isFull(after text: String) -> Bool {
            Array(text.utf8).withUnsafeBytes { batch.add($0, at: .start) }
            return batch.isFull
        }
        let fill = (1...LineBatch.mostLines).map { isFull(after: "<a\($0)/>") }
        #expect(fill.firstIndex(of: true) == LineBatch.mostLines - 1)
        batch.read()
        var count = 0
        while batch.next() != nil { count += 1 }
        #expect(count == LineBatch.mostLines)
        let long = "<a k='\(String(repeating: "x", count: LineBatch.mostBytes - 12))'/>"
        #expect([isFull(after: long), isFull(after: "<b/>")] == [false, true])

        let shapes = ["<a/>", "{\"xml\": \"<b/>\"}", long, "<c>", "<d/>"]
        let lines = (0..<5 * LineBatch.mostLines).map { shapes[$0 % 97 < 4 ? $0 % 97 : 4] }
        let apart = lines.enumerated().flatMap { Self.items(.lines, [$1], first: $0 + 1) }
        #expect(apart.count == lines.count && apart.count { $0.contains("<d") } > 300)
        #expect(Self.items(.lines, lines) == apart)
    }

    @Test("report the place of a mistake")
    func places() {
        let lines = ["<a/>", "  <b></c>", "", "{\"é\": 1, \"xml\": \"<d>\"}", "é", "{", "<e/>"]
        #expect(
            stanza("find", "--format", "lines", "/$", input: lines.joined(separator: "\n")).errorLines.map {
                $0.prefix { $0 != " " } + " " + $0.dropFirst(8).prefix { $0 != " " }
            } == ["stanza: -:2:6:", "stanza: -:4:17:", "stanza: -:5:1:", "stanza: -:6:2:"])
    }

    @Test(
        "of JSON give the string of a member without a value for it",
        arguments: [
            #"{"xml": "<a/>"}"#, #" { "xml" : "<a b='\u00e9\n\"'/>" , "n" : -1.5e+3 }  "#,
            #"{"a": true, "b": false, "c": null, "xml": "x", "d": 0, "xml": "<a/>"}"#, #"{"xml": 7}"#, "{}", "[]", "",
            #"{"xml": "<a/>"} x"#, #"{"xml": "<a/>",}"#, #"{"xml": "<a/>", "n": 01}"#, #"{"xml": "<a/>", "n": .5}"#,
            #"{"xml": "a\u00e"}"#, #"{"xml": "a\ud83d\ude00"}"#, #"{"xml": "a\ud83d"}"#, "{\"xml\": \"a\u{1}\"}",
            #"{"xml": "unclosed"#, #"{"é": "é", "xml": "é"}"#, #"{"x\u006dl": "escaped"}"#,
            #"{"xml": "a", "o": {"xml": 1}}"#, #"{"xml": "a" "n": 1}"#, #"{"xml": "a", "n": [1, 2]}"#,
            #"{"xml": "0123456\\89abcdef\t"}"#, #"{"xml": "\q"}"#,
            #"{"n": tru, "xml": "a"}"#, #"{"n": 1e, "xml": "a"}"#, #"{"n": -, "xml": "a"}"#,
        ])
    func memberStrings(text: String) {
        let bytes = Array(text.utf8)
        var found: [UInt8] = [1, 2]
        let offset = bytes.withUnsafeBytes { JSONReader.append("xml", of: $0, to: &found) }
        let member = (try? JSONReader.read(bytes))?.object?.member("xml")
        let string = member?.value.string
        #expect(offset == (string == nil ? nil : member?.offset))
        #expect(found == [1, 2] + Array((string ?? "").utf8))
    }

    @Test("can be filtered: no result is not a failure")
    func filter() {
        #expect(stanza("find", "--format", "lines", "/x@id", input: "<a/>\n{\"xml\": \"<b/>\"}\n").status == .success)
        #expect(stanza("find", "--format", "lines", "--check", "/x", input: "<a/>").status == .nothing)
        #expect(stanza("find", "--format", "lines", "/$", input: "<a/>\n<b>\n<c/>").status == .badInput)
        #expect(stanza("find", "--format", "lines", "/$", input: "<a/>\n<b>\n<c/>").lines == ["a", "c"])
    }
}
