// Addresses in fields.

import DataForms
import Testing
import XMPPCore

@Suite struct AddressFieldTests {
    @Test func values() throws {
        #expect(JID.fieldType == .jidSingle)
        #expect(JID(fieldValue: "Juliet@Capulet.example")?.fieldValue == "juliet@capulet.example")
        #expect(JID(fieldValue: "juliet@") == nil)
    }

    @Test func checks() throws {
        let form = DataForm(.form, fields: [FormField("to", .jidMulti)])
        var answer = FormAnswer(to: form)
        answer.set("to", to: ["Juliet@Capulet.example", "juliet@capulet.example", "romeo@montague.example/x"])
        #expect(
            try answer.submission().fields.first { $0.name == "to" }?.values == [
                "Juliet@Capulet.example", "romeo@montague.example/x",
            ])
        answer.set("to", to: ["juliet@@capulet.example"])
        let rejection = #expect(throws: FormRejection.self) { try answer.submission() }
        #expect(rejection?.problems.map(\.reason) == [.notAnAddress(value: "juliet@@capulet.example")])
    }

    /// Servers have accounts that RFC 7622 refuses. They get back their own values.
    @Test func valuesOfTheForm() throws {
        let account = "i\u{2665}u@example.org"
        let form = DataForm(.form, fields: [FormField("to", .jidMulti, values: [account])])
        var answer = FormAnswer(to: form)
        #expect(form.problems().isEmpty)
        #expect(try answer.submission().fields.first { $0.name == "to" }?.values == [account])
        answer.set("to", to: ["romeo@montague.example", account, "I\u{2665}U@example.org"])
        #expect(
            try answer.submission().fields.first { $0.name == "to" }?.values == ["romeo@montague.example", account])
        answer.set("to", to: ["you\u{2665}@example.org"])
        let rejection = #expect(throws: FormRejection.self) { try answer.submission() }
        #expect(rejection?.problems.map(\.reason) == [.notAnAddress(value: "you\u{2665}@example.org")])
        let faulty = DataForm(.form, fields: [FormField("to", .jidMulti, values: ["juliet@@b"])])
        #expect(faulty.problems().map(\.reason) == [.notAnAddress(value: "juliet@@b")])
    }
}
