// What the compiler accepts and refuses where #query is used.

import MacroTestSupport
import Testing

@Suite struct CompilerTests {
    private func errors(_ line: String) throws -> [String] {
        try Compiler.errors(
            in: """
                import StanzaQueryMacros
                struct Account {}
                func test(_ iq: Element, _ form: MutableElement, _ account: Account, _ text: String, _ name: String) throws {
                    \(line)
                }

                """)
    }

    @Test(arguments: [
        "if try iq.holds(#query(\"a@b|bool\")) {}",
        "let done: Bool? = try iq.first(#query(\"a@b|bool\")); _ = done",
        "for item in try iq.all(#query(\"a<b=\\(name)>\")) { _ = item.name }",
        "let first: MutableElement? = try form.first(#query(\"a\")); _ = first",
        "let query = #query<String>(\"\\(name)@\\(text)\"); _ = try iq.first(query)",
        "if let id: String = try iq.first(#query(\"/@id\")) { print(id) }",
        "_ = try iq.first(#query(\"a@b|int\")) ?? 5",
        "_ = try iq.first(#query(\"a@b|int\")) == 5",
        "_ = try iq.first(#query<Int>(\"a@b|int\"))",
        "let any: any QueryArgument = name; _ = try iq.first(#query(\"a<b=\\(any)>\"))",
        "enum XMLTree {}; enum DataForms {}; enum Swift {}; _ = try iq.first(#query<String>(\"a#\"))",
        "struct S { @inlinable var done: Bool { get throws { true } } }; let q = try iq.first(#query(\"\\(name)\")); _ = q",
        "_ = try Set(iq.all(#query(\"a@b\")) as [String])",
    ]) func accepted(line: String) throws {
        let errors = try errors(line)
        #expect(errors == [])
    }

    @Test(arguments: [
        ("_ = try iq.first(#query<Int>(\"a@b|integer\"))", "4:35: error: unknown conversion 'integer'"),
        ("_ = try iq.first(#query(\"a//b\"))", "4:30: error: empty segment"),
        (
            "_ = try iq.first(#query(\"a<b~(>\"))",
            "4:30: error: invalid regular expression: missing closing parenthesis (at offset 1 of the pattern)"
        ),
        ("_ = try iq.first(#query(\"a<b=\\(name)>c/d\"))", "4:41: error: unexpected 'c'"),
        ("_ = try iq.first(#query(\"a<b~\\(name)>\"))", "4:34: error: an interpolation cannot stand here"),
        (
            "let done: Int? = try iq.first(#query(\"a@b|bool\")); _ = done",
            "1:1: error: cannot convert value of type 'TypedQuery<QueryResultTypes.Boolean>' (aka 'TypedQuery<Bool>') to closure result type 'TypedQuery<Int>'"
        ),
        (
            "let query = #query(\"a@b|bool\"); _ = query",
            "4:18: error: the query gives Bool, but elements are expected here: write '#query<Bool>(…)', or demand Bool of what it is used for"
        ),
        ("_ = #query<Int>(\"a@b|bool\")", "4:16: error: the query gives Bool, not Int"),
        (
            "_ = try iq.first(#query(\"a<b=\\(account)>\"))",
            "4:35: error: instance method 'appendInterpolation' requires that 'Account' conform to 'QueryArgument'"
        ),
        (
            "_ = try iq.first(#query(text))",
            "4:29: error: cannot convert value of type 'String' to expected argument type 'InterpolatedQuery'"
        ),
    ]) func refused(line: String, error: String) throws {
        let errors = try errors(line)
        #expect(errors == [error])
    }
}
