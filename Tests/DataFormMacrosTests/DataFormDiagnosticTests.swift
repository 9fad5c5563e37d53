// Mistakes in the use of @DataForm and @Field: each is reported at its place, with the repair.

import MacroTestSupport
import Testing

@Suite struct DataFormDiagnosticTests {
    private let alone = "@Field belongs on a stored property of a structure with @DataForm"

    @Test func noStructure() {
        for kind in ["class", "enum", "actor"] {
            expectDiagnostics(
                in: "⟪@DataForm(\"urn:x\")⟫ \(kind) A { @Field var b: Int }", "@DataForm belongs on a structure")
        }
    }

    @Test func privateTypesInOthers() {
        expectDiagnostics(
            in: "enum E { @DataForm(\"urn:x\") ⟪private⟫ struct A { @Field var b: Int } }",
            "the macro extends this type, and an extension cannot see it: write 'fileprivate'")
    }

    @Test func fieldsAlone() {
        expectDiagnostics(in: "struct A { ⟪@Field⟫ var b: Int }", alone)
        expectDiagnostics(in: "⟪@Field⟫ var b: Int", alone)
        expectDiagnostics(in: "@DataForm(\"urn:x\") struct A { @Field var b: Int; ⟪@Field⟫ func c() {} }", alone)
    }

    @Test func formTypes() {
        for literal in ["\"\"", "\"\\(x)\"", "x"] {
            expectDiagnostics(
                in: "@DataForm(⟪\(literal)⟫) struct A { @Field var b: Int }",
                "expected the FORM_TYPE as a string literal")
        }
    }

    @Test func names() {
        expectDiagnostics(in: form("@Field(⟪\"\"⟫) var b: Int"), "a field needs a name")
        expectDiagnostics(in: form("@Field(⟪\"FORM_TYPE\"⟫) var b: Int"), "FORM_TYPE is the argument of @DataForm")
        expectDiagnostics(in: form("@Field(⟪name⟫) var b: Int"), "expected a string literal")
        expectDiagnostics(in: form("@Field(label: ⟪\"\\(1)\"⟫) var b: Int"), "expected a string literal")
        expectDiagnostics(in: form("@Field(\"x\") var b: Int; @Field var ⟪x⟫: Int"), "two fields are called 'x'")
        // Names are compared code point by code point.
        expectDiagnostics(in: form("@Field(\"\u{E9}\") var b: Int; @Field(\"e\u{301}\") var c: Int"))
    }

    @Test func properties() {
        let message = "a field is a stored property of the instance"
        expectDiagnostics(in: form("@Field var ⟪b⟫: Int { 5 }"), message)
        expectDiagnostics(in: form("@Field var ⟪b⟫: Int { get { 5 } }"), message)
        expectDiagnostics(in: form("@Field static var ⟪b⟫ = 5"), message)
        expectDiagnostics(in: form("@Field lazy var ⟪b⟫ = 5"), message)
        expectDiagnostics(in: form("@Field var ⟪(b, c) = (1, 2)⟫"), "a field needs a declaration of its own")
        let condition = "#if true\n⟪@Field⟫ var b: Int\n#endif"
        for members in [condition, "@Field var a = 1\n#if B\n\(condition)\n#endif"] {
            expectDiagnostics(in: form(members), "a field is not allowed inside of '#if'")
        }
        expectDiagnostics(
            in: form("@Field ⟪let⟫ b: Int = 5"),
            "'b': a constant that has a value cannot get that of the form: write 'var'", fixed: "@Field var b: Int = 5")
    }

    private let noField = "'c' is not a field and has no value: add '@Field', or give it a value"

    @Test func others() {
        expectDiagnostics(
            in: form("@Field var b: Int; var ⟪c⟫: Int"), noField, fixed: "@Field var c: Int")
        expectDiagnostics(
            in: form("@Field var b: Int; let ⟪c⟫: Int?"), noField)
        expectDiagnostics(in: form("@Field var b: Int; var c: Int?; var d: Int!; let e = 5; var f: Int { 5 }"))
        expectDiagnostics(
            in: "@DataForm(\"urn:x\") ⟪struct⟫ A { var b = 5 }",
            "a form needs a field: add '@Field' to a stored property")
    }

    @Test(arguments: [
        "(Int, Int)", "() -> Int", "[String: Int]", "Set<Int>", "any Error", "some Equatable", "Int!", "Any",
    ])
    func types(type: String) {
        expectDiagnostics(in: form("@Field var b: ⟪\(type)⟫"), noValue(type))
        if type.contains(where: \.isWhitespace) { return }
        expectDiagnostics(in: form("@Field var b: [⟪\(type)⟫]"), noValue(type))
    }

    @Test(arguments: ["Int?", "[Int]"]) func nestedTypes(type: String) {
        expectDiagnostics(in: form("@Field var b: [⟪\(type)⟫]"), noValue(type))
        expectDiagnostics(in: form("@Field var b: [⟪\(type)⟫]?"), noValue(type))
    }

    private func noValue(_ type: String) -> String {
        "no field has values of type '\(type)': use a type that conforms to 'FieldValue', an optional of it, or an array "
            + "of it"
    }

    private func form(_ members: String) -> String { "@DataForm(\"urn:x\") struct A { \(members) }" }
}
