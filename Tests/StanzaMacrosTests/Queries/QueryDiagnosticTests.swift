// Every mistake of the language page is an error of the macro, with the drawing of the query and the repair in the
// literal, in any spelling of the literal.

import QuerySyntax
import StanzaQuery
import TestSupport
import Testing

@Suite struct QueryDiagnosticTests {
    /// Queries for mistakes that the suites rarely have, one for each.
    private static let more = [
        "a*", "a/", "/", "a//b", "a/<b=c>", "a/$", "|int", "!*", "!..", "..<a=b>", "{}", "@{*}a", "a<=b>", "a<b>",
        "a<b=>",
        "a<b~>", "a<b=%y>", "a<b=%9999d>", "\\@\\", "\\[]\\", "a@b|", "a@b|x", "a|int", "a@b/c", "..@id", "a<b~(>",
        "a@\"|x", "a[@b]", "a[1]", "text()", "a@b=c",
        "http://a/b", "名/é|int", "a<b=\"\">|integer", "\n//\u{1F600}",
    ]

    /// The names of all mistakes that a query alone reveals.
    private static let known: Set = [
        "unexpected", "loneSlash", "trailingSlash", "emptySegment", "filterNeedsName", "nameExtractionNeedsName",
        "namespaceNeedsBraces",
        "conversionNeedsExtraction", "negationNeedsName", "parentIsNoName", "parentTakesNoFilter", "emptyBraces",
        "anyNamespaceOfAttribute", "attributeNeedsName", "filterNeedsCondition", "emptyValue", "emptyRegex",
        "conditionInBrackets", "positionInBrackets", "functionCall", "comparisonNeedsFilter",
        "invalidSpecifier", "specifierNumberTooLarge", "formFieldNeedsName", "formIndexNeedsDigits", "emptyConversion",
        "unknownConversion", "misplacedConversion", "extractionBeforeEnd", "extractionOfParent", "invalidRegex",
    ]

    /// The mistakes of a query that is compiled at run time; only the macro rejects specifiers.
    private func mistakes(in query: String) -> [Diagnostic]? {
        do throws(QueryError) {
            _ = try Query(query)
            return nil
        } catch {
            return error.diagnostics
        }
    }

    /// The source around each literal.
    private let start = "let query = #query<String>("
    private let end = ")\n"

    @Test func everyMistakeOfTheSuites() throws {
        let suites = try ConformanceCase.all().filter { $0.error != nil && $0.options == nil }.map(\.query)
        var queries: Set<String> = []
        var seen: Set<String> = []
        // Those of the queries and of their repairs, with the bytes of their values.
        var literals: [(text: String, value: [UInt8])] = []
        for query in suites + Self.more where queries.insert(query).inserted {
            guard let expected = mistakes(in: query) else { continue }
            let hasSpecifiers = ParsedQuery(parsing: QueryText(query)).diagnostics
                .contains { $0.problem == .specifierAmongSlots }
            if hasSpecifiers { continue }
            for problem in expected { seen.insert(String("\(problem.problem)".prefix { $0.isLetter })) }
            for spelling in Spelling.allCases {
                guard let literal = spelling.literal(query) else { continue }
                let source = start + literal + end
                literals.append((literal, Array(query.utf8)))
                let found = reportedMistakes(in: source)
                #expect(
                    found.map { "error: " + $0.message } == expected.map { $0.rendered(in: query) }, "\(source)")
                for (mistake, diagnostic) in zip(found, expected) {
                    // The segment that contains the mistake; one exists, after the quotes.
                    #expect(mistake.place >= start.utf8.count && mistake.place < start.utf8.count + literal.utf8.count)
                    // The fix-it replaces the same text as the fix of the query, as spelled in the source, and no more.
                    let place = diagnostic.fix.map { spelling.place(of: $0.range, in: query) }
                    let change = mistake.change.map {
                        $0.lowerBound - start.utf8.count..<$0.upperBound - start.utf8.count
                    }
                    // A segment may end at a line break. A change that goes beyond it is not offered.
                    let isCut = change == nil && diagnostic.fix.map { query.utf8.has(0x0A, in: $0.range) } == true
                    if isCut { continue }
                    #expect(change == place, "\(source)")
                    if let repaired = try repaired(mistake, diagnostic, of: query, source) { literals.append(repaired) }
                }
            }
        }
        let missing = Self.known.subtracting(seen)
        #expect(missing.isEmpty, "no query has these mistakes: \(missing.sorted())")
        #expect(queries.count > 250)
        let values = values(ofLiterals: literals.map(\.text))
        try #require(values.count == literals.count)
        for (value, literal) in zip(values, literals) {
            #expect(value.utf8.elementsEqual(literal.value), "\(literal.text) has the value \(value)")
        }
    }

    /// Returns the literal after the fix-it, and the value that it must have: the change in the message, and no other.
    private func repaired(
        _ mistake: ReportedMistake, _ diagnostic: Diagnostic, of query: String, _ source: String
    ) throws -> (String, [UInt8])? {
        guard let fix = diagnostic.fix else {
            #expect(mistake.fixed == nil, "\(source)")
            return nil
        }
        var bytes = Array(query.utf8)
        bytes.replaceSubrange(fix.range, with: Array(fix.replacement.utf8))
        let fixed = try #require(mistake.fixed, "\(source)")
        #expect(mistake.offer == "did you mean '\(fix.shown)'?")
        let literal = fixed.utf8.dropFirst(start.utf8.count).dropLast(end.utf8.count)
        return (String(decoding: literal, as: UTF8.self), bytes)
    }

    @Test func repairsStandAtTheirExactPlace() throws {
        for (source, expected) in [
            (##"#query<Int>("a@b|integer")"##, ##"#query<Int>("a@b|int")"##),
            (##"#query<Int>("\u{61}@\"|integer")"##, ##"#query<Int>("\u{61}@\"|integer")"##),
            (###"#query<Int>(##"\@f\|integer"##)"###, ###"#query<Int>(##"\@f\|int"##)"###),
            (##"#query<Int>("a<b=\(c)>@d|integer")"##, ##"#query<Int>("a<b=\(c)>@d|int")"##),
            (##"#query<Int>("a//\(c)@d")"##, ##"#query<Int>("a/\(c)@d")"##),
        ] {
            let found = try #require(reportedMistakes(in: source).first)
            #expect((found.fixed ?? source) == expected)
        }
        let lines = "#query(\n    \"\"\"\n    a\\\n    //b\n    \"\"\")"
        #expect(reportedMistakes(in: lines).first?.fixed == "#query(\n    \"\"\"\n    a\\\n    /b\n    \"\"\")")
    }

    @Test func regularExpressions() {
        for (source, expected) in [
            ("#query<String>(\"a<b~c>@d\")", "#query<String>(regex: \"a<b~c>@d\")"),
            ("#query(regex: \"a<b=c>\", options: .x)", "#query(\"a<b=c>\", options: .x)"),
        ] {
            let found = reportedMistakes(in: source)
            #expect(found.map(\.fixed) == [expected] && found.map(\.isWarning) == [false])
        }
        #expect(reportedMistakes(in: "#query<String>(regex: \"a<b~c>@d\")").isEmpty)
    }

    @Test(arguments: [
        "a\\(x)", "\\(x)b", "{a\\(x)}b", "a@b|\\(x)", "\\\\{\\(x)}\\\\", "\\\\[\\(x)]\\\\", "a<b\\(x)=c>",
        "a\\(x)\\(y)",
        "a#\\(x)", "..\\(x)",
    ])
    func misplacedInterpolations(query: String) {
        let found = reportedMistakes(in: "#query<String>(\"\(query)\")").first
        #expect(found?.message.hasPrefix("an interpolation is not allowed here\n") == true)
    }

    /// The macro warns as `stanza lint` does, and uses the query unchanged.
    @Test func legalAndProbablyWrong() {
        for (query, drawing) in [
            ("a<b='c'>@d", "the quotes are a part of the value, and are compared, too\n  a<b='c'>@d\n   ^~~~~~~"),
            ("a<b==c>@d", "the value begins with '=', which is compared, too\n  a<b==c>@d\n   ^~~~~~"),
            ("a.b@d", "'a.b' is one name: segments are separated by '/'\n  a.b@d\n  ^~~"),
            ("a<b='\\(x)'>@d", "the quotes are a part of the value, and are compared, too\n  a<b='\\(x)'>@d\n   ^~~~"),
        ] {
            let found = reportedMistakes(in: "#query<String>(\"\(query)\")")
            #expect(found.count == 1 && found.first?.isWarning == true, "\(query)")
            #expect(found.first?.message.hasPrefix(drawing) == true, "\(found)")
        }
        #expect(reportedMistakes(in: "#query<String>(\"a<b=c>@d\")").isEmpty)
    }

    @Test func specifiers() {
        let found = reportedMistakes(in: "#query<String>(\"a<b=%@>\")").first
        #expect(found?.message.hasPrefix("a format specifier in a query whose arguments are interpolated\n") == true)
        #expect(reportedMistakes(in: "#query<Element>(\"a<b=100%%>\")").isEmpty)
    }

    @Test func uses() {
        expectDiagnostics(
            #"""
            let q: Query<String> = #query("a<b~⟪\(pattern)⟫>@c")
                an interpolation is not allowed here⏎  a<b~\(pattern)>@c⏎      ^~~~~~~~~~ expected it between braces for a whole namespace, as the whole name of an element, an attribute or a form field, or in a filter after '='
            #query(⟪text⟫)
                expected a string literal, which can be checked
            #query("a<b=⟪\(c, d)⟫>")
                expected one value, and no other label than 'default'
            #query("a<b=⟪\(of: c)⟫>")
                expected one value, and no other label than 'default'
            #query("a<b=⟪\(default: c)⟫>")
                expected one value, and no other label than 'default'
            #query("a<b=⟪\(c, of: d)⟫>")
                expected one value, and no other label than 'default'
            #query("a<b=⟪\(c, default: d, e)⟫>")
                expected one value, and no other label than 'default'
            let q = #query<⟪Int⟫>("a@b|bool")
                the query gives Bool, not Int
                → Bool
            let q = #query<⟪Swift.String⟫>("a")
                the query gives Element, not Swift.String
                → Element
            #query<Flag>("a@b|bool")
            #query<Foundation.Date>("a@b|datetime")
            enum Queries { #queries([⟪5⟫: "a", ⟪"a b"⟫: "a", ⟪"class"⟫: "b", "`class`": "b"]) }
                expected the name of a property, as a literal; write keywords in backticks
                expected the name of a property, as a literal; write keywords in backticks
                expected the name of a property, as a literal; write keywords in backticks
            enum Queries { #queries(["c": "d<e=\(⟪f⟫)>", "g": "⟪h//i⟫"]) }
                there is nothing to interpolate here: write #query where the value is known
                empty segment⏎  h//i⏎    ^ expected a name, '*' for any; no query reaches descendants at any depth⏎  did you mean 'h/i'?
            enum Queries { ⟪#queries(queries)⟫ }
                expected names and queries: ["name": "query", …]
            """#)
    }

    @Test(arguments: [[], ["func f()"], ["protocol P {}"], ["func f()", "struct S {}"]])
    func propertiesOutsideOfTypes(surroundings: [String]) {
        expectDiagnostics(
            """
            ⟪#queries(["a": "b"])⟫
                the queries become static properties: write this in a type or an extension, and not here
            """, within: surroundings)
    }
}

extension String.UTF8View {
    /// Whether a byte is in a part of the text.
    fileprivate func has(_ byte: UInt8, in range: Range<Int>) -> Bool {
        Array(self)[range].contains(byte)
    }
}
