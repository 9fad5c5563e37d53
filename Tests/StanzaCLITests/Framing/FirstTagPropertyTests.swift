// `stanza find` prints the same with first tags as with the parser alone, for random stanzas and queries.
//
// Changes at random places make some of the stanzas malformed. Then first tags lose no result before the first mistake.
// A filter may: framing can end a stanza too early if a tag after it in the same block has no '>'.
//
// STANZA_SEED and STANZA_CASES repeat and lengthen the random run; .ci/long runs a million cases.

import StanzaQuery
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("First tags property") struct FirstTagPropertyTests {
    private static let queries = [
        "/@id", "/@to", "/<type=error>@id", "/message@from", "/<xml~.*>@id", "/iq<id=1>@id", "/<id~.*><type=a b>@type",
        "/@c",
        "/a@id", "/<id=&>@id",
    ]
    private static let counted = ["", "/message", "/<type=error>", "/iq<id~.*>"]
    private static let attributes = [
        "id='1'", "id=\"a b\"", "id=''", "type='error'", "type=\"a b\"", "to='x@y/z'", "from='a>b'", "xml:lang='en'",
        "xmlns='jabber:client'", "xmlns='urn:x'", "c=\"it's/>\"", "xml='x'", "abcdefghijklmn='x'", "_.-9=''",
    ]
    /// Those that only the parser reads.
    private static let otherAttributes = [
        "id='é'", "id='&amp;'", "id='\\\\'", "xmlns:p='urn:p'", "c='\t'", "abcdefghijklmno='x'", "é=''", "b='x'",
    ]
    private static let changes = [
        "id='7'", " id=\"x\"", "xmlns='http://www.w3.org/2000/xmlns/'", "xmlns:id='u'", "a:id='1'", " xml:id='3'",
        "&amp;", "<",
        "=", "'", "\"", "/", ">", "\t", "\r", "é", "<![CDATA[>]]>", " xmlns:a='b'", " ", "id", " xml:lang='de'",
        "&#10;",
        "<!--x-->", " 1a='b'", "\0", "\u{7F}", "\\", "/>", "<b/>", "</a>", "]]>",
    ]

    /// A stanza, most often with a plain first tag.
    private static func stanza(_ random: inout SeededGenerator, isStream: Bool) -> String {
        let names = random.chance(5) ? ["abcdefghijklmno", "é"] : ["a", "message", "iq", "presence"]
        let name = random.pick(names)
        var tag = "<" + name
        var seen: Set<Substring> = []
        for _ in 0..<random.pick([0, 1, 2, 4, 8]) {
            let attribute = random.pick(random.chance(5) ? otherAttributes : attributes)
            guard seen.insert(attribute.prefix { $0 != "=" }).inserted else { continue }
            tag += random.pick([" ", " ", " ", "  ", "\n"]) + attribute
        }
        tag += random.pick(["", "", " ", "\n"])
        var markup = RandomFraming(isStream: isStream, random: random)
        random = SeededGenerator(seed: random.next())
        let inside = random.pick(["", "text", "<body>x</body>", "a > b", markup.stanza(), "<b id='2'/>"])
        let gap = random.pick(["", "", "\n", "\r\n ", markup.gap()])
        return gap + (random.chance(20) ? tag + "/>" : tag + ">" + inside + "</" + name + ">")
    }

    private struct Outcome: Equatable {
        /// Standard output before the first mistake.
        var beginning: [UInt8] = []
        /// All of it.
        var output: [UInt8] = []
        var results = 0
        var stanzas = 0
        var mistakes: [String] = []
        /// The results that first tags gave.
        var answered = 0
    }

    /// Searches an input that arrives in pieces.
    private static func outcome(
        of input: [UInt8], isStream: Bool, _ query: Query<QueryValue>, _ format: OutputFormat, withTags: Bool,
        withFilter: Bool = false, _ random: inout SeededGenerator
    ) -> Outcome {
        var settings = ReadingSettings(format: isStream ? .stream : .fragments)
        if withTags {
            if withFilter { settings.prefilters = [query.prefilter] }
            settings.firstTag = query.tagQuery.map { FirstTag($0, printsResults: format == .text) }
        }
        let formatter = ResultFormatter(format: format, showsSource: false)
        let evaluator = Evaluator(queries: .one(query), settings: settings, formatter: formatter, stopsAtFirst: false)
        let reader = StanzaReader(settings)
        var findings = Findings()
        var outcome = Outcome()
        func take() {
            while let item = reader.next() {
                if case .results(let results) = item { outcome.answered += results.count }
                evaluator.evaluate(item, from: "-", &findings) { _ in true }
            }
        }
        let longest = random.pick([1, 20, 200, 200, 1_000, 10_000])
        var place = 0
        while place < input.count, !reader.hasEnded {
            let end = min(input.count, place + Int.random(in: 1...longest, using: &random))
            if random.chance(50), let room = reader.room(longest) {
                room.copyBytes(from: input[place..<end])
                reader.feed(written: end - place)
            } else {
                input[place..<end].withUnsafeBytes { reader.feed($0) }
            }
            // A caller may take the items later.
            if random.chance(80) { take() }
            place = end
        }
        take()
        if !reader.hasEnded { reader.finish() }
        take()
        findings.addPassedOver(by: reader)
        findings.endOutput()
        for part in findings.parts {
            switch part {
            case .output(let bytes):
                outcome.output += bytes
                if outcome.mistakes.isEmpty { outcome.beginning += bytes }
            case .report(let text, _): outcome.mistakes.append(text)
            }
        }
        outcome.results = findings.counts.all
        outcome.stanzas = findings.stanzas
        return outcome
    }

    private static func input(isStream: Bool, _ random: inout SeededGenerator) -> [UInt8] {
        var stanzas = (0..<random.pick([1, 2, 8])).map { _ in Array(stanza(&random, isStream: isStream).utf8) }
        for _ in 0..<random.pick([0, 0, 1, 2]) {
            let changed = random.number(0...stanzas.count - 1)
            let place = random.number(0...min(80, stanzas[changed].count))
            let change = Array(random.pick(changes).utf8)
            let end = random.chance(30) ? min(place + change.count, stanzas[changed].count) : place
            stanzas[changed].replaceSubrange(place..<end, with: change)
        }
        let all = Array(stanzas.joined())
        return isStream ? Array(streamHeader.utf8) + all + Array("</stream:stream>".utf8) : all
    }

    @Test("gives the results of the parser")
    func property() throws {
        let queries =
            try Self.queries.map { (try Query($0), OutputFormat.text) }
            + (Self.queries + Self.counted).map { (try Query($0), OutputFormat.count) }
        let cases = SeededGenerator.cases(default: 1_500)
        var (wellFormed, results, answered, more) = (0, 0, 0, 0)
        for number in 0..<cases {
            var random = SeededGenerator(salt: 0x5441_4753 &+ UInt64(number))
            let (isStream, withFilter) = (random.chance(50), random.chance(50))
            let input = Self.input(isStream: isStream, &random)
            let (query, format) = random.pick(queries)
            let strict = Self.outcome(of: input, isStream: isStream, query, format, withTags: false, &random)
            let fast = Self.outcome(
                of: input, isStream: isStream, query, format, withTags: true, withFilter: withFilter, &random)
            let isGood: Bool
            if strict.mistakes.isEmpty {
                wellFormed += 1
                results += strict.results
                answered += fast.answered
                var same = fast
                same.answered = 0
                isGood = same == strict
            } else {
                isGood = withFilter || fast.output.starts(with: strict.beginning)
                if fast.results > strict.results { more += 1 }
            }
            if !isGood {
                let text = String(decoding: input, as: UTF8.self)
                Issue.record(
                    "STANZA_SEED=\(SeededGenerator.seed), case \(number): \(query): \(text)\n\(strict)\n\(fast)")
                return
            }
        }
        print(
            "first tags: \(cases) inputs, \(wellFormed) well-formed; \(answered) of \(results) results; \(more) with more"
        )
        #expect(wellFormed * 100 > cases * 40)
        #expect(answered * 100 > results * 50)
    }
}
