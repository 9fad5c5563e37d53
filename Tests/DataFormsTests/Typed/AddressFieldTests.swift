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
        #expect(throws: (any Error).self) { try answer.submission() }
    }
}
