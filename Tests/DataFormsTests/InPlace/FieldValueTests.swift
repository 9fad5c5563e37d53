// Values of fields (5.4): the lookup of a field, and its first value.

import Testing
import XMLTree

@testable import DataForms

@Suite struct FieldValueTests {
    private static let table = """
        <x xmlns='jabber:x:data' type='result'>
          <reported><field var='r' type='text-single'><value>never</value></field><field var='a' label='A'/></reported>
          <field var='f'><value>form</value></field>
          <field var='a'/>
          <item><field var='i'><value>one</value></field><field var='f'><value>hidden</value></field><field var='a'><value>a1</value></field></item>
          <item><field var='i'><value>two</value></field><field var='a'><value>a2</value></field></item>
          <item/>
        </x>
        """

    @Test func whereFieldsAreLookedFor() throws {
        try expectBoth(Self.table) { form in
            // The lookup searches the form's own fields first, then the first item.
            #expect(form.value(of: "f") == "form")
            #expect(form.value(of: "i") == "one")
            // The form's own field hides the item's, even without a value.
            #expect(form.value(of: "a") == nil)
            #expect(form.value(of: "r") == nil)
            #expect(form.value(of: "none") == nil)
            // With an index only that item counts.
            #expect(form.value(of: "i", inItem: 0) == "one")
            #expect(form.value(of: "i", inItem: 1) == "two")
            #expect(form.value(of: "i", inItem: 2) == nil)
            #expect(form.value(of: "i", inItem: 3) == nil)
            #expect(form.value(of: "i", inItem: .max) == nil)
            #expect(form.value(of: "f", inItem: 0) == "hidden")
            #expect(form.value(of: "f", inItem: 1) == nil)
            #expect(form.value(of: "a", inItem: 1) == "a2")
        }
    }

    @Test func whichValueCounts() throws {
        let cases: [(String, String?)] = [
            ("", nil), ("<value/>", ""), ("<value>v</value>", "v"), ("<value>v</value><value>w</value>", "v"),
            ("<value/><value>w</value>", ""),
            ("<value> v </value>", " v "), ("<value>a<b>c</b>d</value>", "ad"), ("<value xmlns='u'>v</value>", nil),
            ("<value xmlns='u'>v</value><value>w</value>", "w"), ("<option><value>v</value></option>", nil),
            ("<Value>v</Value>", nil),
            ("text", nil), ("<value>é</value>", "é"), ("<value>&lt;&amp;</value>", "<&"),
        ]
        for (content, value) in cases {
            try expectBoth("<x xmlns='jabber:x:data'><field var='f'>\(content)</field></x>") {
                #expect($0.value(of: "f") == value, "\(content)")
            }
        }
    }

    @Test func names() throws {
        let xml = """
            <x xmlns='jabber:x:data'><field><value>no name</value></field><field var=''><value>empty</value></field>\
            <field var='muc#roomconfig_roomname'><value>room</value></field><field var='é'><value>composed</value></field>\
            <field var='twice'><value>1</value></field><field var='twice'><value>2</value></field>\
            <field var='empty-first'/><field var='empty-first'><value>2</value></field>\
            <field xmlns='u' var='foreign'><value>no</value></field></x>
            """
        try expectBoth(xml) { form in
            #expect(form.value(of: "muc#roomconfig_roomname") == "room")
            #expect(form.value(of: "") == "empty")
            #expect(form.value(of: "\u{E9}") == "composed")
            #expect(form.value(of: "e\u{301}") == nil)
            #expect(form.value(of: "twice") == "1")
            #expect(form.value(of: "empty-first") == nil)
            #expect(form.value(of: "foreign") == nil)
            #expect(form.value(of: "Twice") == nil)
        }
    }

    /// Only children belong to a form: fields of nested forms do not.
    @Test func nestedForms() throws {
        let xml = """
            <x xmlns='jabber:x:data'><field var='o'><value>v</value><x><field var='n'><value>inner</value></field></x></field>\
            <x><field var='n'><value>inner</value></field></x></x>
            """
        try expectBoth(xml) { form in
            #expect(form.value(of: "n") == nil)
            #expect(form.value(of: "o") == "v")
        }
    }
}
