// Descriptions of fields (5.5), and the additions of a table's header to them.

import Testing
import XMLTree

@testable import DataForms

@Suite struct FieldDescriptionTests {
    @Test func everything() throws {
        let xml = """
            <x xmlns='jabber:x:data'><field var='f' type='list-multi' label='L'><desc>D</desc><required/><value>1</value><value/>\
            <option label='One'><value>1</value></option><option><value>2</value></option></field></x>
            """
        try expectBoth(xml) { form in
            let expected = FormField(
                "f", .listMulti, label: "L", description: "D", isRequired: true, values: ["1", ""],
                options: [FieldOption("1", label: "One"), "2"])
            #expect(form.field("f") == expected)
            #expect(form.field("f")?.options.labels == ["1": "One", "2": "2"])
            #expect(form.field("f")?.value == "1")
            #expect(form.field("g") == nil)
            #expect(form.field("f", inItem: 0) == nil)
        }
    }

    @Test func nothing() throws {
        try expectBoth("<x xmlns='jabber:x:data'><field var='f'/></x>") { form in
            #expect(form.field("f") == FormField("f"))
            #expect(form.field("f")?.value == nil)
        }
    }

    @Test func details() throws {
        func field(_ content: String, _ attributes: String = "") throws -> FormField {
            var found: FormField?
            try expectBoth("<x xmlns='jabber:x:data'><field var='f' \(attributes)>\(content)</field></x>") { form in
                if found == nil { found = form.field("f") } else { #expect(form.field("f") == found) }
            }
            return try #require(found)
        }
        // An empty element is an empty value; without an element, the field has no value.
        #expect(try field("<value/>").values == [""])
        #expect(try field("<value/>").value == "")
        #expect(try field("").values == [])
        #expect(try field("<value>a<b>x</b>c</value>").values == ["ac"])
        #expect(try field("<value xmlns='u'>1</value><value>2</value>").values == ["2"])
        // An option without a value does not count; one with an empty value does. The last of two equal values counts.
        #expect(try field("<option label='L'/>").options == [])
        #expect(try field("<option label='L'><value/></option>").options.labels == ["": "L"])
        #expect(try field("<option><value/></option>").options == [""])
        #expect(try field("<option label=''><value>1</value></option>").options == [FieldOption("1", label: "")])
        #expect(
            try field("<option label='a'><value>1</value></option><option label='b'><value>1</value></option>").options
                .labels
                == ["1": "b"])
        #expect(
            try field("<option label='a'><value>1</value></option><option><value>1</value></option>").options.labels
                == ["1": "1"])
        #expect(try field("<option label='a'><value>1</value><value>2</value></option>").options.labels == ["1": "a"])
        #expect(try field("<option xmlns='u' label='a'><value>1</value></option>").options == [])
        #expect(
            try field("<option><value>\u{E9}</value></option><option><value>e\u{301}</value></option>").options
                .map(\.value.unicodeScalars.count) == [1, 2])
        // The first description that is not empty counts.
        #expect(try field("<desc/>").description == nil)
        #expect(try field("<desc/><desc>d</desc>").description == "d")
        #expect(try field("<desc>d</desc><desc>e</desc>").description == "d")
        #expect(try field("<desc> </desc>").description == " ")
        #expect(try field("<required>x</required>").isRequired)
        #expect(try !field("<required xmlns='u'/>").isRequired)
        // Attributes as written.
        #expect(try field("", "type='' label=''").typeName == "")
        #expect(try field("", "type='' label=''").label == "")
        #expect(try field("", "xml:label='x'").label == nil)
    }

    /// An item's field takes missing properties from the header.
    @Test func headersOfTables() throws {
        let xml = """
            <x xmlns='jabber:x:data'>\
            <reported><field var='f' type='T' label='L'><desc>D</desc><required/><value>never</value>\
            <option label='O'><value>o</value></option></field><field var='only'/></reported>\
            <item><field var='f'><value>1</value></field></item>\
            <item><field var='f' type='t' label='l'><desc>d</desc><option><value>p</value></option></field><field var='g'/></item>\
            <item><field var='f' type='' label=''><desc/><option/></field></item></x>
            """
        try expectBoth(xml) { form in
            var first = FormField(
                "f", label: "L", description: "D", isRequired: true, values: ["1"],
                options: [FieldOption("o", label: "O")])
            first.typeName = "T"
            #expect(form.field("f") == first)
            #expect(form.field("f", inItem: 0) == first)
            var second = FormField("f", label: "l", description: "d", isRequired: true, options: ["p"])
            second.typeName = "t"
            #expect(form.field("f", inItem: 1) == second)
            // Empty attributes do not count as missing; an empty description and an empty list of options do.
            var third = first
            (third.typeName, third.label, third.values) = ("", "", [])
            #expect(form.field("f", inItem: 2) == third)
            #expect(form.field("g", inItem: 1) == FormField("g"))
            #expect(form.field("only") == nil)
            #expect(form.field("f", inItem: 3) == nil)
        }
    }

    /// The header describes items only; a form's own field describes itself.
    @Test func fieldsOfTheFormItself() throws {
        let xml = """
            <x xmlns='jabber:x:data'><reported><field var='f' type='boolean' label='L'/></reported><field var='f'/>\
            <item><field var='f'/></item></x>
            """
        try expectBoth(xml) { form in
            #expect(form.field("f") == FormField("f"))
            #expect(form.field("f", inItem: 0) == FormField("f", .boolean, label: "L"))
        }
    }

    @Test func equalityIsExact() {
        let field = FormField("\u{E9}", values: ["\u{E9}"], options: ["a", "b"])
        #expect(field == FormField("\u{E9}", values: ["\u{E9}"], options: ["a", "b"]))
        #expect(field != FormField("e\u{301}", values: ["\u{E9}"], options: ["a", "b"]))
        #expect(field != FormField("\u{E9}", values: ["e\u{301}"], options: ["a", "b"]))
        #expect(field != FormField("\u{E9}", values: ["\u{E9}"], options: ["b", "a"]))
        #expect(FormField("f", label: "") != FormField("f"))
        #expect(FormField("f", isRequired: true) != FormField("f"))
        #expect(FormField("f", .boolean) != FormField("f", .textMulti))
        #expect(FormField("f", description: "t") != FormField("f"))
        #expect(FormField(nil) != FormField(""))
        #expect(FieldOption("\u{E9}") != FieldOption("e\u{301}"))
        #expect(FieldOption("a", label: "\u{E9}") != FieldOption("a", label: "e\u{301}"))
    }
}
