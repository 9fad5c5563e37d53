// Forms as values: making them, their fields by name and by item, FORM_TYPE, and equality.

import Testing
import XMLTree

@testable import DataForms
@testable import FormModel

@Suite struct DataFormTests {
    @Test func making() throws {
        let form = DataForm(.submit, formType: "urn:f", ["b": "2", "a": "1"])
        #expect(form.kind == .submit && form.formType == "urn:f" && form.keys == ["FORM_TYPE", "b", "a"])
        #expect(form.fields[0].type == .hidden && form.fields[1] == FormField("b", values: ["2"]))
        #expect(DataForm(.result, StringMap()).fields == [])
        let table = DataForm(
            .result, title: "T", instructions: ["I"], reported: [FormField("n", .textSingle)], items: [["n": "1"]])
        #expect(
            try table.element().xmlString() == """
                <x xmlns='jabber:x:data' type='result'><title>T</title><instructions>I</instructions>\
                <reported><field var='n' type='text-single'/></reported><item><field var='n'><value>1</value></field></item></x>
                """)
        #expect(try FormField(parse("<field xmlns='u'/>")) == nil)
        #expect(try FormField(parse("<field xmlns='jabber:x:data' var='f'/>").thaw()) == FormField("f"))
    }

    @Test func types() {
        var form = DataForm(.form)
        form.kind = .result
        #expect(form.rawKind == "result")
        form.rawKind = "other"
        #expect(form.kind == nil)
        form.kind = nil
        #expect(form.rawKind == nil)
        var field = FormField("f", .listMulti)
        #expect(field.typeName == "list-multi")
        field.typeName = "select-single"
        #expect(field.type == .textSingle)
        field.type = nil
        #expect(field.typeName == nil)
        #expect(FieldType.allCases.filter(\.allowsSeveralValues) == [.hidden, .jidMulti, .listMulti, .textMulti])
    }

    /// A field is absent, empty, or has a value, which may be the empty text. Any name is valid, and the lookup
    /// compares code points.
    @Test func fieldsByName() {
        var form = DataForm(
            .submit,
            fields: [
                FormField("empty"), FormField("text", values: [""]),
                FormField("a", .textMulti, label: "A", values: ["1", "2"]),
            ])
        for (name, values) in [("absent", nil), ("empty", []), ("text", [""]), ("a", ["1", "2"])]
            as [(String, [String]?)]
        {
            #expect(form.field(name)?.values == values && form.values(of: name) == values ?? [])
            #expect(form[name] == values?.first && form.value(of: name) == values?.first)
        }
        form["a"] = "3"
        #expect(form.field("a") == FormField("a", .textMulti, label: "A", values: ["3"]))
        form["{http://example.com/pubsub}time_restrictions"] = "c"
        form["\u{E9}"] = "e"
        form[""] = "f"
        #expect(
            form["{http://example.com/pubsub}time_restrictions"] == "c" && form["e\u{301}"] == nil && form[""] == "f")
        for name in ["a", "a", "text"] { form[name] = nil }
        #expect(form.keys == ["empty", "{http://example.com/pubsub}time_restrictions", "\u{E9}", ""])
    }

    @Test func settingFields() {
        var form = DataForm(.form)
        form.set("a", to: ["1"], type: .listMulti, options: ["1", "2"])
        #expect(form.field("a") == FormField("a", .listMulti, values: ["1"], options: ["1", "2"]))
        form.set("a", to: ["2", "1"])
        #expect(form.field("a") == FormField("a", .listMulti, values: ["2", "1"], options: ["1", "2"]))
        form.setField(FormField("a", .boolean))
        form.setField(FormField(nil, .fixed, values: ["x"]))
        form.setField(FormField(nil, .fixed, values: ["y"]))
        #expect(form.fields.count == 3 && form.fields[0] == FormField("a", .boolean))
        form.fields.append(FormField("a", values: ["second"]))
        #expect(form.removeField("a") == FormField("a", .boolean) && form.removeField("a") == nil)
        #expect(form.fields.count == 2)
    }

    /// Indexes may be untrusted: an invalid one does not stop the program.
    @Test(arguments: [-1, 1, 2, .max, .min]) func itemsThatThereAreNot(index: Int) throws {
        let form = DataForm(.result, items: [["n": "1"]])
        var changed = form
        #expect(throws: NoSuchItem(index: index, count: 1)) { try changed.set("n", to: ["2"], inItem: index) }
        #expect(throws: NoSuchItem(index: index, count: 1)) { try changed.setField(FormField("n"), inItem: index) }
        #expect(changed.removeField("n", inItem: index) == nil && changed.field("n", inItem: index) == nil)
        #expect(changed.values(of: "n", inItem: index) == [] && changed[index] == nil)
        changed[index] = nil
        #expect(changed == form)
        // The next index appends.
        changed[index] = ["n": "2"]
        #expect(changed.items.count == (index == 1 ? 2 : 1))
        #expect(NoSuchItem(index: 3, count: 2).description == "no item at index 3: expected 0 to 1")
        #expect(
            NoSuchItem(index: 0, count: 0).description
                == "no item at index 0: expected none, because the form has no items")
    }

    @Test func items() throws {
        var form = DataForm(
            .result, reported: [FormField("n", .textSingle, label: "N")], items: [["n": "1"], ["n": "2"]])
        #expect(form.count == 2 && form[0]?["n"] == "1" && form.value(of: "n", inItem: 1) == "2")
        #expect(form.field("n", inItem: 0) == FormField("n", .textSingle, label: "N", values: ["1"]))
        // Without an index: the form itself, then the first item.
        form["n"] = "one"
        try form.set("n", to: ["two"], inItem: 1)
        try form.setField(FormField("m", values: ["3"]), inItem: 1)
        #expect(form[0]?["n"] == "one" && form[1]?.values == ["n": "two", "m": "3"])
        #expect(form.removeField("m", inItem: 1)?.values == ["3"])
        form[2] = ["n": "three"]
        form[0] = nil
        #expect(form.items.map(\.values) == [["n": "two"], ["n": "three"]] && form["n"] == "two")
        form["own"] = "x"
        #expect(form.fields.map(\.name) == ["own"])
        form.fields.append(FormField("n"))
        #expect(form["n"] == nil)
    }

    @Test func asADictionary() {
        var form = DataForm(.submit, formType: "u", ["a": "1", "b": "2", "c": "1"])
        form.fields += [
            FormField("multi", values: ["5", "1"]), FormField(nil, .fixed, values: ["heading"]), FormField("empty"),
        ]
        // `keys` has one key more than `values` has entries, so that two arrays would not fit.
        #expect(form.keys == ["FORM_TYPE", "a", "b", "c", "multi", "empty"] && form.count == 6)
        #expect(form.values == ["FORM_TYPE": "u", "a": "1", "b": "2", "c": "1", "multi": "5"])
        #expect(form.keys(for: "1") == ["a", "c", "multi"] && form.keys(for: "9") == [])
        form.add(["b": "two", "d": "4"])
        #expect(form["b"] == "two" && form.keys.last == "d")
        form.replaceFields(with: ["z": "26"])
        #expect(form.keys == ["FORM_TYPE", "z"])
        // Of two fields of one name the first counts.
        var item = FormItem(fields: [
            FormField("a", values: ["1"]), FormField("b", values: ["2"]), FormField("a", values: ["3"]),
        ])
        #expect(item.values == ["a": "1", "b": "2"] && item["a"] == "1")
        item["b"] = nil
        item["c"] = "4"
        #expect(item.values == ["a": "1", "c": "4"])
        let table = DataForm(.result, items: [["x": "1", "y": "2"], ["x": "3"]])
        #expect(table.keys == ["x", "y"] && table.values == ["x": "1", "y": "2"])
    }

    /// FORM_TYPEs by the form's type. Not hidden, it is a field like any other, except in a submission (XEP-0068 §4.3).
    @Test(arguments: [
        (" type='hidden'", "u", "u", "u"), ("", nil, nil, "u"), (" type='text-single'", nil, nil, "u"),
    ])
    func formTypes(attribute: String, form: String?, result: String?, submit: String?) throws {
        func formType(_ content: String, _ type: String) throws -> String? {
            try #require(DataForm(parse("<x xmlns='jabber:x:data' type='\(type)'>\(content)</x>"))).formType
        }
        let field = "<field var='FORM_TYPE'\(attribute)><value>u</value><value>v</value></field>"
        #expect(try formType(field, "form") == form && formType(field, "result") == result)
        #expect(try formType(field, "submit") == submit)
        let hidden = "<field var='FORM_TYPE' type='hidden'><value>w</value></field>"
        #expect(try formType(field + hidden, "form") == form ?? "w")
        #expect(try formType("<item>\(hidden)</item>", "result") == "w")
        #expect(try formType("<item/><item>\(hidden)</item>", "result") == nil)
        var own = DataForm(.form, fields: [FormField("a"), FormField("FORM_TYPE", .textSingle, values: ["x"])])
        own.formType = "urn:1"
        #expect(own.fields.filter { $0.name == "FORM_TYPE" } == [FormField("FORM_TYPE", .hidden, values: ["urn:1"])])
        own.fields = [FormField("a")]
        own.formType = "urn:2"
        #expect(own.fields.map(\.name) == ["FORM_TYPE", "a"] && own.formType == "urn:2")
        own.formType = nil
        #expect(own.fields.map(\.name) == ["a"])
    }

    // MARK: Equality

    @Test func valueSemantics() throws {
        let element = try parse("<x xmlns='jabber:x:data' type='form'><title>1</title><field var='f'/></x>")
        let one = try #require(DataForm(element))
        var other = one
        other.title = "2"
        #expect(one.title == "1" && one != other)
        other.title = "1"
        // Remembered elements do not count.
        #expect(Set([one, other, DataForm(.form, title: "1", fields: [FormField("f")])]).count == 1)
        for change: (inout DataForm) -> Void in [
            { $0.rawKind = nil }, { $0.instructions = ["i"] }, { $0.pages = [FormSection()] }, { $0.fields = [] },
            { $0.reported = [] }, { $0.items = [FormItem()] }, { $0.extensions = [element] },
            { $0.title = "\u{31}\u{301}" },
        ] {
            var changed = one
            change(&changed)
            #expect(changed != one)
        }
    }

    /// Equality compares all properties, and texts by code points.
    @Test func equalityIsExact() {
        let (e, other) = ("\u{E9}", "e\u{301}")
        let fields = [
            FormField(e, values: [e], options: ["a", "b"]), FormField(other, values: [e], options: ["a", "b"]),
            FormField(e, values: [other], options: ["a", "b"]), FormField(e, values: [e], options: ["b", "a"]),
            FormField("f"),
            FormField("f", label: ""), FormField("f", isRequired: true), FormField("f", .boolean),
            FormField("f", .textMulti),
            FormField("f", description: "t"), FormField(nil), FormField(""),
            FormField("f", validation: FieldValidation(e)),
            FormField("f", validation: FieldValidation(other)),
            FormField("f", media: FieldMedia(uris: [MediaURI(e, type: nil)])),
            FormField("f", media: FieldMedia(uris: [MediaURI(other, type: nil)])),
        ]
        #expect(Set(fields + fields).count == fields.count)
        #expect(
            Set([FieldOption(e), FieldOption(other), FieldOption("a", label: e), FieldOption("a", label: other)]).count
                == 4)
        #expect(FormSection(label: e) != FormSection(label: other))
        #expect(LayoutPart.field(e) != .field(other) && LayoutPart.text("a") != .field("a"))
        #expect(FieldValidation.Method.regex(e) != .regex(other))
        #expect(FieldValidation.Method.range(min: e, max: nil) != .range(min: other, max: nil))
    }
}
