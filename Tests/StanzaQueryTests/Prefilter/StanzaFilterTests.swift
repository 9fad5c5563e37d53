// The filter of bytes: which stanzas it passes over, and the search for a text in bytes.

import TestSupport
import Testing

@testable import QueryTools
@testable import StanzaQuery

@Suite("Stanza filter") struct StanzaFilterTests {
    static func admits(
        _ text: String, _ queries: [Query<QueryValue>], _ format: StanzaFilter.Format
    ) throws -> Bool {
        var filter = try #require(StanzaFilter(queries.map(\.prefilter), format))
        filter.begin()
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { filter.admits(0..<$0.count, of: $0) }
    }

    @Test(
        "passes over stanzas without a name or a value of each query",
        arguments: [
            (.xml, ["/body"], "<a><body/></a>", true), (.xml, ["/body"], "<a><n:body>x</n:body></a>", true),
            (.xml, ["/body"], "<a>body</a>", false), (.xml, ["/body"], "<a><bodys/></a>", false),
            (.xml, ["/body"], "<a><abody/></a>", false), (.xml, ["/body@id"], "<a><body/></a>", false),
            (.xml, ["/body@id"], "<a><body\nid = ''/></a>", true),
            (.xml, ["/<type=error>"], "<a type='error'/>", true), (.xml, ["/<type=error>"], "<a type='get'/>", false),
            (.xml, ["/<type=error>"], "<a type='&#101;rror'/>", true),
            (.xml, ["/<type=error>"], "<a type='get'>&amp;</a>", false),
            (.xml, ["/<type=error>"], "<a type='get' b='>' c='&lt;'/>", true),
            (.xml, ["/body", "/subject"], "<a><body/></a>", true),
            (.xml, ["/body", "/subject"], "<a><subject/></a>", true),
            (.xml, ["/body", "/subject"], "<a><thread/></a>", false),
            (.json, ["/body"], #"{"xml": "<a><body/></a>"}"#, true),
            (.json, ["/body"], #"{"xml": "<a><bo\u0064y/></a>"}"#, true),
            (.json, ["/body"], #"{"xml": "<a>\u003cbody/></a>"}"#, true),
            (.json, ["/body"], #"{"xml": "\u003ca/>"}"#, false), (.json, ["/body"], #"{"xml": "<bodys/>"}"#, false),
            (.json, ["/body@id"], #"{"xml": "<a><body\nid=\"\"/></a>"}"#, true),
            (.json, ["/<type=error>"], #"{"xml": "<a type='get'/>"}"#, false),
            (.json, ["/<type=error>"], #"{"xml": "<a type='get'>&amp;</a>"}"#, true),
            (.json, ["/<type=error>"], #"{"xml": "<a type='\u0026#101;rror'/>"}"#, true),
        ] as [(StanzaFilter.Format, [String], String, Bool)])
    func examples(format: StanzaFilter.Format, queries: [String], text: String, expected: Bool) throws {
        #expect(try Self.admits(text, queries.map { try Query($0) }, format) == expected)
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
            let expected = try row.map { try Self.admits($0, queries.map { try Query($0) }, format) }
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
