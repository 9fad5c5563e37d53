// The uses of #query that the compiler accepts and refuses.

import Testing

@Suite struct QueryCompilerTests {
    private let lines = CompiledLines(
        after: """
            import StanzaQueryMacros
            struct Account {}
            func test(_ iq: Element, _ form: MutableElement, _ account: Account, _ text: String, _ name: String) throws {

            """)

    @Test(arguments: [
        "if iq.findFirst(#query(\"a@b|bool\")) == true {}",
        "let done: Bool? = iq.findFirst(#query(\"a@b|bool\")); _ = done",
        "for item in iq.find(#query(\"a<b=\\(name)>\")) { _ = item.name }",
        "let first: MutableElement? = form.findFirst(#query(\"a\")); _ = first",
        "let query = #query<String>(\"\\(name)@\\(text)\"); _ = iq.findFirst(query)",
        "if let id: String = iq.findFirst(#query(\"/@id\")) { print(id) }",
        "_ = iq.findFirst(#query(\"a@b|int\")) ?? 5",
        "_ = iq.findFirst(#query(\"a@b|int\")) == 5",
        "_ = iq.findFirst(#query<Int>(\"a@b|int\"))",
        "_ = iq.findFirst(#query<Int64>(\"a@b|int\")); _ = iq.findFirst(#query<UInt32>(\"a@b|uint\"))",
        "let any: any QueryArgument = name; _ = iq.findFirst(#query(\"a<b=\\(any)>\"))",
        "enum XMLTree {}; enum DataForms {}; enum Swift {}; _ = iq.findFirst(#query<String>(\"a#\"))",
        "struct S { @inlinable var done: Bool { get throws { true } } }; let q = iq.findFirst(#query(\"\\(name)\")); _ = q",
        "_ = Set(iq.find(#query(\"a@b\")) as [String])",
        "_ = iq.check(#query(\"/@id\")) && iq.check(#query(\"a\")) && iq.check(#query(\"a<b=\\(name)>#\"))",
        "let id = #query<String>(\"/@id\"); _ = iq.check(id) && form.check(id)",
        "let n: Int? = iq.findFirst(#query(\"a@b|int\", options: .lenient)); _ = n; _ = iq.check(#query(\"a<b=c>\", options: []))",
        "let b: String? = try iq.findFirst(#query(regex: \"a<b~^c>#\")); _ = b; _ = try iq.check(#query(regex: \"a<b~c>\"))",
        "enum Q { #queries([\"a\": \"b<c~d>\", \"e\": \"f#\"]) }; _ = try iq.find(Q.a).first?.name; _ = iq.findFirst(Q.e)?.count",
        "var set = QuerySet(); try set.insert(#query(\"a\").query); _ = try iq.results(of: #query(\"a\").query)",
        "let body: String? = try iq.findFirst(\"body#\"); for text: String in try iq.find(\"a#\") { print(body ?? text) }",
    ]) func accepted(line: String) async throws {
        try await lines.expectAccepted(line)
    }

    private static let textIsNoLiteral =
        "interpolate the value in a literal, or make a query of the whole text: 'Query(text)'"

    @Test(arguments: [
        ("_ = iq.findFirst(#query<Int>(\"a@b|integer\"))", "4:35: error: unknown conversion 'integer'"),
        ("_ = iq.findFirst(#query(\"a//b\"))", "4:30: error: empty segment"),
        (
            "_ = try iq.findFirst(#query(regex: \"a<b~(>\"))",
            "4:41: error: invalid regular expression: missing closing parenthesis (at offset 1 of the pattern)"
        ),
        (
            "_ = iq.findFirst(#query(\"a<b~c>\"))",
            "4:29: error: a regular expression may exceed its limit: write '#query(regex: …)', and 'try' before the call"
        ),
        (
            "_ = try iq.findFirst(#query(regex: \"a<b=c>\"))",
            "4:40: error: no regular expression, which may exceed its limit: write '#query(…)', without 'try'"
        ),
        ("_ = iq.findFirst(#query(\"a<b=\\(name)>c/d\"))", "4:41: error: unexpected 'c'"),
        ("_ = iq.findFirst(#query(\"a<b~\\(name)>\"))", "4:34: error: an interpolation is not allowed here"),
        (
            "let done: Int? = iq.findFirst(#query(\"a@b|bool\")); _ = done",
            "1:1: error: cannot convert value of type 'CheckedQuery<_QueryResultTypes.Boolean>' (aka 'CheckedQuery<Bool>') to type 'CheckedQuery<Int>' in coercion"
        ),
        (
            "let query = #query(\"a@b|bool\"); _ = query",
            "4:18: error: the query gives Bool, but elements are expected here: write '#query<Bool>(…)', or use it where Bool is expected"
        ),
        (
            "let query = #query<Bool>(\"a@b|bool\"); _ = iq.check(query)",
            "4:50: error: 'check' is unavailable: 'false' is a result, too: write 'findFirst(query) == true'"
        ),
        ("_ = #query<Int>(\"a@b|bool\")", "4:16: error: the query gives Bool, not Int"),
        (
            "_ = iq.findFirst(#query(text))",
            "4:29: error: cannot convert value of type 'String' to expected argument type 'QueryLiteral'"
        ),
        // No text that the program makes is a query without `Query`.
        ("_ = try iq.check(\"/<from=\" + name + \">\")", "4:16: error: 'check' is unavailable: \(textIsNoLiteral)"),
        ("_ = try iq.find(text)", "4:16: error: 'find' is unavailable: \(textIsNoLiteral)"),
        ("_ = try iq.findFirst(name.isEmpty ? \"a<b=\\(name)>\" : text)", "4:16: error: 'findFirst' is unavailable"),
        ("_ = try iq.findFirst(text, name, as: Int.self)", "4:26: error: cannot convert value of type 'String'"),
        ("_ = try QuerySet([text])", "4:23: error: cannot convert value of type 'String'"),
        ("var set = QuerySet(); try set.insert(text)", "4:42: error: cannot convert value of type 'String'"),
    ]) func refused(line: String, error: String) async throws {
        try await lines.expectRefused(line, error)
    }

    /// A type that reads like an element still lacks what only the module can make.
    @Test func noOtherTypeIsQueryable() async throws {
        try await expectErrors(
            in: "import StanzaQuery\nlet proof = QueryConformance<Element>()\n",
            "2:13: error: 'QueryConformance<Node>' initializer is inaccessible due to 'fileprivate' protection level")
    }

    /// For a type between the angle brackets that no query can have, the compiler assumes a query for elements.
    @Test func typesOfNoResult() async throws {
        func source(_ types: String...) -> String {
            """
            import StanzaQueryMacros
            func test(_ iq: Element) throws {
                _ = iq.findFirst(#query<\(types[0])>("a"))
                _ = iq.findFirst(#query<\(types[1])>("a@b|int"))
                _ = iq.findFirst(#query<\(types[2])>("a@b|int"))
            }

            """
        }
        let wrong = source("Element?", "Character", "Int, String")
        try await expectErrors(
            in: wrong, "3:22: warning: cannot specialize a non-generic external macro 'query(_:options:)'",
            "3:29: error: the query gives Element, not Element?",
            "4:22: warning: cannot specialize a non-generic external macro 'query(_:options:)'",
            "4:29: error: the query gives Int, not Character",
            "5:22: warning: cannot specialize a non-generic external macro 'query(_:options:)'",
            "5:29: error: the query gives Int, not Int, String")
        #expect(try await Compiler.repaired(wrong) == source("Element", "Int", "Int"))
    }

    /// If the context expects elements, the correct type between the angle brackets is not the mistake.
    @Test func typesWhereElementsAreExpected() async throws {
        let source = """
            import StanzaQueryMacros
            func test(_ iq: Element) throws {
                let first: Element? = iq.findFirst(#query<Int>("a@b|int"))
                _ = first
            }

            """
        try await expectErrors(
            in: source, "3:40: warning: cannot specialize a non-generic external macro 'query(_:options:)'",
            "3:47: error: the query gives Int, but elements are expected here")
        #expect(try await Compiler.repaired(source) == source)
    }

    @Test func checkOfABooleanQuery() async throws {
        try await expectErrors(
            in: """
                import StanzaQueryMacros
                func test(_ iq: Element) throws {
                    _ = iq.check(#query<Bool>("a@b|bool"))
                    _ = iq.check(#query("a@b|bool"))
                }

                """, "3:18: warning: cannot specialize a non-generic external macro 'query(_:options:)'",
            "3:19: error: 'false' is a result, too: write 'findFirst(…) == true' instead of 'check(…)'",
            "4:19: error: 'false' is a result, too: write 'findFirst(…) == true' instead of 'check(…)'")
    }

    /// A set reports a match for each result, and `false` is one.
    @Test func setsOfBooleanQueries() async throws {
        try await expectErrors(
            in: """
                import StanzaQueryMacros
                func test(_ query: Query<Bool>) throws {
                    var set = QuerySet()
                    _ = try set.insert(Query(query))
                    _ = try set.insert(query, priority: 1)
                    _ = try QuerySet([query])
                    _ = try set.insert(query, arguments: ["x"])
                }

                """,
            "5:17: error: 'insert(_:_:priority:)' is unavailable: 'false' is a result, too: compare the value in a filter, "
                + "or insert 'Query(query)' to match any value",
            "6:13: error: 'init(_:)' is unavailable: 'false' is a result, too: compare the value in a filter, "
                + "or pass 'Query(query)' to match any value",
            "7:17: error: 'insert(_:arguments:priority:)' is unavailable: 'false' is a result, too: compare the value in a "
                + "filter, or insert 'Query(query)' to match any value")
    }

    /// An editor that applies the repair removes the mistake from the literal and changes nothing else.
    @Test(arguments: [
        (#"#query("a<b=c\"d>@d|integer")"#, #"#query("a<b=c\"d>@d|int")"#),
        (##"#query(#"a<b=\d>@d|integer"#)"##, ##"#query(#"a<b=\d>@d|int"#)"##),
        (
            #"#query("""\#n        a<b=\(name)>\\#n        /\u{63}@d|integer\#n        """)"#,
            #"#query("""\#n        a<b=\(name)>\\#n        /\u{63}@d|int\#n        """)"#
        ),
    ]) func repairs(query: String, repaired: String) async throws {
        func source(_ query: String) -> String {
            """
            import StanzaQueryMacros
            func test(_ iq: Element, _ name: String) throws {
                if let count: Int = iq.findFirst(\(query)) { print(count) }
            }

            """
        }
        #expect(try await Compiler.repaired(source(query)) == source(repaired))
        try await expectErrors(in: source(repaired))
    }

    /// `#query` refuses values that are not arguments, and the compiler warns of them elsewhere: they never become a
    /// part of the text.
    @Test func valuesThatAreNoArguments() async throws {
        let warning =
            "warning: 'appendInterpolation' is deprecated: no QueryArgument: unwrap it, or write how it is compared, "
            + "as with String(describing:) [#DeprecatedDeclaration]"
        let ofOptional =
            "warning: 'appendInterpolation(_:default:)' is deprecated: holds no QueryArgument: write how it is compared, "
            + "as with map { String(describing: $0) } [#DeprecatedDeclaration]"
        try await expectErrors(
            in: """
                import StanzaQueryMacros
                struct Account {}
                func test<T>(
                    _ iq: Element, _ account: Account, _ value: T, _ name: String?, _ argument: (any QueryArgument)?) throws {
                    let accounts = [account]
                    var set = QuerySet()
                    _ = try iq.find("a<b=\\(account)>")
                    _ = try iq.check("a<b=\\(value)>")
                    _ = try Query("a<b=\\(account)>")
                    _ = try QuerySet(["a<b=\\(account)>"])
                    _ = try set.insert("a<b=\\(account)>")
                    _ = try iq.find("a<b=\\(name, default: "c")>")
                    _ = try iq.find("a<b=\\(argument, default: "c")>")
                    _ = try iq.find("a<b=\\(accounts.first, default: "c")>")
                    _ = try iq.check("a<b=\\(accounts.first, default: name ?? "c")>")
                    _ = try set.insert("a<b=\\(accounts.first, default: "c")>")
                }

                """, "7:27: \(warning)", "8:28: \(warning)", "9:25: \(warning)", "10:29: \(warning)",
            "11:30: \(warning)", "14:27: \(ofOptional)", "15:28: \(ofOptional)", "16:30: \(ofOptional)")
        try await expectErrors(
            in: """
                import StanzaQueryMacros
                struct Account {}
                func test(_ iq: Element, _ account: Account) throws {
                    _ = iq.findFirst(#query("a<b=\\(account)>"))
                }

                """, "1:94: error: value of type 'Account' has no member 'queryArgument'", "4:35: \(warning)")
    }

    @Test(arguments: Places.isolations)
    func everyPlace(isolation: String) async throws {
        let source = Places.source("import StanzaQueryMacros") { modifiers, name in
            """
            \(modifiers) struct \(name) {
                #queries(["first": "a#", "numbers": "b@c|int"])
                let stored: CheckedQuery<Int> = #query("b@c|int")
                var computed: CheckedQuery<Element> { #query("a/b") }
                func read(_ element: Element, _ id: String) throws -> Int? {
                    _ = element.findFirst(Self.first)
                    for item in element.find(#query("a<id=\\(id)>")) { _ = item.name }
                    if try !element.check(#query(regex: "a<id~b>")) { return nil }
                    return element.findFirst(#query("b@c|int")) ?? element.findFirst(Self.numbers)
                }
            }
            """
        }
        let errors = try await Compiler.errors(in: source, options: Places.options(isolation))
        #expect(errors == [])
    }
}
