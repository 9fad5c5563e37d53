// Reading forms in place (5.1 to 5.5), in both kinds of trees: which elements are forms, their properties, and their
// fields.

import Testing
import XMLTree

@testable import DataForms

@Suite struct InPlaceTests {
    @Test(arguments: [
        ("<x xmlns='jabber:x:data'/>", true), ("<d:x xmlns:d='jabber:x:data'/>", true), ("<x/>", false),
        ("<x xmlns='u'/>", false), ("<y xmlns='jabber:x:data'/>", false), ("<X xmlns='jabber:x:data'/>", false),
        ("<x xmlns='jabber:x:data '/>", false), ("<field xmlns='jabber:x:data'/>", false),
    ])
    func formsAreOneNameInOneNamespace(xml: String, isForm: Bool) throws {
        let element = try parse(xml)
        #expect((DataFormElement(element)?.element.isSame(as: element) ?? false) == isForm)
        let editable = element.thaw()
        #expect((DataFormElement(editable)?.element === editable) == isForm)
        #expect((DataForm(element) != nil) == isForm && (DataForm(editable) != nil) == isForm)
    }

    private static func formType(_ value: String) -> String { "<field var='FORM_TYPE'>\(value)</field>" }

    /// Contents of forms, each with its FORM_TYPE and number of items. A field of the form hides that of the first
    /// item, even without a value.
    @Test(arguments: [
        ("", nil, 0), (formType(""), nil, 0), (formType("<value/>"), "", 0), (formType("<value>u</value>"), "u", 0),
        (formType("<value>u</value><value>v</value>"), "u", 0), (formType("<value/><value>v</value>"), "", 0),
        (formType("<value>u</value>") + formType("<value>v</value>"), "u", 0),
        ("<field var='form_type'><value>u</value></field>", nil, 0),
        ("<item>" + formType("<value>u</value>") + "</item>", "u", 1),
        ("<item>" + formType("<value>u</value>") + "</item>" + formType("<value>f</value>"), "f", 1),
        (formType("") + "<item>" + formType("<value>u</value>") + "</item>", nil, 1),
        ("<item/><item>" + formType("<value>u</value>") + "</item><item xmlns='u'/>", nil, 2),
        ("<reported><item/>" + formType("<value>u</value>") + "</reported>", nil, 0),
        ("<field var='FORM_TYPE' type='hidden'><value>u<b/>rn</value></field>", "urn", 0),
    ])
    func formTypes(content: String, formType: String?, items: Int) throws {
        try expectBoth("<x xmlns='jabber:x:data' type='any' xml:type='no'>\(content)</x>") { form in
            #expect(form.formType == formType && form.itemCount == items && form.rawKind == "any")
        }
        try expectBoth("<x xmlns='jabber:x:data' xml:type='form'/>") { #expect($0.rawKind == nil) }
    }

    // MARK: Fields

    /// Contents of fields, each with the description.
    private static let contents: [(content: String, field: FormField)] = [
        ("", FormField("f")), ("<value/>", FormField("f", values: [""])), ("text", FormField("f")),
        ("<value>v</value><value>w</value>", FormField("f", values: ["v", "w"])),
        ("<value> v </value>", FormField("f", values: [" v "])),
        ("<value>a<b>c</b>d</value>", FormField("f", values: ["ad"])),
        ("<value xmlns='u'>v</value><value>w</value>", FormField("f", values: ["w"])),
        ("<Value>v</Value>", FormField("f")),
        // An option without a value does not count; one with an empty value does.
        ("<option label='L'/><option xmlns='u'><value>1</value></option>", FormField("f")),
        ("<option label='L'><value/></option>", FormField("f", options: [FieldOption("", label: "L")])),
        (
            "<option label=''><value>1</value><value>2</value></option>",
            FormField("f", options: [FieldOption("1", label: "")])
        ),
        (
            "<option><value>\u{E9}</value></option><option><value>e\u{301}</value></option>",
            FormField("f", options: ["\u{E9}", "e\u{301}"])
        ),
        // The first description that is not empty counts.
        ("<desc/>", FormField("f")), ("<desc/><desc>d</desc><desc>e</desc>", FormField("f", description: "d")),
        ("<desc> </desc>", FormField("f", description: " ")),
        ("<required>x</required>", FormField("f", isRequired: true)),
        ("<required xmlns='u'/>", FormField("f")),
        // Fields of nested forms do not belong to the form.
        ("<x><field var='f'><value>inner</value></field></x>", FormField("f")),
        (
            "<desc>D</desc><required/><value>1</value><option label='One'><value>1</value></option><option><value>2</value></option>",
            FormField(
                "f", description: "D", isRequired: true, values: ["1"], options: [FieldOption("1", label: "One"), "2"])
        ),
    ]

    @Test(arguments: contents.indices) func fieldContent(_ index: Int) throws {
        let (content, field) = Self.contents[index]
        try expectBoth("<x xmlns='jabber:x:data'><field var='f'>\(content)</field></x>") { form in
            var found = form.field("f")
            found?.extensions = []
            #expect(found == field && form.value(of: "f") == field.values.first)
            #expect(form.field("g") == nil && form.value(of: "g") == nil && form.field("f", inItem: 0) == nil)
        }
    }

    /// Of several options with one value, the last label counts.
    @Test func labels() {
        let options: [FieldOption] = [
            FieldOption("1", label: "a"), FieldOption("1", label: "b"), FieldOption("2", label: "a"), "2", "3",
        ]
        #expect(options.labels == ["1": "b", "2": "2", "3": "3"])
    }

    /// Names of fields are exact, and of several fields of one name the first counts.
    @Test func names() throws {
        let xml = """
            <x xmlns='jabber:x:data'><field><value>no name</value></field><field var='' type='' label='' xml:label='x'>\
            <value>empty</value></field><field var='é'><value>composed</value></field>\
            <field var='twice'><value>1</value></field><field var='twice'><value>2</value></field>\
            <field var='empty-first'/><field var='empty-first'><value>2</value></field>\
            <field xmlns='u' var='foreign'><value>no</value></field></x>
            """
        try expectBoth(xml) { form in
            for (name, value) in [
                ("", "empty"), ("\u{E9}", "composed"), ("e\u{301}", nil), ("twice", "1"), ("empty-first", nil),
                ("foreign", nil), ("Twice", nil),
            ] {
                #expect(form.value(of: name) == value, "\(name)")
            }
            // Attributes as written.
            #expect(form.field("")?.typeName == "" && form.field("")?.label == "" && form.field("twice")?.label == nil)
        }
    }

    private static let table = """
        <x xmlns='jabber:x:data' type='result'>
          <reported><field var='f' type='T' label='L'><desc>D</desc><required/><value>never</value>\
        <option label='O'><value>o</value></option></field><field var='a' label='A'/><field var='r'><value>never</value></field></reported>
          <field var='a'/><field var='own'><value>form</value></field>
          <item><field var='f'><value>1</value></field><field var='own'><value>hidden</value></field><field var='a'><value>a1</value></field></item>
          <item><field var='f' type='t' label='l'><desc>d</desc><option><value>p</value></option></field><field var='g'><value>2</value></field></item>
          <item><field var='f' type='' label=''><desc/><option/></field></item>
        </x>
        """

    /// The lookup searches the form's own fields first, then the first item. With an index only that item counts. An
    /// item's field takes missing properties from the header, which describes items only.
    @Test func tables() throws {
        try expectBoth(Self.table) { form in
            for (name, item, value) in [
                ("f", nil, "1"), ("own", nil, "form"), ("a", nil, nil), ("r", nil, nil), ("none", nil, nil),
                ("f", 0, "1"),
                ("own", 0, "hidden"), ("a", 0, "a1"), ("f", 1, nil), ("g", 1, "2"), ("f", 3, nil), ("f", .max, nil),
            ] as [(String, Int?, String?)] {
                #expect(form.value(of: name, inItem: item) == value, "\(name)")
            }
            var first = FormField(
                "f", label: "L", description: "D", isRequired: true, values: ["1"],
                options: [FieldOption("o", label: "O")])
            first.typeName = "T"
            #expect(form.field("f") == first && form.field("f", inItem: 0) == first)
            var second = FormField("f", label: "l", description: "d", isRequired: true, options: ["p"])
            second.typeName = "t"
            #expect(form.field("f", inItem: 1) == second)
            // Empty attributes do not count as missing; an empty description and an empty list of options do.
            (first.typeName, first.label, first.values) = ("", "", [])
            #expect(form.field("f", inItem: 2) == first)
            #expect(form.field("a") == FormField("a") && form.field("a", inItem: 0)?.label == "A")
            #expect(
                form.field("g", inItem: 1)?.label == nil && form.field("r") == nil && form.field("f", inItem: 3) == nil)
            #expect(form.itemCount == 3)
        }
    }

    /// A form of an editable tree shows later changes, even when the element is not a form any more.
    @Test func changesShow() throws {
        let element = try parse("<x xmlns='jabber:x:data' type='form'><field var='f'><value>1</value></field></x>")
            .thaw()
        let form = try #require(DataFormElement(element))
        element["type"] = "submit"
        element.firstChild?.firstChild?.text = "2"
        #expect(form.rawKind == "submit" && form.value(of: "f") == "2")
        element.firstChild?.remove()
        #expect(form.value(of: "f") == nil && form.field("f") == nil)
        element.setName("y")
        #expect(form.rawKind == nil && form.itemCount == 0)
    }

    /// The lookups without allocation that queries use.
    @Test func questionsOfQueries() throws {
        let element = try parse(
            "<x xmlns='jabber:x:data' type='form'><field var='FORM_TYPE'><value>urn:f</value></field><item/></x>")
        let reader = try #require(FormReader(element.view, element.index))
        func ask<Result>(_ text: String, _ question: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
            Array(text.utf8).withUnsafeBufferPointer(question)
        }
        #expect(ask("form", reader.hasType) && !ask("for", reader.hasType) && !ask("", reader.hasType))
        #expect(ask("urn:f", reader.hasFormType) && !ask("urn:F", reader.hasFormType))
        #expect(reader.item(at: 0) != nil && reader.item(at: 1) == nil && reader.item(at: .max) == nil)
        withExtendedLifetime(element) {}
    }

    // MARK: Editing

    private static let edited = """
        <iq type='result'><query xmlns='u'> <x xmlns='jabber:x:data' type='form'>
          <title>T</title> <field var='a' own='1'><value>1</value><own xmlns='o'/></field>
          <field var='b'><value>2</value></field></x> </query></iq>
        """

    private func place() throws -> (stanza: MutableElement, form: DataFormElement<MutableElement>) {
        let stanza = try parse(Self.edited).thaw()
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
        let expected = Self.edited.replacing("<title>T</title>", with: "").replacing(">1<", with: ">one<")
            .replacing("</field></x>", with: "</field><field var='c'><value>3</value></field></x>")
        #expect(try result == 3 && stanza.freeze() == parse(expected))
        // The other elements are the same as before, and removed ones leave.
        #expect(form.element.children[0] === fields[0] && form.element.children[1] === fields[1])
        #expect(form["a"] == "one" && form.values(of: "a") == ["one"])
        try form.edit { $0["a"] = nil }
        #expect(fields[0].parent == nil && fields[1].parent === form.element && form.element.children.count == 2)
    }

    /// An edit makes all its changes or none, and writes nothing without a change.
    @Test func failures() throws {
        let (stanza, form) = try place()
        struct Stop: Error {}
        #expect(throws: XMLTreeError.self) {
            try form.edit { form in
                form["a"] = "changed"
                form["b"] = "\u{1}"
            }
        }
        #expect(throws: Stop.self) {
            try form.edit { form in
                form["a"] = "changed"
                throw Stop()
            }
        }
        try form.edit { form in
            form["a"] = "x"
            form["a"] = "1"
        }
        #expect(try stanza.freeze() == parse(Self.edited))
        form.element.setName("y")
        try form.edit { $0.title = "lost" }
        #expect(form.element.children[0].text == "T")
    }
}
