// Descriptions of fields (5.5), and what a table's header adds to them.

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
                name: "f", type: "list-multi", allValues: ["1", ""], options: ["1": "One", "2": "2"], label: "L",
                description: "D",
                isRequired: true)
            #expect(form.field("f") == expected)
            #expect(form.field("f")?.value == "1")
            #expect(form.field("g") == nil)
            #expect(form.field("f", inItem: 0) == nil)
        }
    }

    @Test func nothing() throws {
        try expectBoth("<x xmlns='jabber:x:data'><field var='f'/></x>") { form in
            #expect(form.field("f") == FormField(name: "f"))
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
        // Values: without text the empty string, without an element none.
        #expect(try field("<value/>").allValues == [""])
        #expect(try field("<value/>").value == "")
        #expect(try field("").allValues == [])
        #expect(try field("<value>a<b>x</b>c</value>").allValues == ["ac"])
        #expect(try field("<value xmlns='u'>1</value><value>2</value>").allValues == ["2"])
        // Options: without a value none; an empty value is kept; the last of two with one value counts.
        #expect(try field("<option label='L'/>").options == [:])
        #expect(try field("<option label='L'><value/></option>").options == ["": "L"])
        #expect(try field("<option><value/></option>").options == ["": ""])
        #expect(try field("<option label=''><value>1</value></option>").options == ["1": ""])
        #expect(
            try field("<option label='a'><value>1</value></option><option label='b'><value>1</value></option>").options
                == ["1": "b"])
        #expect(
            try field("<option label='a'><value>1</value></option><option><value>1</value></option>").options == [
                "1": "1"
            ])
        #expect(try field("<option label='a'><value>1</value><value>2</value></option>").options == ["1": "a"])
        #expect(try field("<option xmlns='u' label='a'><value>1</value></option>").options == [:])
        #expect(
            try field("<option><value>\u{E9}</value></option><option><value>e\u{301}</value></option>").options.keys.map
            { $0.unicodeScalars.count }
                == [1, 2])
        // Descriptions: an empty one is none, and the first that is not counts.
        #expect(try field("<desc/>").description == nil)
        #expect(try field("<desc/><desc>d</desc>").description == "d")
        #expect(try field("<desc>d</desc><desc>e</desc>").description == "d")
        #expect(try field("<desc> </desc>").description == " ")
        #expect(try field("<required>x</required>").isRequired)
        #expect(try !field("<required xmlns='u'/>").isRequired)
        // Attributes as written.
        #expect(try field("", "type='' label=''").type == "")
        #expect(try field("", "type='' label=''").label == "")
        #expect(try field("", "xml:label='x'").label == nil)
    }

    /// What an item's field lacks comes from the header.
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
            let first = FormField(
                name: "f", type: "T", allValues: ["1"], options: ["o": "O"], label: "L", description: "D",
                isRequired: true)
            #expect(form.field("f") == first)
            #expect(form.field("f", inItem: 0) == first)
            #expect(
                form.field("f", inItem: 1)
                    == FormField(
                        name: "f", type: "t", options: ["p": "p"], label: "l", description: "d", isRequired: true))
            // Attributes that are there but empty are not lacking; an empty description and no options are.
            #expect(
                form.field("f", inItem: 2)
                    == FormField(
                        name: "f", type: "", options: ["o": "O"], label: "", description: "D", isRequired: true))
            #expect(form.field("g", inItem: 1) == FormField(name: "g"))
            #expect(form.field("only") == nil)
            #expect(form.field("f", inItem: 3) == nil)
        }
    }

    /// The header is for items; a form's own field is described by itself.
    @Test func fieldsOfTheFormItself() throws {
        let xml = """
            <x xmlns='jabber:x:data'><reported><field var='f' type='T' label='L'/></reported><field var='f'/>\
            <item><field var='f'/></item></x>
            """
        try expectBoth(xml) { form in
            #expect(form.field("f") == FormField(name: "f"))
            #expect(form.field("f", inItem: 0) == FormField(name: "f", type: "T", label: "L"))
        }
    }

    @Test func equalityIsExact() {
        let field = FormField(name: "\u{E9}", allValues: ["\u{E9}"], options: ["a": "1", "b": "2"])
        #expect(field == FormField(name: "\u{E9}", allValues: ["\u{E9}"], options: ["b": "2", "a": "1"]))
        #expect(field != FormField(name: "e\u{301}", allValues: ["\u{E9}"], options: ["a": "1", "b": "2"]))
        #expect(field != FormField(name: "\u{E9}", allValues: ["e\u{301}"], options: ["a": "1", "b": "2"]))
        #expect(FormField(name: "f", label: "") != FormField(name: "f"))
        #expect(FormField(name: "f", isRequired: true) != FormField(name: "f"))
        #expect(FormField(name: "f", type: "t") != FormField(name: "f", type: "u"))
        #expect(FormField(name: "f", description: "t") != FormField(name: "f"))
    }

    /// The examples in the doc comments.
    @Test func documentation() throws {
        let element = try form(
            """
            <x xmlns='jabber:x:data' type='form'><field var='FORM_TYPE' type='hidden'><value>urn:xmpp:http:upload:0</value></field>\
            <field var='max-file-size'><value>5242880</value></field></x>
            """)
        let form = DataForm(element)
        #expect(form?.formType == "urn:xmpp:http:upload:0")
        #expect(form?.value(of: "max-file-size") == "5242880")
        #expect(MutableDataForm(element.thaw())?.value(of: "max-file-size") == "5242880")
    }
}
