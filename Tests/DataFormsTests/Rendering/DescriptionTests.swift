// The descriptions of fields, items and answers, which omit values that may be secret.

import Testing
import XMLTree

@testable import DataForms

@Suite struct DescriptionTests {
    @Test func fields() {
        let cases: [(FormField, String)] = [
            (FormField("a", .textSingle, values: ["x"]), "FormField('a', text-single, 'x')"),
            (FormField("a", .textMulti, values: ["x", "\u{1B}[2J"]), "FormField('a', text-multi, 'x' '\u{FFFD}[2J')"),
            (FormField("a", .textPrivate, values: ["hunter2"]), "FormField('a', text-private, ********)"),
            (FormField("a", .hidden, values: ["hunter2"]), "FormField('a', hidden, ********)"),
            (FormField("a", values: ["hunter2"]), "FormField('a', ********)"),
            (FormField("a", .textPrivate), "FormField('a', text-private, no values)"),
            (.formType("urn:f"), "FormField('FORM_TYPE', hidden, 'urn:f')"),
            (FormField(nil, .fixed, values: ["T"]), "FormField(without name, fixed, 'T')"),
            (
                FormField("l", .listMulti, values: (0..<10).map(String.init)),
                "FormField('l', list-multi, '0' '1' '2' '3' '4' '5' '6' '7' and 2 more)"
            ),
        ]
        for (field, description) in cases {
            #expect("\(field)" == description)
            #expect("\([field])" == "[\(description)]")
            #expect(String(reflecting: field) == description)
            #expect("\(FormItem(fields: [field]))" == "FormItem([\(description)])")
        }
    }

    @Test func answersAndForms() throws {
        let form = DataForm(
            .form, formType: "urn:f",
            fields: [FormField("pin", .textPrivate, values: ["hunter1"]), FormField("name", .textSingle)])
        var answer = FormAnswer(to: form)
        #expect("\(answer)" == "FormAnswer(nothing entered)")
        answer["name"] = "N"
        answer["pin"] = "hunter2"
        answer["more"] = "m"
        #expect("\(answer)" == "FormAnswer('pin', 'name', 'more')")
        let submission = try answer.submission()
        let element = try #require(DataFormElement(submission.element()))
        for text in ["\(form)", "\(submission)", "\(element)", "\([form, submission])"] {
            #expect(!text.contains("hunter"))
        }
    }
}
