// Which elements are forms, and the properties of a form (5.1, 5.2): type, FORM_TYPE, items.

import Testing
import XMLTree

@testable import DataForms

@Suite struct FormSelectionTests {
    @Test func formsAreOneNameInOneNamespace() throws {
        #expect(try DataFormElement(parse("<x xmlns='jabber:x:data'/>")) != nil)
        #expect(try DataFormElement(parse("<d:x xmlns:d='jabber:x:data'/>")) != nil)
        for xml in [
            "<x/>", "<x xmlns='u'/>", "<y xmlns='jabber:x:data'/>", "<X xmlns='jabber:x:data'/>",
            "<x xmlns='jabber:x:data '/>",
        ] {
            #expect(try DataFormElement(parse(xml)) == nil, "\(xml)")
            #expect(try DataFormElement(parse(xml).thaw()) == nil, "\(xml)")
        }
    }

    @Test func types() throws {
        try expectBoth("<x xmlns='jabber:x:data' type='form'/>") { #expect($0.rawKind == "form") }
        try expectBoth("<x xmlns='jabber:x:data' type=''/>") { #expect($0.rawKind == "") }
        try expectBoth("<x xmlns='jabber:x:data' type='whatever'/>") { #expect($0.rawKind == "whatever") }
        try expectBoth("<x xmlns='jabber:x:data' xml:type='form'/>") { #expect($0.rawKind == nil) }
    }

    @Test func formTypes() throws {
        let field = { (value: String) in "<field var='FORM_TYPE'>\(value)</field>" }
        let cases: [(String, String?)] = [
            ("", nil), (field(""), nil), (field("<value/>"), ""), (field("<value>u</value>"), "u"),
            (field("<value>u</value><value>v</value>"), "u"), (field("<value/><value>v</value>"), ""),
            (field("<value>u</value>") + field("<value>v</value>"), "u"),
            ("<field var='form_type'><value>u</value></field>", nil),
            ("<item>" + field("<value>u</value>") + "</item>", "u"),
            (field("<value>f</value>") + "<item>" + field("<value>u</value>") + "</item>", "f"),
            ("<item>" + field("<value>u</value>") + "</item>" + field("<value>f</value>"), "f"),
            // A field of the form hides the item's, even without a value.
            (field("") + "<item>" + field("<value>u</value>") + "</item>", nil),
            // Only the first item counts.
            ("<item/><item>" + field("<value>u</value>") + "</item>", nil),
            ("<reported>" + field("<value>u</value>") + "</reported>", nil),
            ("<field var='FORM_TYPE' type='hidden'><value>u<b/>rn</value></field>", "urn"),
        ]
        for (content, formType) in cases {
            try expectBoth("<x xmlns='jabber:x:data'>\(content)</x>") { #expect($0.formType == formType, "\(content)") }
        }
    }

    @Test func items() throws {
        try expectBoth("<x xmlns='jabber:x:data'/>") { #expect($0.itemCount == 0) }
        try expectBoth(
            "<x xmlns='jabber:x:data'><item/><field/><item/><item xmlns='u'/><reported><item/></reported></x>"
        ) {
            #expect($0.itemCount == 2)
        }
    }

    @Test func aFormKeepsItsElement() throws {
        let element = try parse("<x xmlns='jabber:x:data' type='form'/>")
        #expect(DataFormElement(element)?.element.isSame(as: element) == true)
        let editable = element.thaw()
        #expect(DataFormElement(editable)?.element === editable)
    }

    /// A form of an editable tree shows later changes, even when the element is not a form any more.
    @Test func changesShow() throws {
        let element = try parse("<x xmlns='jabber:x:data' type='form'><field var='f'><value>1</value></field></x>")
            .thaw()
        let form = try #require(DataFormElement(element))
        element["type"] = "submit"
        #expect(form.rawKind == "submit")
        element.firstChild?.firstChild?.text = "2"
        #expect(form.value(of: "f") == "2")
        element.firstChild?.remove()
        #expect(form.value(of: "f") == nil)
        #expect(form.field("f") == nil)
        element.setName("y")
        #expect(form.rawKind == nil)
        #expect(form.itemCount == 0)
    }

    /// The lookups without allocation that queries use.
    @Test func questionsOfQueries() throws {
        let element = try parse(
            "<x xmlns='jabber:x:data' type='form'><field var='FORM_TYPE'><value>urn:f</value></field><item/></x>")
        let reader = try #require(FormReader(element.view, element.index))
        func ask<Result>(_ text: String, _ question: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
            Array(text.utf8).withUnsafeBufferPointer(question)
        }
        #expect(ask("form", reader.hasType))
        #expect(!ask("for", reader.hasType))
        #expect(!ask("", reader.hasType))
        #expect(ask("urn:f", reader.hasFormType))
        #expect(!ask("urn:F", reader.hasFormType))
        #expect(reader.item(at: 0) != nil)
        #expect(reader.item(at: 1) == nil)
        #expect(reader.item(at: .max) == nil)
        withExtendedLifetime(element) {}
    }
}
