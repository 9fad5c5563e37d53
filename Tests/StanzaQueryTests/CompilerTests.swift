// The compiled form of queries: the instructions of every kind of segment, filter and extraction, and spellings that
// give the same program.

import QuerySyntax
import QueryTools
import Testing

@testable import StanzaQuery

@Suite struct CompilerTests {
    private struct Listing: Sendable {
        let topic: String
        /// Queries and the names of their instructions, separated by spaces.
        let programs: [(query: String, mnemonics: String)]
    }

    private static let listings = [
        Listing(
            topic: "paths",
            programs: [
                ("", "yield.element"),
                ("a", "children.named.inherited yield.element"),
                ("{u}a", "children.named yield.element"),
                ("{*}a", "children.named.anywhere yield.element"),
                ("{u}", "children.in yield.element"),
                ("{u}*", "children.in yield.element"),
                ("*", "children.inherited yield.element"),
                ("{*}", "children.all yield.element"),
                ("{*}*", "children.all yield.element"),
                ("!a", "children.inherited is.not.named yield.element"),
                ("{u}!a", "children.in is.not.named yield.element"),
                ("{*}!a", "children.all is.not.named yield.element"),
                ("a/{u}b", "children.named.inherited children.named yield.element"),
            ]),
        Listing(
            topic: "rooted paths",
            programs: [
                ("/a", "is.named.inherited yield.element"),
                ("/{u}a", "is.named yield.element"),
                ("/{*}a", "is.named.anywhere yield.element"),
                ("/{u}", "is.in yield.element"),
                ("/{u}*", "is.in yield.element"),
                ("/*", "is.inherited yield.element"),
                ("/{*}", "yield.element"),
                ("/{*}*", "yield.element"),
                ("/!a", "is.inherited is.not.named yield.element"),
                ("/{u}!a", "is.in is.not.named yield.element"),
                ("/{*}!a", "is.not.named yield.element"),
                ("/a/b", "is.named.inherited children.named.inherited yield.element"),
            ]),
        Listing(
            topic: "ascending",
            programs: [
                ("..", "ascend yield.element"),
                ("/..", "ascend yield.element"),
                ("../..", "ascend ascend yield.element"),
                ("a/..", "children.named.inherited leave yield.element"),
                ("a/b/../..", "children.named.inherited children.named.inherited leave leave yield.element"),
                ("a/../..", "children.named.inherited leave ascend yield.element"),
                ("../a/..", "ascend children.named.inherited leave yield.element"),
                ("/a/..", "is.named.inherited ascend yield.element"),
            ]),
        Listing(
            topic: "filters for equality",
            programs: [
                ("a<k=v>", "children.named.inherited attribute.equals yield.element"),
                ("a<k=%%>", "children.named.inherited attribute.equals yield.element"),
                ("a<k=v><j=w>", "children.named.inherited attribute.equals attribute.equals yield.element"),
                ("a<k=%d>", "children.named.inherited attribute.equals.argument yield.element"),
                ("a<p:k=v>", "children.named.inherited load.attribute.resolved equals yield.element"),
                ("a<{u}k=v>", "children.named.inherited load.attribute.resolved equals yield.element"),
                ("a<{u}k=%@>", "children.named.inherited load.attribute.resolved equals.argument yield.element"),
                ("a<xmlns=u>", "children.named.inherited is.in yield.element"),
                ("a<xmlns=%@>", "children.named.inherited load.namespace equals.argument yield.element"),
                ("/<k=v>", "attribute.equals yield.element"),
            ]),
        Listing(
            topic: "filters for patterns",
            programs: [
                ("a<k~^.*$>", "children.named.inherited attribute.exists yield.element"),
                ("a<k~.*>", "children.named.inherited attribute.exists yield.element"),
                ("a<k~^>", "children.named.inherited attribute.exists yield.element"),
                ("a<p:k~^.*$>", "children.named.inherited load.attribute.resolved drop yield.element"),
                ("a<xmlns~^.*$>", "children.named.inherited load.namespace drop yield.element"),
                ("a<k~^v$>", "children.named.inherited attribute.equals yield.element"),
                ("a<k~^v>", "children.named.inherited load.attribute has.prefix yield.element"),
                ("a<k~v$>", "children.named.inherited load.attribute has.suffix yield.element"),
                ("a<k~v>", "children.named.inherited load.attribute contains yield.element"),
                ("a<k~^(v|w)$>", "children.named.inherited load.attribute is.one.of yield.element"),
                ("a<k~^(?:v|w)$>", "children.named.inherited load.attribute is.one.of yield.element"),
                ("a<k~[vw]>", "children.named.inherited load.attribute matches yield.element"),
                ("a<{u}k~[vw]>", "children.named.inherited load.attribute.resolved matches yield.element"),
                ("a<xmlns~[vw]>", "children.named.inherited load.namespace matches yield.element"),
            ]),
        Listing(
            topic: "extractions",
            programs: [
                ("a@k", "children.named.inherited load.attribute yield.string"),
                ("a@p:k", "children.named.inherited load.attribute.resolved yield.string"),
                ("a@{u}k", "children.named.inherited load.attribute.resolved yield.string"),
                ("a@xmlns", "children.named.inherited load.namespace yield.string"),
                ("a@@", "children.named.inherited yield.attributes"),
                ("a#", "children.named.inherited yield.text"),
                ("a$", "children.named.inherited load.name yield.string"),
                ("a@k|int", "children.named.inherited load.attribute yield.converted"),
                ("a#|bool", "children.named.inherited yield.text.converted"),
                ("a#|uuid", "children.named.inherited load.text yield.converted"),
                ("\\\\", "children.named yield.form"),
                ("a\\@f\\", "children.named.inherited yield.field.text"),
                ("a\\@f\\|int", "children.named.inherited load.field yield.converted"),
                ("a\\&f\\", "children.named.inherited yield.field.description"),
            ]),
    ]

    @Test(arguments: listings.indices) func instructions(_ group: Int) throws {
        for (query, mnemonics) in Self.listings[group].programs {
            let found = try Query(query).mnemonics
            #expect(
                found == mnemonics.split(separator: " ").map(String.init), "\(query), \(Self.listings[group].topic)")
        }
    }

    @Test func instructionsThatIgnoreCase() throws {
        let programs = [
            ("a<k=v>", "children.named.inherited load.attribute equals.caseless yield.element"),
            ("a<k=%@>", "children.named.inherited load.attribute equals.argument.caseless yield.element"),
            ("a<xmlns=u>", "children.named.inherited load.namespace equals.caseless yield.element"),
            ("a<k~^v$>", "children.named.inherited load.attribute matches yield.element"),
            ("a<k~^.*$>", "children.named.inherited attribute.exists yield.element"),
        ]
        for (query, mnemonics) in programs {
            let found = try Query(query, options: .caseInsensitiveFilters).mnemonics
            #expect(found == mnemonics.split(separator: " ").map(String.init), "\(query)")
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
                #expect(Array(program.listing) == Array(programs[0].listing), "\(query) and \(group[0])")
                #expect(program.constants == programs[0].constants, "\(query) and \(group[0])")
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
                    Array(program.listing) == Array(other.listing) && program.constants == other.constants
                #expect(!isSame, "\(queries[index])")
            }
        }
    }

    @Test func anInstructionIsSixteenBytes() {
        #expect(MemoryLayout<Instruction>.stride == 16)
    }

    @Test func programsAreSmall() throws {
        let query = try Query("{http://jabber.org/protocol/pubsub}pubsub/items<node=%@>/item@id")
        #expect(query.program.instructionCount == 6)
        // 96 of instructions, 240 of steps, and 69 of strings and names.
        #expect(query.program.byteCount == 405)
        #expect(query.program.steps.capacity == query.program.steps.count)
    }

    /// Rule 6.4.
    @Test func programsDoNotDependOnArguments() throws {
        let query = try Query("a<k=x%@><j=%d>@k")
        let before = Array(query.program.listing)
        let constants = query.program.constants
        let root = try element("<r><a k='x1' j='2'/><a k='xy' j='3'/></r>")
        #expect(try root.find(query, "1", 2).map(\.string) == ["x1"])
        #expect(try root.find(query, "y", 3).map(\.string) == ["xy"])
        #expect(Array(query.program.listing) == before)
        #expect(query.program.constants == constants)
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
        for part in ["{urn:x}items", "node", "%@", "item", "\"v\"", "id", "int", "( p -- p c )"] {
            #expect(listing.contains(part), "\(part) in\n\(listing)")
        }
        #expect(listing.split(separator: "\n").count == 6)
    }
}

extension Program {
    /// The constants as comparable text, without their places in the query.
    fileprivate var constants: [String] {
        let bytes = UnsafeBufferPointer(start: strings, count: stringByteCount).map { String($0) }
        return bytes + [
            "\(stringLists)", "\(patterns.map { ($0.isAnchored) })", "\(attributes)", "\(forms)",
            "\(valueSteps.map { $0.specifier?.description ?? "\($0)" })",
        ]
    }
}

extension Query {
    /// The instructions' names in order.
    fileprivate var mnemonics: [String] { program.listing.map(\.definition.mnemonic) }
}
