// Changing forms in place.

import Testing
import XMLTree

@testable import DataForms

@Suite struct EditingTests {
    private static let xml = """
        <iq type='result'><query xmlns='u'> <x xmlns='jabber:x:data' type='form'>
          <title>T</title> <field var='a' own='1'><value>1</value><own xmlns='o'/></field>
          <field var='b'><value>2</value></field></x> </query></iq>
        """

    private func place() throws -> (stanza: MutableElement, form: DataFormElement<MutableElement>) {
        let stanza = try parse(Self.xml).thaw()
        let x = try #require(stanza.firstChild?.firstChild)
        return (stanza, try #require(DataFormElement(x)))
    }

    @Test func changesStayInTheStanza() throws {
        let (stanza, form) = try place()
        let fields = form.element.children.filter { $0.name == "field" }
        let result = try form.edit { form -> Int in
            form["a"] = "one"
            form.title = nil
            form["c"] = "3"
            return form.fields.count
        }
        #expect(result == 3)
        let expected = Self.xml.replacing("<title>T</title>", with: "").replacing(">1<", with: ">one<")
            .replacing("</field></x>", with: "</field><field var='c'><value>3</value></field></x>")
        #expect(try stanza.freeze() == parse(expected))
        // The other elements are the same as before.
        #expect(form.element.children.filter { $0.name == "field" }[0] === fields[0])
        #expect(form.element.children.filter { $0.name == "field" }[1] === fields[1])
        #expect(form["a"] == "one")
        #expect(form.values(of: "a") == ["one"])
    }

    @Test func removedFieldsLeave() throws {
        let (_, form) = try place()
        let a = form.element.children[1]
        let b = form.element.children[2]
        try form.edit { $0["a"] = nil }
        #expect(a.parent == nil)
        #expect(b.parent === form.element)
        #expect(form.element.children.map(\.name) == ["title", "field"])
    }

    /// An edit makes all its changes or none.
    @Test func failures() throws {
        let (stanza, form) = try place()
        #expect(throws: XMLTreeError.self) {
            try form.edit { form in
                form["a"] = "changed"
                form["b"] = "\u{1}"
            }
        }
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try form.edit { form in
                form["a"] = "changed"
                throw Stop()
            }
        }
        #expect(try stanza.freeze() == parse(Self.xml))
    }

    @Test func nothingIsWrittenWithoutChange() throws {
        let (stanza, form) = try place()
        try form.edit { form in
            form["a"] = "x"
            form["a"] = "1"
        }
        #expect(try stanza.freeze() == parse(Self.xml))
        form.element.setName("y")
        try form.edit { $0.title = "lost" }
        #expect(form.element.children[0].text == "T")
    }
}
