// Queries and values made to hurt: a megabyte of anything, more mistakes than a reader needs, values that patterns
// choke on. MachineTests.swift tests the cost of many segments, RobustnessTests.swift the syntax alone.

import QuerySyntax
import TestSupport
import Testing

@testable import StanzaQuery

@Suite(.serialized) struct HostileQueriesTests {
    /// Bad patterns count like all other mistakes, and the compiler looks for no more of them than it reports.
    @Test func badPatternsWithoutNumber() {
        for query in [
            String(repeating: "a<b~(>/", count: 20_000) + "a", String(repeating: "a<b~(>//", count: 1_000),
            "a<b~(><b~[>" + String(repeating: "/!", count: 100),
        ] {
            let error = queryError { _ = try Query(query) }
            #expect(error?.diagnostics.count == QueryLimits.diagnostics)
            #expect(error?.first.kind == .invalidRegex)
            #expect(error?.range == 4..<5)
        }
    }

    private static let megabyte = 1 << 20

    private static func repeated(_ piece: String) -> String {
        String(repeating: piece, count: megabyte / piece.utf8.count)
    }

    /// A megabyte of a query compiles, and finds the results of a short one, or none.
    @Test func megabytesThatAreQueries() throws {
        let long = Self.repeated("n")
        let root = MutableElement("r", attributes: ["k": long])
        root.add(MutableElement("a", namespace: .uri(long), attributes: ["k": "1"], text: "x"))
        for (query, count) in [
            (long, 0), ("!\(long)", 0), ("{\(long)}a", 1), ("{\(long)}a#", 1), ("/<k=\(long)>", 1),
            ("/<k=\(long)n>", 0),
            ("/@\(long)", 0), ("{*}a@{\(long)}k", 0), ("\\@\(long)\\", 0),
            ("\\[\(Self.repeated("9"))]\\", 0), ("{*}a\(Self.repeated("<k=1>"))@k|int", 1),
            (Self.repeated("../") + "..", 1),
        ] {
            let compiled = try Query(query)
            #expect(compiled.program.stepCount <= query.utf8.count / 3 + 2, "\(query.prefix(20))")
            #expect(try root.find(compiled).count == count, "\(query.prefix(20))")
            #expect(try root.check(compiled) == (count > 0), "\(query.prefix(20))")
        }
        #expect(try root.check("/<k=%@>", long))
        // PCRE2 refuses patterns that are too large for it.
        #expect(queryError { _ = try Query(String("a<k~\(Self.repeated("(x)"))>")) }?.kind == .invalidRegex)
    }

    /// A megabyte of mistakes is refused with few words, in a time that grows as the text does.
    @Test func megabytesThatAreNone() {
        for piece in ["/", "!", "a@", "<", "{", "\\", "|", "a<b=%", "\u{1}", "\u{10FFFD}", "a|x/", "a#/", "a<b~(>"] {
            var error: QueryError?
            let text = Self.repeated(piece)
            let short = String(text.prefix(text.count / 16))
            let growth = growth(
                from: { _ = try? Query(short) }, to: { error = queryError(piece) { _ = try Query(text) } }, below: 100)
            #expect(error.map { (1...QueryLimits.diagnostics).contains($0.diagnostics.count) } == true, "\(piece)")
            #expect((error?.description.unicodeScalars.count ?? .max) < 1_500, "\(piece)")
            #expect(growth < 100, "\(piece)")
        }
    }

    /// Sixteen times the length must not take a hundred times the time, as the article on limits promises.
    @Test(arguments: [
        ("", "n", ""), ("!", "n", ""), ("{", "n", "}a#"), ("/<k=", "n", ">"), ("/@", "n", ""), ("{*}a@{", "n", "}k"),
        ("\\@", "n", "\\"), ("\\[", "9", "]\\"), ("{*}a", "<k=1>", "@k|int"), ("", "../", ".."), ("", "a/", "a"),
        ("a", "<k=%d>", ""), ("a<k=", "%d", ">"), ("", "{u}a<b=c>/", "a"),
    ])
    func compilingIsLinear(_ beginning: String, _ piece: String, _ end: String) throws {
        func query(_ count: Int) -> String { beginning + String(repeating: piece, count: count) + end }
        let (short, long) = (query(2_048), query(32_768))
        let growth = try growth(
            from: { _ = try Program.compile(short) }, to: { _ = try Program.compile(long) }, below: 100)
        #expect(growth < 100, "\(beginning)\(piece)…")
    }

    /// The evaluation counts arguments first, and their number never grows.
    @Test func manyArguments() throws {
        let root = try element("<r><a k='7'/></r>")
        let query = try Query("a" + String(repeating: "<k=%d>", count: 10_000))
        #expect(query.argumentCount == 10_000)
        let sevens: [any QueryArgument] = Array(repeating: 7, count: 10_000)
        #expect(try root.check(query.binding(arguments: sevens)))
        #expect(queryError { _ = try root.check(query.binding(arguments: sevens + [7])) }?.kind == .arguments)
        #expect(queryError { _ = try root.check(query.binding(arguments: sevens.dropLast())) }?.kind == .arguments)
    }

    /// Values of 64 KiB against patterns with too many ways to match: the limit error, in less than a second.
    @Test func catastrophicPatterns() throws {
        for (pattern, piece) in [
            ("^(a+)+$", "a"), ("^(a|aa)+$", "a"), ("^(a*)*$", "a"), ("^(a|a)*[cd]", "a"), ("^(.*)*\\d", "a"),
            ("^(x+x+)+[yz]", "x"), ("^([a-z]+)*[A-Z]", "a"), ("^(([a-z])+.)+[A-Z]([a-z])+$", "a"), ("(a+)+$", "a"),
            (".*.*.*.*[=;]", "x"), ("(?=(a+))a*b\\1", "a"), ("\\w*\\w*\\w*\\W", "a"),
        ] {
            let count = (1 << 16) / piece.utf8.count
            let root = MutableElement("r", attributes: ["k": String(repeating: piece, count: count) + "!"])
            let query = try Query(String("/<k~\(pattern)>"))
            var kind: Diagnostic.Kind?
            let time = processorTime { kind = queryError(pattern) { _ = try root.check(query) }?.kind }
            #expect(kind == .regexLimit, "\(pattern)")
            #expect(time < 1, "\(pattern)")
        }
    }
}
