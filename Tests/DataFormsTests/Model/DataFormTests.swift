// Forms as values: making them, their fields by name and by item, and FORM_TYPE.

import Testing
import XMLTree

@testable import DataForms
@testable import FormModel

@Suite struct DataFormTests {
    @Test func making() throws {
        let form = DataForm(.submit, formType: "urn:f", ["b": "2", "a": "1"])
        #expect(form.kind == .submit)
        #expect(form.formType == "urn:f")
        #expect(form.keys == ["FORM_TYPE", "b", "a"])
        #expect(form.fields[0].type == .hidden)
        #expect(form.fields[1] == FormField("b", values: ["2"]))
        #expect(DataForm(.result, StringMap()).fields == [])
        let dictionary = DataForm(.submit, StringMap(["x": "y"].map { (key: $0.key, value: $0.value) }))
        #expect(dictionary["x"] == "y")
        #expect(
            try DataForm(
                .result, title: "T", instructions: ["I"], reported: [FormField("n", .textSingle)], items: [["n": "1"]]
            )
            .element().xmlString() == """
                <x xmlns='jabber:x:data' type='result'><title>T</title><instructions>I</instructions>\
                <reported><field var='n' type='text-single'/></reported><item><field var='n'><value>1</value></field></item></x>
                """)
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
        #expect(FieldType.allCases.count == 10)
        #expect(FieldType.allCases.filter(\.allowsSeveralValues) == [.hidden, .jidMulti, .listMulti, .textMulti])
    }

    /// A field is absent, empty, or has a value, which may be the empty text.
    @Test func threeStates() {
        let form = DataForm(
            .submit, fields: [FormField("empty"), FormField("text", values: [""]), FormField("v", values: ["1", "2"])])
        #expect(form.field("absent") == nil)
        #expect(form.field("empty")?.values == [])
        #expect(form.value(of: "empty") == nil)
        #expect(form.value(of: "text") == "")
        #expect(form.values(of: "v") == ["1", "2"])
        #expect(form.values(of: "absent") == [])
    }

    @Test func subscriptsByName() {
        var form = DataForm(.submit, fields: [FormField("a", .textMulti, label: "A", values: ["1", "2"])])
        #expect(form["a"] == "1")
        form["a"] = "3"
        #expect(form.fields == [FormField("a", .textMulti, label: "A", values: ["3"])])
        form["b"] = "4"
        #expect(form.keys == ["a", "b"])
        form["a"] = nil
        #expect(form.keys == ["b"])
        form["a"] = nil
        #expect(form["a"] == nil)
        // Any name is valid, and the lookup compares code points.
        form["{http://example.com/pubsub}time_restrictions"] = "c"
        form["muc#role"] = "d"
        form["\u{E9}"] = "e"
        #expect(form["{http://example.com/pubsub}time_restrictions"] == "c")
        #expect(form["e\u{301}"] == nil)
        form[""] = "f"
        #expect(form[""] == "f")
    }

    @Test func settingFields() {
        var form = DataForm(.form)
        form.set("a", to: ["1"], type: .listMulti, options: ["1", "2"])
        #expect(form.field("a") == FormField("a", .listMulti, values: ["1"], options: ["1", "2"]))
        form.set("a", to: ["2", "1"])
        #expect(form.field("a") == FormField("a", .listMulti, values: ["2", "1"], options: ["1", "2"]))
        form.setField(FormField("a", .boolean))
        #expect(form.fields == [FormField("a", .boolean)])
        form.setField(FormField(nil, .fixed, values: ["x"]))
        form.setField(FormField(nil, .fixed, values: ["y"]))
        #expect(form.fields.count == 3)
        form.fields.append(FormField("a", values: ["second"]))
        #expect(form.removeField("a") == FormField("a", .boolean))
        #expect(form.removeField("a") == nil)
        #expect(form.fields.count == 2)
    }

    /// Indexes may be untrusted: an invalid one does not stop the program.
    @Test(arguments: [-1, 1, 2, .max, .min]) func itemsThatThereAreNot(index: Int) throws {
        let form = DataForm(.result, items: [["n": "1"]])
        var changed = form
        #expect(throws: NoSuchItem(index: index, count: 1)) { try changed.set("n", to: ["2"], inItem: index) }
        #expect(throws: NoSuchItem(index: index, count: 1)) { try changed.setField(FormField("n"), inItem: index) }
        #expect(changed.removeField("n", inItem: index) == nil)
        #expect(changed.field("n", inItem: index) == nil && changed.values(of: "n", inItem: index) == [])
        #expect(changed[index] == nil)
        changed[index] = nil
        #expect(changed == form)
        // The next index appends.
        changed[index] = ["n": "2"]
        #expect(changed.items.count == (index == 1 ? 2 : 1))
        #expect(
            NoSuchItem(index: 3, count: 2).description == "no item at index 3: expected 0 to 1")
        #expect(
            NoSuchItem(index: 0, count: 0).description
                == "no item at index 0: expected none, because the form has no items")
    }

    @Test func items() throws {
        var form = DataForm(
            .result, reported: [FormField("n", .textSingle, label: "N")], items: [["n": "1"], ["n": "2"]])
        #expect(form.count == 2)
        #expect(form[0]?["n"] == "1")
        #expect(form[2] == nil)
        #expect(form[-1] == nil)
        #expect(form.value(of: "n", inItem: 1) == "2")
        #expect(form.field("n", inItem: 0) == FormField("n", .textSingle, label: "N", values: ["1"]))
        #expect(form.field("n", inItem: 2) == nil)
        // Without an index: the form itself, then the first item.
        #expect(form["n"] == "1")
        form["n"] = "one"
        #expect(form[0]?["n"] == "one")
        try form.set("n", to: ["two"], inItem: 1)
        try form.setField(FormField("m", values: ["3"]), inItem: 1)
        #expect(form[1]?.values == ["n": "two", "m": "3"])
        #expect(form.removeField("m", inItem: 1)?.values == ["3"])
        form[2] = ["n": "three"]
        form[0] = nil
        #expect(form.items.map(\.values) == [["n": "two"], ["n": "three"]])
        form["own"] = "x"
        #expect(form.fields.map(\.name) == ["own"])
        form.fields.append(FormField("n"))
        #expect(form["n"] == nil)
        form[5 - 3] = nil
        #expect(form.count == 2)
        var item = FormItem(["a": "1"])
        item["a"] = nil
        item["b"] = "2"
        #expect(item.values == ["b": "2"])
    }

    /// `keys` has one key more than `values` has entries, so that two arrays would not fit.
    @Test func aFormGivesEachValueWithItsKey() {
        let form = DataForm(
            .submit, fields: [FormField("empty"), FormField("a", values: ["1"]), FormField("b", values: ["2", "3"])])
        #expect(form.keys == ["empty", "a", "b"])
        #expect(form.values == ["a": "1", "b": "2"])
        for key in form.keys { #expect(form.values[key] == form[key]) }
    }

    @Test func asADictionary() {
        var form = DataForm(.submit, formType: "u", ["a": "1", "b": "2", "c": "1"])
        form.fields.append(FormField("multi", values: ["5", "1"]))
        form.fields.append(FormField(nil, .fixed, values: ["heading"]))
        form.fields.append(FormField("empty"))
        #expect(form.keys == ["FORM_TYPE", "a", "b", "c", "multi", "empty"])
        #expect(form.count == 6)
        #expect(form.keys(for: "1") == ["a", "c", "multi"])
        #expect(form.keys(for: "9") == [])
        form.add(["b": "two", "d": "4"])
        #expect(form["b"] == "two")
        #expect(form.keys.last == "d")
        form.replaceFields(with: ["z": "26"])
        #expect(form.keys == ["FORM_TYPE", "z"])
        // Of two fields of one name the first counts.
        let item = FormItem(fields: [
            FormField("a", values: ["1"]), FormField("b", values: ["2"]), FormField("a", values: ["3"]),
        ])
        #expect(item.values == ["a": "1", "b": "2"])
        #expect(item["a"] == "1")
        let table = DataForm(.result, items: [["x": "1", "y": "2"], ["x": "3"]])
        #expect(table.keys == ["x", "y"])
        #expect(table.values == ["x": "1", "y": "2"])
    }

    @Test func formTypes() throws {
        func formType(_ xml: String) throws -> String? { try #require(DataForm(parse(xml))).formType }
        let hidden = "<field var='FORM_TYPE' type='hidden'><value>u</value></field>"
        let plain = "<field var='FORM_TYPE'><value>u</value></field>"
        let visible = "<field var='FORM_TYPE' type='text-single'><value>u</value></field>"
        for type in ["form", "result", "submit"] {
            #expect(try formType("<x xmlns='jabber:x:data' type='\(type)'>\(hidden)</x>") == "u")
        }
        for type in ["form", "result"] {
            // Not hidden, it is a field like any other (XEP-0068 §4.3).
            for field in [plain, visible] {
                #expect(try formType("<x xmlns='jabber:x:data' type='\(type)'>\(field)</x>") == nil)
            }
            #expect(try formType("<x xmlns='jabber:x:data' type='\(type)'>\(visible)\(hidden)</x>") == "u")
        }
        for field in [plain, visible] {
            #expect(try formType("<x xmlns='jabber:x:data' type='submit'>\(field)</x>") == "u")
        }
        #expect(try formType("<x xmlns='jabber:x:data' type='result'><item>\(hidden)</item></x>") == "u")
        #expect(try formType("<x xmlns='jabber:x:data' type='result'><item/><item>\(hidden)</item></x>") == nil)
        #expect(
            try formType(
                "<x xmlns='jabber:x:data' type='submit'><field var='FORM_TYPE'><value>1</value><value>2</value></field></x>"
            ) == "1")
        var form = DataForm(.form, fields: [FormField("a")])
        form.formType = "urn:1"
        #expect(form.fields.map(\.name) == ["FORM_TYPE", "a"])
        form.formType = "urn:2"
        #expect(form.fields[0] == FormField("FORM_TYPE", .hidden, values: ["urn:2"]))
        form.formType = nil
        #expect(form.fields.map(\.name) == ["a"])
        form.fields = [FormField("FORM_TYPE", .textSingle, values: ["x"])]
        form.formType = "urn:3"
        #expect(form.fields == [FormField("FORM_TYPE", .hidden, values: ["urn:3"])])
    }

    @Test func valueSemantics() throws {
        let element = try parse("<x xmlns='jabber:x:data' type='form'><title>1</title><field var='f'/></x>")
        let one = try #require(DataForm(element))
        var other = one
        other.title = "2"
        #expect(one.title == "1")
        #expect(one != other)
        other.title = "1"
        #expect(one == other)
        #expect(Set([one, other]).count == 1)
        // Remembered elements do not count.
        #expect(one == DataForm(.form, title: "1", fields: [FormField("f")]))
        for change: (inout DataForm) -> Void in [
            { $0.rawKind = nil }, { $0.instructions = ["i"] }, { $0.pages = [FormSection()] }, { $0.fields = [] },
            { $0.reported = [] },
            { $0.items = [FormItem()] }, { $0.extensions = [element] }, { $0.title = "\u{31}\u{301}" },
        ] {
            var changed = one
            change(&changed)
            #expect(changed != one)
        }
        #expect(FormSection(label: "\u{E9}") != FormSection(label: "e\u{301}"))
        #expect(LayoutPart.field("\u{E9}") != .field("e\u{301}"))
        #expect(LayoutPart.text("a") != .field("a"))
        #expect(MediaURI("\u{E9}", type: nil) != MediaURI("e\u{301}", type: nil))
        #expect(FieldValidation("\u{E9}") != FieldValidation("e\u{301}"))
        #expect(FieldValidation.Method.regex("\u{E9}") != .regex("e\u{301}"))
        #expect(FieldValidation.Method.range(min: "\u{E9}", max: nil) != .range(min: "e\u{301}", max: nil))
    }

    @Test func notAForm() throws {
        for xml in ["<x/>", "<y xmlns='jabber:x:data'/>", "<field xmlns='jabber:x:data'/>"] {
            #expect(try DataForm(parse(xml)) == nil)
            #expect(try DataForm(parse(xml).thaw()) == nil)
        }
        #expect(try FormField(parse("<field xmlns='u'/>")) == nil)
        #expect(try FormField(parse("<field xmlns='jabber:x:data' var='f'/>").thaw()) == FormField("f"))
    }
}
