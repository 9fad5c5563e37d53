// The examples of the documentation, word for word: .ci/examples sees to it.

import DataForms
import Testing

@Suite struct ExampleTests {
    @Test func overview() throws {
        let element = try parse(
            """
            <x xmlns='jabber:x:data' type='result'><field var='FORM_TYPE'><value>urn:xmpp:http:upload:0</value></field>\
            <field var='max-file-size'><value>5242880</value></field></x>
            """)
        var printed = ""
        func print(_ parts: String...) { printed = parts.joined(separator: " ") }

        if let form = DataFormElement(element) {
            print(form.formType ?? "no FORM_TYPE", form.value(of: "max-file-size") ?? "no limit")
        }
        #expect(printed == "urn:xmpp:http:upload:0 5242880")
    }
}
