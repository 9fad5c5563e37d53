// Mistakes in the use of @Payload and its marks: each is reported at its place, with the repair.

import Testing

@Suite struct PayloadDiagnosticTests {
    @Test func declarations() {
        expectDiagnostics(
            #"""
            ⟪@Payload("{urn:x}a")⟫ class A {}
                @Payload belongs on a structure or an enumeration
            ⟪@Payload("{urn:x}a")⟫ actor A {}
                @Payload belongs on a structure or an enumeration
            enum E { @Payload("{urn:x}a") ⟪private⟫ struct A {} }
                the macro extends this type, and an extension cannot see it: write 'fileprivate'
            enum A { ⟪@Case("c")⟫ case b }
                @Case belongs on a case of an enumeration with @Payload
            @Payload("{urn:x}a") struct A { ⟪@Case("c")⟫ var b = 5 }
                @Case belongs on a case of an enumeration with @Payload
            @Payload(⟪"a"⟫) struct A {}
                write '{namespace}name'
            @Payload(⟪name⟫) struct A {}
                expected a string literal
            ⟪@Payload⟫ struct A {}
                expected the name of the element: @Payload("{namespace}name")
            @Payload(⟪"{urn:x}5"⟫) struct A {}
                '5' is not a name: expected a letter or '_', then letters, digits, '-', '_' or '.'
            @Payload(⟪"{urn: x}a"⟫) struct A {}
                'urn: x' is not a namespace: it has a character that no URI has
            @Payload(⟪"{http://www.w3.org/2000/xmlns/}a"⟫) struct A {}
                no element or attribute has the namespace of 'xmlns'
            @Payload("{urn:x}a", refusesOthers: ⟪x⟫) struct A {}
                expected true or false
            @Payload("{urn:x}a", by: ⟪"b"⟫) struct A {}
                'by' chooses a case, and a structure has none
            """#)
    }

    @Test(arguments: ["Attribute", "Text", "Child", "Flag", "Form", "Rest", "Query"])
    func marksAlone(mark: String) {
        expectDiagnostics(
            """
            struct A { ⟪@\(mark)⟫ var b: Int }
                @\(mark) belongs on a stored property of a structure with @Payload
            @Payload("{urn:x}a") struct A { ⟪@\(mark)⟫ func b() {} }
                @\(mark) belongs on a stored property of a structure with @Payload
            """)
    }

    @Test func members() {
        expectDiagnostics(
            #"""
            @Attribute(⟪""⟫) var b: Int
                '' is not a name: expected a letter or '_', then letters, digits, '-', '_' or '.'
            @Child(⟪"a/b"⟫) var b: Int
                'a/b' is not a name: expected a letter or '_', then letters, digits, '-', '_' or '.'
            @Child(in: ⟪"a b"⟫) var b: B
                'a b' is not a name: expected a letter or '_', then letters, digits, '-', '_' or '.'
            @Attribute(⟪"p:a"⟫) var b: Int
                'p:a' is not a name: expected a letter or '_', then letters, digits, '-', '_' or '.'; write '{namespace}name' instead of a prefix
            @Flag var ⟪`is it`⟫: Bool
                'is it' is not a name: expected a letter or '_', then letters, digits, '-', '_' or '.'
            @Attribute(⟪x⟫) var b: Int
                expected a string literal
            @Attribute("xml:lang") var b: Int; @Child("{urn:y}é") var c: Int
            @Attribute var b: Int; @Attribute(⟪"b"⟫) var c: Int
                two members are the attribute 'b'
            @Child("b") var b: Int; @Flag(⟪"b"⟫) var c: Bool
                two members are the child element 'b'
            @Text var b: Int; @Text var ⟪c⟫: Int
                two members are the text of the element
            @Child var b: B?; @Child var ⟪c⟫: [B]
                two members are the payload 'B'
            @Rest var b: [Element]; @Rest var ⟪c⟫: [Element]
                two members are the rest
            @Child(in: "x") var b: B; @Child(in: "y") var c: B; @Attribute var d: B
            @Attribute ⟪@Child⟫ var b: Int
                one mark is enough: remove the others
            @Rest var b: [Element]; @Child var ⟪c⟫: C
                '@Rest' reads the content that the members before it leave: write it after this one
            @Rest var b: [Element]; @Attribute var c: C
            @Attribute var ⟪b⟫: Int { 5 }
                a member is a stored property of the instance
            @Attribute static var ⟪b⟫ = 5
                a member is a stored property of the instance
            @Attribute var ⟪(b, c) = (1, 2)⟫
                a member needs a declaration of its own
            #if true⏎⟪@Attribute⟫ var b: Int⏎#endif
                a member is not allowed inside of '#if'
            @Attribute ⟪let⟫ b: Int = 5
                'b': a constant that has a value cannot get that of the element: write 'var'
                → @Attribute var b: Int = 5
            var ⟪c⟫: Int
                'c' is not a member and has no value: add '@Attribute', '@Child' or another mark, or a value
            var c: Int?; let d = 5
            """#, in: #"@Payload("{urn:x}a") struct A { • }"#)
    }

    @Test func types() {
        expectDiagnostics(
            #"""
            @Attribute var b: ⟪(Int, Int)⟫
                no member has values of type '(Int, Int)'
            @Attribute var b: ⟪() -> Int⟫
                no member has values of type '() -> Int'
            @Attribute var b: ⟪[String: Int]⟫
                no member has values of type '[String: Int]'
            @Attribute var b: ⟪any Error⟫
                no member has values of type 'any Error'
            @Attribute var b: ⟪Int!⟫
                no member has values of type 'Int!'
            @Attribute var b: ⟪[Int]⟫
                an attribute has one value: '[Int]' has several
            @Text var b: ⟪[Int]⟫
                a text has one value: '[Int]' has several
            @Child("c") var b: ⟪[Int]?⟫
                an array is empty without elements: write '[Int]'
            @Flag var b: ⟪Bool?⟫
                a flag is a 'Bool': the child element exists, or it does not
            @Rest var b: ⟪[Int]⟫
                the rest is '[Element]', 'Element?' or 'Element'
            @Child var subject: ⟪String?⟫
                'String' is not a payload: write the name of the child element, '@Child("subject")'
            @Child(attribute: ⟪"code"⟫) var b: [Int]
                the attribute of which child element? Write its name first
            @Query("a#") var b: ⟪String⟫
                a query may find nothing: write 'String?' or '[String]'
            @Query("a#") var b: ⟪Int?⟫
                the query gives String, not Int
            @Query("a<b=\(⟪x⟫)>#") var b: String?
                there is nothing to interpolate here
            @Query("a#|int") var b: [Int]; @Query("a") var c: Element?
            """#, in: #"@Payload("{urn:x}a") struct A { • }"#)
        let mistakes = reportedMistakes(in: #"@Payload("{urn:x}a") struct A { @Query("a<") var b: Element? }"#)
        #expect(mistakes.map(\.text) == ["a<"])
    }

    @Test func choices() {
        expectDiagnostics(
            #"""
            @Payload("{urn:x}") ⟪enum⟫ A {}
                a choice needs a case
            ⟪@Payload⟫ enum A { case b }
                a case without a payload needs a namespace: @Payload("{namespace}")
            @Payload(⟪"{urn:x}a"⟫) enum A { case b }
                the cases are the names: write the namespace alone, '{namespace}'
            @Payload(⟪"a"⟫, by: "type") enum A { case b }
                expected the name of the element: '{namespace}name'
            @Payload("{urn:x}") enum A { case b; @Case("b") case ⟪c⟫ }
                two cases are read from the same content
            @Payload("{urn:x}") enum A { case b(⟪C, D⟫) }
                a case has one payload at most
            @Payload("{urn:x}") enum A { ⟪@Case("x")⟫ case b, c }
                one name for several cases: give each a declaration of its own
            @Payload("{urn:x}") enum A { @Case(⟪"x"⟫) case b(B) }
                the payload has the name of the element: remove this
            @Payload enum A { case b(B); case c(C) }
            """#)
    }
}
