// The filter of bytes: which stanzas it passes over, and the search for a text in bytes.

import TestSupport
import Testing

@testable import QueryTools
@testable import StanzaQuery

@Suite("Stanza filter") struct StanzaFilterTests {
    private func admits(_ text: String, _ queries: [String], _ format: StanzaFilter.Format) throws -> Bool {
        var filter = try #require(StanzaFilter(queries.map { try Query($0).prefilter }, format))
        filter.begin()
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { filter.admits(0..<$0.count, of: $0) }
    }

    @Test(
        "passes over stanzas of XML without a name or a value",
        arguments: [
            ("/body", "<a><body/></a>", true), ("/body", "<a><n:body>x</n:body></a>", true),
            ("/body", "<a>body</a>", false), ("/body", "<a><bodys/></a>", false), ("/body", "<a><abody/></a>", false),
            ("/body@id", "<a><body/></a>", false), ("/body@id", "<a><body\nid = ''/></a>", true),
            ("/<type=error>", "<a type='error'/>", true), ("/<type=error>", "<a type='get'/>", false),
            ("/<type=error>", "<a type='&#101;rror'/>", true), ("/<type=error>", "<a type='get'>&amp;</a>", false),
            ("/<type=error>", "<a type='get' b='>' c='&lt;'/>", true),
        ])
    func xml(query: String, text: String, expected: Bool) throws {
        #expect(try admits(text, [query], .xml) == expected)
    }

    @Test(
        "passes over lines of JSON without a name or a value",
        arguments: [
            ("/body", #"{"xml": "<a><body/></a>"}"#, true), ("/body", #"{"xml": "<a><bo\u0064y/></a>"}"#, true),
            ("/body", #"{"xml": "<a>\u003cbody/></a>"}"#, true), ("/body", #"{"xml": "\u003ca/>"}"#, false),
            ("/body@id", #"{"xml": "<a><body\nid=\"\"/></a>"}"#, true), ("/body", #"{"xml": "<bodys/>"}"#, false),
            ("/<type=error>", #"{"xml": "<a type='get'/>"}"#, false),
            ("/<type=error>", #"{"xml": "<a type='get'>&amp;</a>"}"#, true),
            ("/<type=error>", #"{"xml": "<a type='\u0026#101;rror'/>"}"#, true),
        ])
    func json(query: String, text: String, expected: Bool) throws {
        #expect(try admits(text, [query], .json) == expected)
    }

    @Test("admits stanzas that one of several queries needs")
    func several() throws {
        #expect(try admits("<a><body/></a>", ["/body", "/subject"], .xml))
        #expect(try admits("<a><subject/></a>", ["/body", "/subject"], .xml))
        #expect(try !admits("<a><thread/></a>", ["/body", "/subject"], .xml))
    }

    @Test("does not exist if any stanza may have a result")
    func none() throws {
        #expect(StanzaFilter([], .xml) == nil)
        #expect(StanzaFilter([try Query("/body").prefilter, try Query("/*").prefilter], .xml) == nil)
        #expect(StanzaFilter([try Query("/é").prefilter], .json) == nil)
        #expect(StanzaFilter([try Query("/é").prefilter], .xml) != nil)
    }

    @Test("decides about stanzas in a row as about each alone")
    func row() throws {
        let stanzas = [
            "<a><body/></a>", "<a><thread/></a>", "<a x='body'>&amp;</a>", "<a type='error'/>", "<a type='get'/>",
            "<a><bo\\u0064y/></a>", "<a type='err\\u006fr' y='&quot;'/>",
        ]
        let sets = [["/body"], ["/body", "/thread"], ["/<type=error>"], ["/body", "/<type=error>"], ["/body@x"]]
        var random = SeededGenerator(salt: 0x524F_57)
        for number in 0..<SeededGenerator.cases(default: 500) {
            let format = random.chance(50) ? StanzaFilter.Format.xml : .json
            let queries = random.pick(sets)
            let row = (0..<20).map { _ in random.pick(stanzas) }
            var filter = try #require(StanzaFilter(queries.map { try Query($0).prefilter }, format))
            filter.begin()
            var start = 0
            let found = Array(row.joined().utf8).withUnsafeBytes { bytes in
                row.map { stanza in
                    defer { start += stanza.utf8.count }
                    return filter.admits(start..<start + stanza.utf8.count, of: bytes)
                }
            }
            let expected = try row.map { try admits($0, queries, format) }
            #expect(found == expected, "STANZA_SEED=\(SeededGenerator.seed), case \(number)")
            if found != expected { return }
        }
    }

    @Test("finds a text at every place that it has, and no other")
    func search() {
        var random = SeededGenerator(salt: 0x4C49_5445)
        for number in 0..<SeededGenerator.cases(default: 10_000) {
            let letters: [UInt8] = random.pick([[1, 2], Array("ab>".utf8), [1, 1, 1, 1, 1, 1, 2]])
            var bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in random.pick(letters) }
            var text = (0..<Int.random(in: 1...20, using: &random)).map { _ in random.pick(letters) }
            if random.chance(50) {
                // Its letters are rare: blocks without it are passed over as a whole.
                bytes = bytes.map { _ in random.chance(1) ? 3 : 0 }
                text = text.map { _ in random.chance(50) ? 3 : 0 }
                text[0] = 3
                if bytes.count > text.count, random.chance(50) {
                    let place = Int.random(in: 0...bytes.count - text.count, using: &random)
                    bytes.replaceSubrange(place..<place + text.count, with: text)
                }
            }
            let (start, end) = (Int.random(in: 0...bytes.count, using: &random), bytes.count)
            let expected = (start..<max(start, end - text.count + 1)).first { bytes[$0...].starts(with: text) }
            let found = bytes.withUnsafeBytes { LiteralSearch(text).next(in: $0, from: start, to: end) }
            #expect(found == expected, "STANZA_SEED=\(SeededGenerator.seed), case \(number)")
            if found != expected { return }
        }
    }
}
