// Mistakes in the use of @Payload and its marks: each is reported at its place, with the repair.

import MacroTestSupport
import Testing

@Suite struct PayloadDiagnosticTests {
    @Test func otherDeclarations() {
        for kind in ["class", "actor"] {
            expectDiagnostics(
                in: "⟪@Payload(\"{urn:x}a\")⟫ \(kind) A {}", "@Payload belongs on a structure or an enumeration")
        }
        expectDiagnostics(
            in: "enum E { @Payload(\"{urn:x}a\") ⟪private⟫ struct A {} }",
            "the macro extends this type, and an extension cannot see it: write 'fileprivate'")
    }

    @Test(arguments: ["Attribute", "Text", "Child", "Flag", "Form", "Rest", "Query"])
    func marksAlone(mark: String) {
        let message = "@\(mark) belongs on a stored property of a structure with @Payload"
        expectDiagnostics(in: "struct A { ⟪@\(mark)⟫ var b: Int }", message)
        expectDiagnostics(in: "@Payload(\"{urn:x}a\") struct A { ⟪@\(mark)⟫ func b() {} }", message)
    }

    @Test func casesAlone() {
        let message = "@Case belongs on a case of an enumeration with @Payload"
        expectDiagnostics(in: "enum A { ⟪@Case(\"c\")⟫ case b }", message)
        expectDiagnostics(in: "@Payload(\"{urn:x}a\") struct A { ⟪@Case(\"c\")⟫ var b = 5 }", message)
    }

    @Test func namesOfElements() {
        expectDiagnostics(in: "@Payload(⟪\"a\"⟫) struct A {}", "write '{namespace}name'")
        expectDiagnostics(in: "@Payload(⟪name⟫) struct A {}", "expected a string literal")
        expectDiagnostics(
            in: "⟪@Payload⟫ struct A {}", "expected the name of the element: @Payload(\"{namespace}name\")")
        expectDiagnostics(
            in: "@Payload(⟪\"{urn:x}5\"⟫) struct A {}",
            "'5' is not a name: expected a letter or '_', then letters, digits, '-', '_' or '.'")
        expectDiagnostics(
            in: "@Payload(⟪\"{urn: x}a\"⟫) struct A {}",
            "'urn: x' is not a namespace: it has a character that no URI has")
        expectDiagnostics(
            in: "@Payload(⟪\"{http://www.w3.org/2000/xmlns/}a\"⟫) struct A {}",
            "no element or attribute has the namespace of 'xmlns'")
        expectDiagnostics(
            in: "@Payload(\"{urn:x}a\", refusesOthers: ⟪x⟫) struct A {}", "expected true or false")
        expectDiagnostics(
            in: "@Payload(\"{urn:x}a\", by: ⟪\"b\"⟫) struct A {}", "'by' chooses a case, and a structure has none")
    }

    @Test func namesOfMembers() {
        let name = "expected a letter or '_', then letters, digits, '-', '_' or '.'"
        expectDiagnostics(in: payload("@Attribute(⟪\"\"⟫) var b: Int"), "'' is not a name: \(name)")
        expectDiagnostics(in: payload("@Child(⟪\"a/b\"⟫) var b: Int"), "'a/b' is not a name: \(name)")
        expectDiagnostics(in: payload("@Child(in: ⟪\"a b\"⟫) var b: B"), "'a b' is not a name: \(name)")
        expectDiagnostics(
            in: payload("@Attribute(⟪\"p:a\"⟫) var b: Int"),
            "'p:a' is not a name: \(name); write '{namespace}name' instead of a prefix")
        expectDiagnostics(in: payload("@Flag var ⟪`is it`⟫: Bool"), "'is it' is not a name: \(name)")
        expectDiagnostics(in: payload("@Attribute(⟪x⟫) var b: Int"), "expected a string literal")
        expectDiagnostics(in: payload("@Attribute(\"xml:lang\") var b: Int; @Child(\"{urn:y}é\") var c: Int"))
    }

    @Test func duplicates() {
        expectDiagnostics(
            in: payload("@Attribute var b: Int; @Attribute(⟪\"b\"⟫) var c: Int"), "two members are the attribute 'b'")
        expectDiagnostics(
            in: payload("@Child(\"b\") var b: Int; @Flag(⟪\"b\"⟫) var c: Bool"), "two members are the child element 'b'"
        )
        expectDiagnostics(
            in: payload("@Text var b: Int; @Text var ⟪c⟫: Int"), "two members are the text of the element")
        expectDiagnostics(
            in: payload("@Child var b: B?; @Child var ⟪c⟫: [B]"), "two members are the payload 'B'")
        expectDiagnostics(in: payload("@Rest var b: [Element]; @Rest var ⟪c⟫: [Element]"), "two members are the rest")
        expectDiagnostics(in: payload("@Child(in: \"x\") var b: B; @Child(in: \"y\") var c: B; @Attribute var d: B"))
        expectDiagnostics(
            in: payload("@Attribute ⟪@Child⟫ var b: Int"), "one mark is enough: remove the others")
    }

    @Test func order() {
        expectDiagnostics(
            in: payload("@Rest var b: [Element]; @Child var ⟪c⟫: C"),
            "'@Rest' reads the content that the members before it leave: write it after this one")
        expectDiagnostics(in: payload("@Rest var b: [Element]; @Attribute var c: C"))
    }

    @Test func properties() {
        let message = "a member is a stored property of the instance"
        expectDiagnostics(in: payload("@Attribute var ⟪b⟫: Int { 5 }"), message)
        expectDiagnostics(in: payload("@Attribute static var ⟪b⟫ = 5"), message)
        expectDiagnostics(in: payload("@Attribute var ⟪(b, c) = (1, 2)⟫"), "a member needs a declaration of its own")
        expectDiagnostics(
            in: payload("#if true\n⟪@Attribute⟫ var b: Int\n#endif"), "a member is not allowed inside of '#if'")
        expectDiagnostics(
            in: payload("@Attribute ⟪let⟫ b: Int = 5"),
            "'b': a constant that has a value cannot get that of the element: write 'var'",
            fixed: "@Attribute var b: Int = 5")
        expectDiagnostics(
            in: payload("var ⟪c⟫: Int"),
            "'c' is not a member and has no value: add '@Attribute', '@Child' or another mark, or a value")
        expectDiagnostics(in: payload("var c: Int?; let d = 5"))
    }

    @Test(arguments: ["(Int, Int)", "() -> Int", "[String: Int]", "any Error", "Int!"])
    func types(type: String) {
        expectDiagnostics(in: payload("@Attribute var b: ⟪\(type)⟫"), "no member has values of type '\(type)'")
    }

    @Test func optionality() {
        expectDiagnostics(
            in: payload("@Attribute var b: ⟪[Int]⟫"), "an attribute has one value: '[Int]' has several")
        expectDiagnostics(in: payload("@Text var b: ⟪[Int]⟫"), "a text has one value: '[Int]' has several")
        expectDiagnostics(
            in: payload("@Child(\"c\") var b: ⟪[Int]?⟫"), "an array is empty without elements: write '[Int]'")
        expectDiagnostics(
            in: payload("@Flag var b: ⟪Bool?⟫"), "a flag is a 'Bool': the child element exists, or it does not")
        expectDiagnostics(in: payload("@Rest var b: ⟪[Int]⟫"), "the rest is '[Element]', 'Element?' or 'Element'")
        expectDiagnostics(
            in: payload("@Child var subject: ⟪String?⟫"),
            "'String' is not a payload: write the name of the child element, '@Child(\"subject\")'")
        expectDiagnostics(
            in: payload("@Child(attribute: ⟪\"code\"⟫) var b: [Int]"),
            "the attribute of which child element? Write its name first")
    }

    @Test func queries() {
        expectDiagnostics(
            in: payload("@Query(\"a#\") var b: ⟪String⟫"), "a query may find nothing: write 'String?' or '[String]'")
        expectDiagnostics(in: payload("@Query(\"a#\") var b: ⟪Int?⟫"), "the query gives String, not Int")
        expectDiagnostics(
            in: payload("@Query(\"a<b=\\(⟪x⟫)>#\") var b: String?"), "there is nothing to interpolate here")
        expectDiagnostics(in: payload("@Query(\"a#|int\") var b: [Int]; @Query(\"a\") var c: Element?"))
        let mistakes = reportedMistakes(in: payload("@Query(\"a<\") var b: Element?"))
        #expect(mistakes.count == 1 && mistakes[0].text == "a<", "\(mistakes)")
    }

    @Test func choices() {
        expectDiagnostics(in: "@Payload(\"{urn:x}\") ⟪enum⟫ A {}", "a choice needs a case")
        expectDiagnostics(
            in: "⟪@Payload⟫ enum A { case b }",
            "a case without a payload needs a namespace: @Payload(\"{namespace}\")")
        expectDiagnostics(
            in: "@Payload(⟪\"{urn:x}a\"⟫) enum A { case b }",
            "the cases are the names: write the namespace alone, '{namespace}'")
        expectDiagnostics(
            in: "@Payload(⟪\"a\"⟫, by: \"type\") enum A { case b }",
            "expected the name of the element: '{namespace}name'")
        expectDiagnostics(
            in: "@Payload(\"{urn:x}\") enum A { case b; @Case(\"b\") case ⟪c⟫ }",
            "two cases are read from the same content")
        expectDiagnostics(
            in: "@Payload(\"{urn:x}\") enum A { case b(⟪C, D⟫) }",
            "a case has one payload at most")
        expectDiagnostics(
            in: "@Payload(\"{urn:x}\") enum A { ⟪@Case(\"x\")⟫ case b, c }",
            "one name for several cases: give each a declaration of its own")
        expectDiagnostics(
            in: "@Payload(\"{urn:x}\") enum A { @Case(⟪\"x\"⟫) case b(B) }",
            "the payload has the name of the element: remove this")
        expectDiagnostics(in: "@Payload enum A { case b(B); case c(C) }")
    }

    private func payload(_ members: String) -> String { "@Payload(\"{urn:x}a\") struct A { \(members) }" }
}
