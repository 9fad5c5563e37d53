// The compiled form of queries: the instructions of every kind of segment, filter and extraction, and spellings that
// give the same program.

import QuerySyntax
import QueryTools
import Testing
import XMLTree

@testable import StanzaQuery

@Suite struct CompilerTests {
    private struct Listing: Sendable {
        let topic: String
        /// Queries and their steps.
        let programs: [(query: String, steps: String)]
    }

    private static let listings = [
        Listing(
            topic: "paths",
            programs: [
                ("", "yield element"),
                ("a", "child a; yield element"),
                ("{u}a", "child {u}a; yield element"),
                ("{*}a", "child {*}a; yield element"),
                ("{u}", "child {u}*; yield element"),
                ("{u}*", "child {u}*; yield element"),
                ("*", "child *; yield element"),
                ("{*}", "child {*}*; yield element"),
                ("{*}*", "child {*}*; yield element"),
                ("!a", "child *; not a; yield element"),
                ("{u}!a", "child {u}*; not a; yield element"),
                ("{*}!a", "child {*}*; not a; yield element"),
                ("a/{u}b", "child a; child {u}b, else 0; yield element"),
            ]),
        Listing(
            topic: "rooted paths",
            programs: [
                ("/a", "own a; yield element"),
                ("/{u}a", "own {u}a; yield element"),
                ("/{*}a", "own {*}a; yield element"),
                ("/{u}", "own {u}*; yield element"),
                ("/{u}*", "own {u}*; yield element"),
                ("/*", "own *; yield element"),
                ("/{*}", "yield element"),
                ("/{*}*", "yield element"),
                ("/!a", "own *; not a; yield element"),
                ("/{u}!a", "own {u}*; not a; yield element"),
                ("/{*}!a", "not a; yield element"),
                ("/a/b", "own a; child b; yield element"),
            ]),
        Listing(
            topic: "ascending",
            programs: [
                ("..", "ascend; yield element"),
                ("/..", "ascend; yield element"),
                ("../..", "ascend; ascend; yield element"),
                ("a/..", "child a; leave; yield element"),
                ("a/b/../..", "child a; child b, else 0; leave else 0; leave; yield element"),
                ("a/b/../c", "child a; child b, else 0; leave else 0; child c, else 0; yield element"),
                ("a/../..", "child a; leave; ascend; yield element"),
                ("../a/..", "ascend; child a; leave; yield element"),
                ("/a/..", "own a; ascend; yield element"),
            ]),
        Listing(
            topic: "filters for equality",
            programs: [
                ("a<k=v>", "child a; filter k = \"v\"; yield element"),
                ("a<k=%%>", "child a; filter k = \"%\"; yield element"),
                ("a<k=v><j=w>", "child a; filter k = \"v\"; filter j = \"w\"; yield element"),
                ("a<k=%d>", "child a; filter k = %d; yield element"),
                ("a<p:k=v>", "child a; filter p:k = \"v\"; yield element"),
                ("a<{u}k=v>", "child a; filter {u}k = \"v\"; yield element"),
                ("a<{u}k=x%@>", "child a; filter {u}k = \"x\" %@; yield element"),
                ("a<xmlns=u>", "child a; own <xmlns=u>; yield element"),
                ("a<xmlns=%@>", "child a; filter xmlns = %@; yield element"),
                ("/<k=v>", "filter k = \"v\"; yield element"),
            ]),
        Listing(
            topic: "filters for patterns",
            programs: [
                ("a<k~^.*$>", "child a; filter k exists; yield element"),
                ("a<k~.*>", "child a; filter k exists; yield element"),
                ("a<k~^>", "child a; filter k exists; yield element"),
                ("a<p:k~^.*$>", "child a; filter p:k exists; yield element"),
                ("a<xmlns~^.*$>", "child a; filter xmlns exists; yield element"),
                ("a<k~^v$>", "child a; filter k = \"v\"; yield element"),
                ("a<k~^v>", "child a; filter k begins with \"v\"; yield element"),
                ("a<k~v$>", "child a; filter k ends with \"v\"; yield element"),
                ("a<k~v>", "child a; filter k contains \"v\"; yield element"),
                ("a<k~^(v|w)$>", "child a; filter k = \"v\" | \"w\"; yield element"),
                ("a<k~^(?:v|w|)$>", "child a; filter k = \"v\" | \"w\" | \"\"; yield element"),
                ("a<k~[vw]>", "child a; filter k ~ /[vw]/ (unanchored); yield element"),
                ("a<{u}k~^[vw]>", "child a; filter {u}k ~ /^[vw]/; yield element"),
                ("a<xmlns~[vw]>", "child a; filter xmlns ~ /[vw]/ (unanchored); yield element"),
            ]),
        Listing(
            topic: "extractions",
            programs: [
                ("a@k", "child a; yield @k"),
                ("a@p:k", "child a; yield @p:k"),
                ("a@{u}k", "child a; yield @{u}k"),
                ("a@xmlns", "child a; yield @xmlns"),
                ("a@@", "child a; yield attributes"),
                ("a#", "child a; yield text"),
                ("a$", "child a; yield name"),
                ("a@k|int", "child a; yield @k as int"),
                ("a#|bool", "child a; yield text as bool"),
                ("a#|uuid", "child a; yield text as uuid"),
                ("\\\\", "child {jabber:x:data}x; yield form of any type"),
                ("a\\{t}form[2]\\", "child a; yield form {t}form[2]"),
                ("a\\@f\\", "child a; yield value of \"f\""),
                ("a\\@f\\|int", "child a; yield value of \"f\" as int"),
                ("a\\&f\\", "child a; yield description of \"f\""),
            ]),
    ]

    @Test(arguments: listings.indices) func steps(_ group: Int) throws {
        for (query, steps) in Self.listings[group].programs {
            #expect(try Query(query).stepTexts == steps, "\(query), \(Self.listings[group].topic)")
        }
    }

    @Test func stepsThatIgnoreCase() throws {
        let programs = [
            ("a<k=v>", "child a; filter k = \"v\" ignoring case; yield element"),
            ("a<k=%@>", "child a; filter k = %@ ignoring case; yield element"),
            ("a<xmlns=u>", "child a; filter xmlns = \"u\" ignoring case; yield element"),
            ("a<k~^v$>", "child a; filter k ~ /^v$/; yield element"),
            ("a<k~^.*$>", "child a; filter k exists; yield element"),
        ]
        for (query, steps) in programs {
            #expect(try Query(query, options: .caseInsensitiveFilters).stepTexts == steps, "\(query)")
        }
    }

    /// Each group: spellings of one query.
    private static let spellings = [
        ["@id", "/@id", "/{*}*@id", "/{*}@id"],
        ["@@", "/@@", "/{*}*@@"],
        ["#", "*#"],
        ["/#", "/{*}*#", "/{*}#"],
        ["/$", "/{*}$"],
        ["foo/@id", "foo@id"],
        ["foo/@@", "foo@@"],
        ["foo/#", "foo/*#"],
        ["foo/@id|int", "foo@id|int"],
        ["/<k=v>", "/{*}*<k=v>", "/{*}<k=v>"],
        ["{u}", "{u}*"],
        ["{*}", "{*}*"],
        ["..", "/.."],
        ["\\\\", "{jabber:x:data}x\\\\", "\\{*}*\\", "\\*\\"],
        ["<k=v>\\@f\\", "{jabber:x:data}x<k=v>\\@f\\"],
        ["a/\\\\", "a/{jabber:x:data}x\\\\"],
        ["../\\[0]\\", "../{jabber:x:data}x\\[0]\\", "../\\[000]\\"],
        ["a<k~^\\-$>", "a<k~^-$>"],
        ["a<k~^.*$>", "a<k~.*>", "a<k~^.*>", "a<k~^>"],
        ["a<k~^(v|w)$>", "a<k~^(?:v|w)$>"],
    ]

    @Test func spellingsOfOneProgram() throws {
        for group in Self.spellings {
            let programs = try group.map { try Query($0).program }
            for (query, program) in zip(group, programs) {
                #expect(Array(program.steps) == Array(programs[0].steps), "\(query) and \(group[0])")
                #expect(program.constantTexts == programs[0].constantTexts, "\(query) and \(group[0])")
            }
        }
    }

    @Test func differentQueriesAreDifferentPrograms() throws {
        let queries = [
            "a", "b", "{u}a", "{*}a", "a<k=v>", "a<k=w>", "a<j=v>", "a@k", "a#", "a|int", "/a", "a/a", "a/..", "!a",
        ]
        let programs = queries.compactMap { try? Query($0).program }
        #expect(programs.count == queries.count - 1, "'a|int' is not a query")
        for (index, program) in programs.enumerated() {
            for other in programs[..<index] {
                let isSame =
                    Array(program.steps) == Array(other.steps) && program.constantTexts == other.constantTexts
                #expect(!isSame, "\(queries[index])")
            }
        }
    }

    @Test func aStepIsSixteenBytes() {
        #expect(MemoryLayout<Step>.stride == 16)
        #expect(Step.Op.allCases.count <= 16)
    }

    @Test func programsAreSmall() throws {
        let query = try Query("{http://jabber.org/protocol/pubsub}pubsub/items<node=%@>/item@id")
        #expect(query.program.stepCount == 5)
        // 80 of steps, 60 of places, and the empty string.
        #expect(query.program.byteCount == 141)
    }

    /// The parser counts the room of a program, and the compiler fills it. Lengths have prefixes of one to five bytes.
    @Test func programsHaveRoomForValuesOfAnyLength() throws {
        for length in Array(0...200) + [4_000, 4_095, 4_096, 8_191, 8_192, 16_383, 16_384, 60_000] {
            let value = String(repeating: "x", count: length)
            #expect(try Self.finds("/<b=" + value + "%%>", value + "%"))
            #expect(try !Self.finds("/<b=" + value + value + "%%y>", value + "%"))
            if length == 0 || length > 200 { continue }
            let list = (1...length).map { "v\($0)" }.joined(separator: "|")
            #expect(try Self.finds("/<b~^(" + list + ")$>", "v\(length)"))
        }
    }

    private static func finds(_ query: String, _ value: String) throws -> Bool {
        try Element(parsing: "<a b='" + value + "'/>").check(Query(query))
    }

    /// Rule 6.4.
    @Test func programsDoNotDependOnArguments() throws {
        let query = try Query("a<k=x%@><j=%d>@k")
        let before = Array(query.program.steps)
        let constants = query.program.constantTexts
        let root = try element("<r><a k='x1' j='2'/><a k='xy' j='3'/></r>")
        #expect(try root.find(query, "1", 2).map(\.string) == ["x1"])
        #expect(try root.find(query, "y", 3).map(\.string) == ["xy"])
        #expect(Array(query.program.steps) == before)
        #expect(query.program.constantTexts == constants)
        #expect(query.argumentCount == 2)
    }

    @Test func kindsOfResults() throws {
        let kinds: [(String, ResultKind)] = [
            ("", .element), ("a/..", .element), ("a@k", .string), ("#", .string), ("a$", .string), ("@@", .attributes),
            ("@k|bool", .bool), ("@k|int", .int), ("@k|uint", .uint), ("@k|double", .double),
            ("@k|datetime", .datetime), ("@k|base64", .base64), ("@k|uuid", .uuid), ("@k|uuidcast", .uuid),
            ("\\\\", .form), ("\\@f\\", .string), ("\\@f\\|int", .int), ("\\&f\\", .field),
        ]
        for (query, kind) in kinds { #expect(try Query(query).resultKind == kind, "\(query)") }
        #expect(Set(kinds.map(\.1)) == Set(ResultKind.allCases))
    }

    @Test func mistakesOfAllKindsAreSortedByPlace() throws {
        let error = try #require(queryError { _ = try Query("a<k~(>/b<k~[>@c|integer") })
        #expect(error.diagnostics.map(\.kind) == [.invalidRegex, .invalidRegex, .unknownConversion])
        #expect(error.diagnostics.map(\.range) == [4..<5, 11..<12, 16..<23])
        #expect(error.range == 4..<5)
        #expect(error.source == "a<k~(>/b<k~[>@c|integer")
    }

    @Test func aQuotedPatternOffsetIsPartOfTheMessage() throws {
        let error = try #require(queryError { _ = try Query("a<k~ab(c>") })
        guard case .invalidRegex(let message, let offset) = error.first.problem else {
            Issue.record("not an invalid regex: \(error)")
            return
        }
        #expect(message.contains("parenthes"))
        #expect(offset == 4)
        #expect(error.description.contains("parenthes"))
    }

    @Test func listingsNameTheirConstants() throws {
        let listing = try Query("{urn:x}items<node=%@>/item<k~^v$>@id|int").listing
        for part in ["{urn:x}items", "node", "%@", "item", "\"v\"", "@id", "int", "( p -- p c )"] {
            #expect(listing.contains(part), "\(part) in\n\(listing)")
        }
        #expect(listing.split(separator: "\n").count == 5)
    }
}

extension Program {
    /// The constants as comparable text, without their places in the query.
    fileprivate var constantTexts: [String] {
        let bytes = UnsafeBufferPointer(start: strings, count: stringByteCount).map { String($0) }
        return bytes + [
            "\(parts.constants.patterns.map { $0.regex.isAnchored })", "\(parts.constants.prefixed)",
            "\(parts.constants.forms)", "\(values.map { $0.specifier?.description ?? "\($0)" })",
        ]
    }
}

extension Query {
    /// The steps, as traces show them.
    fileprivate var stepTexts: String { QueryStatistics(of: self).steps.map(\.instruction).joined(separator: "; ") }
}
