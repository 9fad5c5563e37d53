// The uses of #query that the compiler accepts and refuses.

import MacroTestSupport
import Testing

@Suite struct CompilerTests {
    private let lines = CompiledLines(
        after: """
            import StanzaQueryMacros
            struct Account {}
            func test(_ iq: Element, _ form: MutableElement, _ account: Account, _ text: String, _ name: String) throws {

            """)

    @Test(arguments: [
        "if try iq.findFirst(#query(\"a@b|bool\")) == true {}",
        "let done: Bool? = try iq.findFirst(#query(\"a@b|bool\")); _ = done",
        "for item in try iq.find(#query(\"a<b=\\(name)>\")) { _ = item.name }",
        "let first: MutableElement? = try form.findFirst(#query(\"a\")); _ = first",
        "let query = #query<String>(\"\\(name)@\\(text)\"); _ = try iq.findFirst(query)",
        "if let id: String = try iq.findFirst(#query(\"/@id\")) { print(id) }",
        "_ = try iq.findFirst(#query(\"a@b|int\")) ?? 5",
        "_ = try iq.findFirst(#query(\"a@b|int\")) == 5",
        "_ = try iq.findFirst(#query<Int>(\"a@b|int\"))",
        "let any: any QueryArgument = name; _ = try iq.findFirst(#query(\"a<b=\\(any)>\"))",
        "enum XMLTree {}; enum DataForms {}; enum Swift {}; _ = try iq.findFirst(#query<String>(\"a#\"))",
        "struct S { @inlinable var done: Bool { get throws { true } } }; let q = try iq.findFirst(#query(\"\\(name)\")); _ = q",
        "_ = try Set(iq.find(#query(\"a@b\")) as [String])",
    ]) func accepted(line: String) async throws {
        try await lines.expectAccepted(line)
    }

    @Test(arguments: [
        ("_ = try iq.findFirst(#query<Int>(\"a@b|integer\"))", "4:39: error: unknown conversion 'integer'"),
        ("_ = try iq.findFirst(#query(\"a//b\"))", "4:34: error: empty segment"),
        (
            "_ = try iq.findFirst(#query(\"a<b~(>\"))",
            "4:34: error: invalid regular expression: missing closing parenthesis (at offset 1 of the pattern)"
        ),
        ("_ = try iq.findFirst(#query(\"a<b=\\(name)>c/d\"))", "4:45: error: unexpected 'c'"),
        ("_ = try iq.findFirst(#query(\"a<b~\\(name)>\"))", "4:38: error: an interpolation is not allowed here"),
        (
            "let done: Int? = try iq.findFirst(#query(\"a@b|bool\")); _ = done",
            "1:1: error: cannot convert value of type 'Query<_QueryResultTypes.Boolean>' (aka 'Query<Bool>') to closure result type 'Query<Int>'"
        ),
        (
            "let query = #query(\"a@b|bool\"); _ = query",
            "4:18: error: the query gives Bool, but elements are expected here: write '#query<Bool>(…)', or use it where Bool is expected"
        ),
        (
            "let query = #query<Bool>(\"a@b|bool\"); _ = try iq.check(query)",
            "4:54: error: 'check' is unavailable: 'false' is a result, too: write 'findFirst(query) == true'"
        ),
        ("_ = #query<Int>(\"a@b|bool\")", "4:16: error: the query gives Bool, not Int"),
        (
            "_ = try iq.findFirst(#query(text))",
            "4:33: error: cannot convert value of type 'String' to expected argument type 'QueryLiteral'"
        ),
    ]) func refused(line: String, error: String) async throws {
        try await lines.expectRefused(line, error)
    }

    /// For a type between the angle brackets that no query can have, the compiler assumes a query for elements.
    @Test func typesOfNoResult() async throws {
        func source(_ types: String...) -> String {
            """
            import StanzaQueryMacros
            func test(_ iq: Element) throws {
                _ = try iq.findFirst(#query<\(types[0])>("a"))
                _ = try iq.findFirst(#query<\(types[1])>("a@b|int"))
                _ = try iq.findFirst(#query<\(types[2])>("a@b|int"))
            }

            """
        }
        let wrong = source("Element?", "Character", "Int, String")
        try await expectErrors(
            in: wrong, "3:26: warning: cannot specialize a non-generic external macro 'query'",
            "3:33: error: the query gives Element, not Element?",
            "4:26: warning: cannot specialize a non-generic external macro 'query'",
            "4:33: error: the query gives Int, not Character",
            "5:26: warning: cannot specialize a non-generic external macro 'query'",
            "5:33: error: the query gives Int, not Int, String")
        #expect(try await Compiler.repaired(wrong) == source("Element", "Int", "Int"))
    }

    /// If the context expects elements, the correct type between the angle brackets is not the mistake.
    @Test func typesWhereElementsAreExpected() async throws {
        let source = """
            import StanzaQueryMacros
            func test(_ iq: Element) throws {
                let first: Element? = try iq.findFirst(#query<Int>("a@b|int"))
                _ = first
            }

            """
        try await expectErrors(
            in: source, "3:44: warning: cannot specialize a non-generic external macro 'query'",
            "3:51: error: the query gives Int, but elements are expected here")
        #expect(try await Compiler.repaired(source) == source)
    }

    @Test func checkOfABooleanQuery() async throws {
        try await expectErrors(
            in: """
                import StanzaQueryMacros
                func test(_ iq: Element) throws {
                    _ = try iq.check(#query<Bool>("a@b|bool"))
                }

                """, "3:22: warning: cannot specialize a non-generic external macro 'query'",
            "3:29: error: the query gives Bool, but elements are expected here: "
                + "'false' is a result, too; write 'findFirst(…) == true'")
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
                }

                """,
            "5:17: error: 'insert(_:_:priority:)' is unavailable: 'false' is a result, too: compare the value in a filter, "
                + "or insert 'Query(query)' to match any value",
            "6:13: error: 'init(_:)' is unavailable: 'false' is a result, too: compare the value in a filter, "
                + "or pass 'Query(query)' to match any value")
    }

    /// An editor that applies the repair removes the mistake from the literal and changes nothing else.
    @Test(arguments: [
        (#"#query("a<b~\"c\">@d|integer")"#, #"#query("a<b~\"c\">@d|int")"#),
        (##"#query(#"a<b~\d>@d|integer"#)"##, ##"#query(#"a<b~\d>@d|int"#)"##),
        (
            #"#query("""\#n        a<b=\(name)>\\#n        /\u{63}@d|integer\#n        """)"#,
            #"#query("""\#n        a<b=\(name)>\\#n        /\u{63}@d|int\#n        """)"#
        ),
    ]) func repairs(query: String, repaired: String) async throws {
        func source(_ query: String) -> String {
            """
            import StanzaQueryMacros
            func test(_ iq: Element, _ name: String) throws {
                if let count: Int = try iq.findFirst(\(query)) { print(count) }
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
                    _ = try iq.findFirst(#query("a<b=\\(account)>"))
                }

                """, "6:15: error: value of type 'Account' has no member 'queryArgument'", "4:39: \(warning)")
    }

    @Test(arguments: Places.isolations)
    func everyPlace(isolation: String) async throws {
        let source = Places.source("import StanzaQueryMacros") { modifiers, name in
            """
            \(modifiers) struct \(name) {
                #queries(["first": "a#", "numbers": "b@c|int"])
                let stored: Query<Int> = #query("b@c|int")
                var computed: Query<Element> { #query("a/b") }
                func read(_ element: Element, _ id: String) throws -> Int? {
                    _ = try element.findFirst(Self.first)
                    for item in try element.find(#query("a<id=\\(id)>")) { _ = item.name }
                    return try element.findFirst(#query("b@c|int")) ?? element.findFirst(Self.numbers)
                }
            }
            """
        }
        let errors = try await Compiler.errors(in: source, options: Places.options(isolation))
        #expect(errors == [])
    }
}
