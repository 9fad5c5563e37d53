// The compiled form of queries: the instructions of every kind of segment, filter and extraction, room for values of
// any length, and several mistakes at once.

import QuerySyntax
import QueryTools
import Testing
import XMLTree

@testable import StanzaQuery

@Suite struct CompilerTests {
    /// The steps, as traces show them, without the last one of results that are elements.
    @Test(arguments: [
        // Paths.
        ("", ""), ("a", "child a"), ("{u}a", "child {u}a"), ("{*}a", "child {*}a"), ("{u}", "child {u}*"),
        ("*", "child *"), ("{*}", "child {*}*"), ("!a", "child *; not a"), ("{u}!a", "child {u}*; not a"),
        ("a/{u}b", "child a; child {u}b, else 0"), ("/{u}a", "own {u}a"), ("/*", "own *"), ("/{*}*", ""),
        ("/{*}!a", "not a"), ("/a/b", "own a; child b"),
        // Ascending.
        ("../..", "ascend; ascend"), ("/a/..", "own a; ascend"), ("a/../..", "child a; leave; ascend"),
        ("a/b/../..", "child a; child b, else 0; leave else 0; leave"),
        ("a/b/../c", "child a; child b, else 0; leave else 0; child c, else 0"),
        // Filters.
        ("/<k=v><j=%%>", #"filter k = "v"; filter j = "%""#), ("/<{u}k=x%@>", #"filter {u}k = "x" %@"#),
        ("/<p:k=%d>", "filter p:k = %d"), ("/<xmlns=u>", "own <xmlns=u>"), ("/<xmlns=%@>", "filter xmlns = %@"),
        ("/<k~^.*$>", "filter k exists"), ("/<xmlns~^>", "filter xmlns exists"), ("/<k~^v$>", #"filter k = "v""#),
        ("/<k~^v>", #"filter k begins with "v""#), ("/<k~v$>", #"filter k ends with "v""#),
        ("/<k~v>", #"filter k contains "v""#), ("/<k~^(?:v|w|)$>", #"filter k = "v" | "w" | """#),
        ("/<k~[vw]>", "filter k ~ /[vw]/ (unanchored)"), ("/<{u}k~^[vw]>", "filter {u}k ~ /^[vw]/"),
        // Extractions.
        ("@k", "yield @k"), ("@p:k", "yield @p:k"), ("@{u}k", "yield @{u}k"), ("@xmlns", "yield @xmlns"),
        ("@@", "yield attributes"), ("/#", "yield text"), ("/$", "yield name"), ("@k|int", "yield @k as int"),
        (#"/{*}\\"#, "yield form of any type"), (#"/{*}\{t}form[2]\"#, "yield form {t}form[2]"),
        (#"/{*}\@f\|int"#, #"yield value of "f" as int"#), (#"/{*}\&f\"#, #"yield description of "f""#),
        ("a\\\\", "child a; yield form of any type"), (#"\\"#, "child {jabber:x:data}x; yield form of any type"),
    ])
    func steps(query: String, steps: String) throws {
        let all = steps.contains("yield") ? [steps] : [steps, "yield element"].filter { !$0.isEmpty }
        #expect(try Query(query).stepTexts == all.joined(separator: "; "))
    }

    @Test func stepsWithOptions() throws {
        for (query, steps) in [
            ("/<k=v>", #"filter k = "v" ignoring case"#), ("/<k=%@>", "filter k = %@ ignoring case"),
            ("/<xmlns=u>", #"filter xmlns = "u" ignoring case"#), ("/<k~^v$>", "filter k ~ /^v$/"),
            ("/<k~^.*$>", "filter k exists"),
        ] {
            #expect(try Query(query, options: .caseInsensitiveFilters).stepTexts == steps + "; yield element")
        }
        #expect(try Query("@k|int", options: .strictConversions).stepTexts == "yield @k strictly as int")
    }

    /// The parser counts the room of a program, and the compiler fills it. Lengths have prefixes of one to five bytes.
    @Test func programsHaveRoomForValuesOfAnyLength() throws {
        for length in Array(0...200) + [4_095, 4_096, 8_191, 8_192, 16_383, 16_384, 60_000] {
            let value = String(repeating: "x", count: length)
            #expect(try Self.finds("/<b=\(value)%%>", value + "%"))
            #expect(try !Self.finds("/<b=\(value)\(value)%%y>", value + "%"))
            if length == 0 || length > 200 { continue }
            let list = (1...length).map { "v\($0)" }.joined(separator: "|")
            #expect(try Self.finds("/<b~^(\(list))$>", "v\(length)"))
        }
        // 80 bytes of steps, 60 of places, and the empty string.
        #expect(try Query("{http://jabber.org/protocol/pubsub}pubsub/items<node=%@>/item@id").programByteCount == 141)
    }

    private static func finds(_ query: String, _ value: String) throws -> Bool {
        try Element(parsing: "<a b='\(value)'/>").check(Query(query))
    }

    @Test func mistakesOfAllKindsAreSortedByPlace() throws {
        let error = try #require(queryError { _ = try Query("a<k~ab(>/b<k~[>@c|integer") })
        #expect(error.diagnostics.map(\.kind) == [.invalidRegex, .invalidRegex, .unknownConversion])
        #expect(error.diagnostics.map(\.range) == [4..<7, 13..<14, 18..<25])
        #expect(error.range == 4..<7 && error.source == "a<k~ab(>/b<k~[>@c|integer")
        guard case .invalidRegex(let message, let offset) = error.first.problem else {
            Issue.record("not an invalid regex: \(error)")
            return
        }
        #expect(offset == 3 && error.description.contains(message) && message.contains("parenthes"))
    }
}

extension Query {
    fileprivate var stepTexts: String { QueryStatistics(of: self).steps.map(\.instruction).joined(separator: "; ") }
}
