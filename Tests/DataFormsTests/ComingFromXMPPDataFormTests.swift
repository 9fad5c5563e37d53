// The page for users of XMPPDataForm: this file contains each piece of Swift in its tables and examples.

import DataForms
import Foundation
import TestSupport
import Testing
import XMLTree

@Suite struct ComingFromXMPPDataFormTests {
    /// The last column of the tables.
    @Test func theTablesAreCompiled() throws {
        let codes = try codeInLastColumns(of: "Sources/DataForms/DataForms.docc/ComingFromXMPPDataForm.md")
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        #expect(codes.count >= 40)
        for code in codes { #expect(source.contains(code), "\(code)") }
    }

    @Test func makingForms() throws {
        let iq = MutableElement("iq", namespace: .uri("jabber:client"))
        let form = DataForm(
            .submit, formType: "urn:xmpp:mam:2",
            [
                "with": "romeo@example.net",
                "flip-page": "true",
            ])
        iq.add(try form.element())
        let element = try #require(iq.children.first)
        #expect(
            element.xmlString() == """
                <x xmlns='jabber:x:data' type='submit'><field var='FORM_TYPE' type='hidden'><value>urn:xmpp:mam:2</value></field>\
                <field var='with'><value>romeo@example.net</value></field><field var='flip-page'><value>true</value></field></x>
                """)
        #expect(DataForm(element) == form)
        #expect(DataFormElement(element)?.value(of: "with") == "romeo@example.net")
        #expect(DataForm(.submit, formType: "urn:xmpp:mam:2").keys == ["FORM_TYPE"])
        #expect(DataForm(.submit, formType: "urn:xmpp:mam:2", ["with": "romeo@example.net"])["with"] != nil)
        #expect(form.kind == .submit)
        #expect(form.formType == "urn:xmpp:mam:2")
        #expect(form.title == nil)
        #expect(form.instructions == [])
        #expect("\(form)".contains("romeo@example.net"))
    }

    @Test func fieldsOfEveryKind() throws {
        var form = DataForm(.form, formType: "http://jabber.org/protocol/muc#roomconfig")
        form.setField(
            FormField(
                "muc#roomconfig_whois", .listSingle, isRequired: true, values: ["anyone"],
                options: [FieldOption("anyone", label: "Anyone"), FieldOption("moderators", label: "Moderators")]))
        let field = try #require(form.field("muc#roomconfig_whois"))
        #expect(field.name == "muc#roomconfig_whois")
        #expect(field.type == .listSingle)
        #expect(field.value == "anyone")
        #expect(field.values == ["anyone"])
        #expect(field.options.map(\.label) == ["Anyone", "Moderators"])
        #expect(field.label == nil)
        #expect(field.description == nil)
        #expect(field.isRequired)
        #expect(form.faults == [])
    }

    @Test func settingAndRemoving() throws {
        var form = DataForm(.form)
        form.setField(FormField("a", .textSingle, values: ["1"]))
        #expect(form.field("a")?.type == .textSingle)
        form.removeField("a")
        #expect(form.field("a") == nil)
        form.set("a", to: ["1"])
        #expect(form.field("a")?.type == nil)
        form.set("a", to: ["1"], type: .textSingle)
        #expect(form.field("a")?.type == .textSingle)

        form = DataForm(.result)
        form.items = [["a": "0"]]
        try form.setField(FormField("a", values: ["1"]), inItem: 0)
        #expect(form.field("a", inItem: 0)?.value == "1")
        form.removeField("a", inItem: 0)
        #expect(form.field("a", inItem: 0) == nil)
        try form.set("a", to: ["1"], inItem: 0)
        #expect(form.field("a", inItem: 0)?.type == nil)
        try form.set("a", to: ["1"], type: .textSingle, inItem: 0)
        #expect(form.field("a", inItem: 0)?.type == .textSingle)
    }

    @Test func asADictionary() {
        var form = DataForm(.submit, formType: "urn:x")
        form["a"] = "1"
        #expect(form["a"] == "1")
        form["a"] = nil
        #expect(form["a"] == nil)
        form.add(["a": "1", "b": "2"])
        #expect(form.keys == ["FORM_TYPE", "a", "b"])
        #expect(form.values == ["FORM_TYPE": "urn:x", "a": "1", "b": "2"])
        #expect(form.keys(for: "1") == ["a"])
        #expect(form.count == 3)
        for name in ["a", "b"] { form.removeField(name) }
        #expect(form.keys == ["FORM_TYPE"])
        form.replaceFields(with: ["a": "1"])
        #expect(form.keys == ["FORM_TYPE", "a"])
        form.replaceFields(with: [:])
        #expect(form.keys == ["FORM_TYPE"])
    }

    @Test func tables() {
        var form = DataForm(.result)
        form.reported = [FormField("name", .textSingle, label: "Name")]
        form.items = [["name": "first"]]
        let name = form[0]?["name"]
        form[1] = ["name": "second"]
        #expect(name == "first")
        #expect(form.items[0]["name"] == "first")
        #expect(form.items.count == 2)
        #expect(form.reported?.count == 1)
        #expect(form.field("name", inItem: 1)?.label == "Name")
        form[0] = nil
        #expect(form.items.count == 1)
    }
}
