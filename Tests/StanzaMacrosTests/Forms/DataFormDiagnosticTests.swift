// Mistakes in the use of @DataForm and @Field: each is reported at its place, with the repair.

import Testing

@Suite struct DataFormDiagnosticTests {
    @Test func declarations() {
        expectDiagnostics(
            #"""
            ⟪@DataForm("urn:x")⟫ class A { @Field var b: Int }
                @DataForm belongs on a structure
            ⟪@DataForm("urn:x")⟫ enum A { @Field var b: Int }
                @DataForm belongs on a structure
            ⟪@DataForm("urn:x")⟫ actor A { @Field var b: Int }
                @DataForm belongs on a structure
            enum E { @DataForm("urn:x") ⟪private⟫ struct A { @Field var b: Int } }
                the macro extends this type, and an extension cannot see it: write 'fileprivate'
            struct A { ⟪@Field⟫ var b: Int }
                @Field belongs on a stored property of a structure with @DataForm
            ⟪@Field⟫ var b: Int
                @Field belongs on a stored property of a structure with @DataForm
            @DataForm("urn:x") struct A { @Field var b: Int; ⟪@Field⟫ func c() {} }
                @Field belongs on a stored property of a structure with @DataForm
            @DataForm(⟪""⟫) struct A { @Field var b: Int }
                expected the FORM_TYPE as a string literal
            @DataForm(⟪"\(x)"⟫) struct A { @Field var b: Int }
                expected the FORM_TYPE as a string literal
            @DataForm(⟪x⟫) struct A { @Field var b: Int }
                expected the FORM_TYPE as a string literal
            @DataForm("urn:x") ⟪struct⟫ A { var b = 5 }
                a form needs a field: add '@Field' to a stored property
            """#)
    }

    /// Names are compared code point by code point.
    @Test func fields() {
        expectDiagnostics(
            #"""
            @Field(⟪""⟫) var b: Int
                a field needs a name
            @Field(⟪"FORM_TYPE"⟫) var b: Int
                FORM_TYPE is the argument of @DataForm
            @Field(⟪name⟫) var b: Int
                expected a string literal
            @Field(label: ⟪"\(1)"⟫) var b: Int
                expected a string literal
            @Field("x") var b: Int; @Field var ⟪x⟫: Int
                two fields are called 'x'
            @Field("\#u{E9}") var b: Int; @Field("e\#u{301}") var c: Int
            @Field var ⟪b⟫: Int { 5 }
                a field is a stored property of the instance
            @Field var ⟪b⟫: Int { get { 5 } }
                a field is a stored property of the instance
            @Field static var ⟪b⟫ = 5
                a field is a stored property of the instance
            @Field lazy var ⟪b⟫ = 5
                a field is a stored property of the instance
            @Field var ⟪(b, c) = (1, 2)⟫
                a field needs a declaration of its own
            #if true⏎⟪@Field⟫ var b: Int⏎#endif
                a field is not allowed inside of '#if'
            @Field var a = 1⏎#if B⏎#if true⏎⟪@Field⟫ var b: Int⏎#endif⏎#endif
                a field is not allowed inside of '#if'
            @Field ⟪let⟫ b: Int = 5
                'b': a constant that has a value cannot get that of the form: write 'var'
                → @Field var b: Int = 5
            @Field var b: Int; var ⟪c⟫: Int
                'c' is not a field and has no value: add '@Field', or give it a value
                → @Field var c: Int
            @Field var b: Int; let ⟪c⟫: Int?
                'c' is not a field and has no value: add '@Field', or give it a value
            @Field var b: Int; var c: Int?; var d: Int!; let e = 5; var f: Int { 5 }
            """#, in: #"@DataForm("urn:x") struct A { • }"#)
    }

    @Test(arguments: [
        "⟪(Int, Int)⟫", "⟪() -> Int⟫", "⟪[String: Int]⟫", "⟪Set<Int>⟫", "⟪any Error⟫", "⟪some Equatable⟫", "⟪Int!⟫",
        "⟪Any⟫", "[⟪Set<Int>⟫]", "[⟪Int!⟫]", "[⟪Any⟫]", "[⟪Int?⟫]", "[⟪[Int]⟫]", "[⟪Int?⟫]?", "[⟪[Int]⟫]?",
    ])
    func types(type: String) {
        let inner = type.drop { $0 != "⟪" }.dropFirst().prefix { $0 != "⟫" }
        expectDiagnostics(
            """
            @DataForm("urn:x") struct A { @Field var b: \(type) }
                no field has values of type '\(inner)': use a type that conforms to 'FieldValue', an optional of it, or an array of it
            """)
    }
}
