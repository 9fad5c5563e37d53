// The scanning of sources: nested calls, arguments as formatters write them, literals that resemble others, and places
// exact to the character.

import StanzaLint
import Testing

struct ScanningTests {
    // MARK: Arguments

    @Test func aTrailingCommaIsNotAnArgument() {
        #expect(findings(#"try iq.find("/<id=%@>", id,)"#, .swift) == [])
        #expect(findings(#"x.find("a",)"#, .swift) == [])
        #expect(findings("x.find(\n    \"/<id=%@>\",\n    id,  // whose\n)", .swift) == [])
        #expect(findings(#"x.find("/<id=%@>",)"#, .swift) == ["1:9 arguments"])
        #expect(findings(#"x.find("/<id=%@>", a, b,)"#, .swift) == ["1:9 arguments"])
    }

    @Test func argumentsOfTypesAreNotCounted() {
        #expect(findings(#"x.find("/<id=%@>", Pair<A, B>.name)"#, .swift) == [])
        #expect(findings(#"x.find("/<id=%@>", [Pair<A, B>.name][0], c)"#, .swift) == ["1:9 arguments"])
        // A comparison is not a list of types.
        #expect(findings(#"x.find("/<id=%@>", a < b, c)"#, .swift) == ["1:9 arguments"])
    }

    @Test func callsInsideOfCallsAreLookedAt() {
        #expect(
            findings(#"[iq find:@"/<id=%@>", [other findFirst:@"@id|integer"]]"#, .objectiveC)
                == ["1:46 unknownConversion"])
        #expect(
            findings(#"a.check("/<id=%@>", b.findFirst("@id|integer", as: String.self) ?? "")"#, .swift)
                == ["1:38 unknownConversion"])
        #expect(findings(#"a.find("b/<id=%@>", c.check("a//b"), d.check("a//b"))"#, .swift).count == 3)
    }

    // MARK: Literals

    @Test(arguments: [##"#"""#"##, ###"##"""##"###, ##"#""""#"##, ##"#"" ""#"##])
    func aRawLiteralOfQuotesIsOfOneLine(literal: String) {
        #expect(findings("let q = \(literal)\nx.find(\"a@b|integer\")", .swift) == ["2:13 unknownConversion"])
    }

    @Test func aRawLiteralMayHaveLines() {
        #expect(findings("x.find(#\"\"\"\n  a@b|integer\n  \"\"\"#)", .swift) == ["2:7 unknownConversion"])
    }

    // MARK: Literals beside strings

    @Test(arguments: [
        (#"Query(b ? "c<d=\(e)>" : f)"#, ["1:16"]), (#"Query(b ? f : "c<d=\(e)>")"#, ["1:20"]),
        (#"Query(f ?? "c<d=\(e)>")"#, ["1:17"]), (#"Query("c<d=\(e)>" + f, as: g)"#, ["1:12"]),
        (#"Query(b == c ? f : d ? "\(e)" : "g\(h)")"#, ["1:25", "1:35"]), (#"Query("c\(e)" + "d")"#, ["1:9"]),
        (#"Query.init(try f() ?? "\(e)", options: [])"#, ["1:24"]),
        // In text order.
        (#"Query(b.check("a//b") ? "c\(e)" : f ?? g)"#, ["1:18", "1:27"]),
    ]) func literalsBesideStrings(source: String, places: [String]) {
        let found = Linter(unsure: .check).findings(in: source, language: .swift)
        #expect(found.map { "\($0.start.line):\($0.start.column)" } == places)
        #expect(found.filter { $0.rule != .error(.syntax) }.allSatisfy { $0.rule == .splicedInterpolation })
        let others = Linter(disabled: [.splicedInterpolation], unsure: .check).findings(in: source, language: .swift)
        #expect(others.allSatisfy { $0.rule == .error(.syntax) })
    }

    @Test(arguments: [
        // No string literal has an interpolation, or the call has no string literal.
        #"Query(b ? "c" : f)"#, #"Query(f ?? "c")"#, #"Query("c" + f)"#,
        #"Query(b ? "c\(e)" : "d")"#, #"Query(b + 1 == c ? "c\(e)" : "d\(e)")"#,
        // Inside conditions, calls and closures, but not next to them.
        #"Query(f == "c\(e)" ? "c" : f)"#, #"Query(f("c\(e)") ?? g)"#, #"Query(f ?? g("c\(e)"))"#,
        #"Query("c\(e)".lowercased() + f)"#, #"Query([f, "c\(e)"][0])"#, #"Query(f, "c\(e)")"#,
        // The expression has an explicit type.
        #"Query(b ? "c\(e)" as QueryLiteral : "d\(e)")"#, #"Query(b ? f : "c\(e)" as String)"#,
        // Other calls, which take no string, or unterminated ones.
        #"a.find(f ?? "c\(e)")"#, #"a.check("c\(e)" + f)"#, #"QuerySet(["c\(e)", f])"#, #"x.Query(f ?? "c\(e)")"#,
        #"Query(text: f ?? "c\(e)")"#,
    ]) func literalsThatAreQueries(source: String) {
        #expect(findings(source, .swift) == [])
    }

    // MARK: Places

    @Test func bytesThatAreNoTextKeepPlacesRight() {
        #expect(findings(#"[iq find:@"\xff@b|integer"]"#, .objectiveC) == ["1:19 unknownConversion"])
        #expect(findings(#"s:find("{\xff\xfe}a@b|integer")"#, .lua) == ["1:23 unknownConversion"])
        // Cut in the middle of a character: the remainder is one replacement character.
        #expect(findings(#"[iq find:@"\xe2\x82@b|integer"]"#, .objectiveC) == ["1:23 unknownConversion"])
        // Literals are joined before they are read as text.
        let joined = Linter(unsure: .check).findings(
            in: #"[iq find:@"\xe2" "\x82\xac@b|integer"]"#, language: .objectiveC)
        #expect(joined.map(\.query) == ["€@b|integer"])
        #expect(joined.map(\.start.column) == [30])
    }

    @Test(arguments: ["\n", "\r\n", "\r"]) func linesEndByLFByBothOrByCR(end: String) {
        let swift = "// a\(end)x.find(\"a@b|integer\")  // stanza-lint: ignore\(end)x.find(\"a@b|integer\")\(end)"
        #expect(findings(swift, .swift) == ["3:13 unknownConversion"])
        #expect(findings("// a\(end)[x find:@\"a@b|integer\"]", .objectiveC) == ["2:15 unknownConversion"])
        #expect(findings("// a \\\(end)[x find:@\"a@b|integer\"]", .objectiveC) == [])
        #expect(findings("-- a\(end)s:find(\"{u}a@b|integer\")", .lua) == ["2:16 unknownConversion"])
        let long = "x.find(\"\"\"\(end)  {u\(end)  v}a@b|integer\(end)  \"\"\")"
        #expect(findings(long, .swift) == ["3:9 unknownConversion"])
    }

    // MARK: Length

    /// With quadratic cost these would take many minutes.
    @Test(.timeLimit(.minutes(5)), arguments: SourceLanguage.allCases)
    func theCostIsLinear(language: SourceLanguage) {
        let hashes = String(repeating: "#", count: 1 << 18)
        #expect(findings(hashes, language) == [])
        #expect(findings("x.find(\"\\(\(hashes)", language) == [])
        let call = language == .objectiveC ? "[x find:@\"a//b\"];" : "x:find(\"a//b\");x.find(\"a//b\");"
        let spaces = String(repeating: " ", count: 1 << 18)
        #expect(findings(String(repeating: call, count: 4_000) + spaces, language).count == 4_000)
        // The scan of arguments has a limit: it does not reach the end of nested arguments.
        let open = language == .objectiveC ? "[x find:@\"a\", " : language == .lua ? "x:find(\"a\", " : "x.find(\"a\", "
        let long = "\"" + String(repeating: "b", count: 1 << 18)
        #expect(findings(String(repeating: open, count: 300) + long + "\"", language) == [])
        #expect(findings(String(repeating: "x.find(b ?? ", count: 300) + long + "\"", language) == [])
        #expect(findings(String(repeating: "#query<", count: 1 << 14), language) == [])
    }
}
