// Answers to forms: the submitted values, their form, and their problems.

import Testing
import XMLTree

@testable import DataForms

@Suite struct FormAnswerTests {
    private static let form = DataForm(
        .form, formType: "urn:example:bot",
        fields: [
            FormField("token", .hidden, values: ["t1", "t2"]),
            FormField(nil, .fixed, values: ["Section 1"]),
            FormField("heading", .fixed, values: ["Read me"]),
            FormField("name", .textSingle, label: "Name", description: "D", isRequired: true),
            FormField("about", .textMulti, values: ["line 1", "line 2"]),
            FormField("public", .boolean, isRequired: true),
            FormField("shy", .boolean),
            FormField("features", .listMulti, values: ["b"], options: ["a", "b", "c"]),
            FormField("size", .listSingle, values: ["10"], options: ["10", "20"]),
            FormField("friends", .jidMulti),
            FormField("untyped", values: ["u"]),
            FormField("secret", .textPrivate),
        ])

    @Test func defaultsAndOmittedFields() throws {
        let submission = try Self.form.submission(["name": "N"])
        #expect(submission.kind == .submit)
        #expect(submission.formType == "urn:example:bot")
        #expect(
            try submission.element().xmlString() == """
                <x xmlns='jabber:x:data' type='submit'><field var='FORM_TYPE' type='hidden'><value>urn:example:bot</value></field>\
                <field var='token' type='hidden'><value>t1</value><value>t2</value></field>\
                <field var='name' type='text-single'><value>N</value></field>\
                <field var='about' type='text-multi'><value>line 1</value><value>line 2</value></field>\
                <field var='public' type='boolean'><value>false</value></field>\
                <field var='features' type='list-multi'><value>b</value></field>\
                <field var='size' type='list-single'><value>10</value></field>\
                <field var='untyped'><value>u</value></field></x>
                """)
        #expect(submission.faults == [])
        #expect(Self.form.problems(in: submission) == [])
    }

    @Test func values() throws {
        var answer = FormAnswer(to: Self.form)
        #expect(answer["about"] == "line 1")
        #expect(answer["name"] == nil)
        answer["name"] = "N"
        answer["about"] = "a\r\nb\rc\n\nd"
        answer.set("friends", to: ["Juliet@Capulet.example", "", "juliet@capulet.example", "r@m", "r@m/x", "r@m"])
        answer.set("features", to: ["c", "a", "c"])
        answer["size"] = "20"
        answer["shy"] = "1"
        answer["new"] = "n"
        let submission = try answer.submission()
        #expect(submission.values(of: "about") == ["a", "b", "c", "", "d"])
        #expect(submission.values(of: "friends") == ["Juliet@Capulet.example", "r@m", "r@m/x"])
        #expect(submission.values(of: "features") == ["a", "c"])
        #expect(submission["size"] == "20")
        #expect(submission["shy"] == "1")
        // A submission may have fields that the form does not have.
        #expect(submission.fields.last == FormField("new", values: ["n"]))
        answer["new"] = nil
        answer["size"] = nil
        #expect(try answer.submission()["size"] == "10")
        #expect(try answer.submission().field("new") == nil)
        answer["new"] = "again"
        #expect(try answer.submission().fields.filter { $0.name == "new" } == [FormField("new", values: ["again"])])
    }

    @Test func ofSeveralDefaultsTheFirstCounts() throws {
        let form = DataForm(.form, fields: [FormField("a", .textSingle, values: ["1", "2"])])
        #expect(form.faults.map(\.rule) == [.severalValues(.textSingle)])
        #expect(try FormAnswer(to: form).submission().values(of: "a") == ["1"])
    }

    @Test func ofSeveralFormTypesTheOneThatCountsIsSubmitted() throws {
        let form = DataForm(
            .form,
            fields: [
                FormField("FORM_TYPE", .textSingle, values: ["v"]),
                FormField("FORM_TYPE", .hidden, values: ["u", "w"]),
                FormField("a", values: ["1"]),
            ])
        let submission = try FormAnswer(to: form).submission()
        #expect(submission.fields.map(\.values) == [["u"], ["1"]])
        #expect(submission.formType == "u")
    }

    @Test func aFormTypeThatOnlyTheItemsHaveIsSubmitted() throws {
        var form = DataForm(.form, fields: [FormField("a", values: ["1"])])
        form.items = [FormItem(fields: [FormField("FORM_TYPE", .hidden, values: ["u"])])]
        var answer = FormAnswer(to: form)
        answer["FORM_TYPE"] = "v"
        #expect(try answer.submission().fields.map(\.values) == [["u"], ["1"]])
        form.items = []
        #expect(try FormAnswer(to: form).submission().formType == nil)
    }

    @Test func ofAnItemTheFirstMissingColumnIsReported() {
        var form = DataForm(.result)
        form.reported = [FormField("a", .textSingle), FormField("b", .textSingle), FormField("c", .textSingle)]
        form.items = [
            FormItem(fields: [FormField("a", values: ["1"])]), FormItem(fields: [FormField("c", values: ["1"])]),
        ]
        let missing = form.faults.filter { if case .incompleteItem = $0.rule { true } else { false } }
        #expect(missing.map(\.field) == ["b", "a"])
    }

    /// An emptied field differs from an omitted one.
    @Test func emptying() throws {
        var answer = FormAnswer(to: Self.form)
        answer["name"] = "N"
        answer.set("features", to: [])
        answer.set("about", to: [""])
        let submission = try answer.submission()
        #expect(submission.field("features") == FormField("features", .listMulti))
        #expect(submission.field("about")?.values == [""])
        answer.set("name", to: [])
        #expect(answer.problems.map(\.reason) == [.missing])
    }

    @Test func problems() throws {
        var answer = FormAnswer(to: Self.form)
        #expect(answer.problems.map(\.field) == ["name"])
        answer["size"] = "15"
        answer.set("friends", to: ["no one"])
        answer["name"] = "a\nb"
        do throws(FormRejection) {
            _ = try answer.submission()
            Issue.record("submitted")
        } catch {
            #expect(error.problems.map(\.field) == ["name", "size", "friends"])
            #expect(
                error.description
                    == "'Name' (name) has a line break, which a field of type text-single cannot have: write one line. "
                    + "'size': '15' is none of the options; expected '10' or '20'. "
                    + "'friends': 'no one' is not an address; expected one such as juliet@example.org or example.org.")
        }
        #expect(answer.problem(with: ["20"], for: "size") == nil)
        #expect(answer.problem(with: ["30"], for: "size")?.reason == .notAnOption(value: "30", options: ["10", "20"]))
        #expect(answer.problem(with: [], for: "name")?.reason == .missing)
        #expect(answer.problem(with: [], for: "name", isComplete: false) == nil)
        #expect(answer.problem(with: ["x"], for: "nothing") == nil)
    }

    @Test func canceling() throws {
        #expect(try Self.form.cancellation().element().xmlString() == "<x xmlns='jabber:x:data' type='cancel'/>")
    }

    /// The receiver checks a submission against its own form.
    @Test func receiving() throws {
        let submission = DataForm(
            .submit, formType: "urn:example:other",
            fields: [
                FormField("size", values: ["1"]), FormField("public", values: ["1", "0"]),
                FormField("what", values: ["x"]),
            ])
        let problems = Self.form.problems(in: submission)
        #expect(problems.map(\.field) == ["FORM_TYPE", "name", "public", "size"])
        #expect(
            problems[0].description
                == "'FORM_TYPE': 'urn:example:other' is the FORM_TYPE of another form; expected 'urn:example:bot'.")
        // A submission may omit FORM_TYPE, or have one that is not hidden.
        let fields = [
            FormField("FORM_TYPE", values: ["urn:example:bot"]), FormField("name", values: ["n"]),
            FormField("public", values: ["1"]),
        ]
        #expect(Self.form.problems(in: DataForm(.submit, fields: fields)) == [])
        #expect(Self.form.problems(in: DataForm(.submit, fields: Array(fields.dropFirst()))) == [])
        // The check compares code points.
        let exact = DataForm(.form, formType: "\u{E9}")
        #expect(exact.problems(in: DataForm(.submit, formType: "e\u{301}")).count == 1)
    }

    /// Without the form, FORM_TYPE and the field names decide.
    @Test func ownValues() throws {
        var submission = DataForm(
            .submit, formType: "http://jabber.org/protocol/muc#roomconfig", ["muc#roomconfig_publicroom": "maybe"])
        #expect(submission.problems().map(\.reason) == [.notBoolean(value: "maybe")])
        #expect(submission.problems(registry: FormRegistry()) == [])
        submission["muc#roomconfig_publicroom"] = "1"
        #expect(submission.problems() == [])
        let table = DataForm(
            .result, reported: [FormField("jid", .jidSingle), FormField("n", validation: FieldValidation("xs:int"))],
            items: [["jid": "a@b", "n": "1"], ["jid": "a b", "n": "x"]])
        #expect(table.problems().map(\.field) == ["jid", "n"])
    }

    @Test func errors() throws {
        let problem = try #require(Self.form.problems(in: DataForm(.submit)).first)
        #expect(
            problem.errorElement().xmlString() == """
                <error type='modify'><not-acceptable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>\
                <text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas' xml:lang='en'>\
                'Name' (name) is required: give it a value.</text></error>
                """)
        let iq = MutableElement("iq", namespace: "jabber:client")
        iq.add(FormRejection(problems: [problem, problem]).errorElement(language: "de"))
        #expect(iq.firstChild?.namespace == "jabber:client")
        #expect(iq.firstChild?.children.last?["xml:lang"] == "de")
        #expect(iq.firstChild?.children.last?.text?.filter { $0 == "." }.count == 2)
    }

    /// Every form of the corpus has a valid submission.
    @Test func everyFormOfTheCorpus() throws {
        var count = 0
        for element in try CorpusForms.all {
            let form = try #require(DataForm(element))
            guard form.kind == .form else { continue }
            count += 1
            var answer = FormAnswer(to: form)
            for field in form.fields
            where answer.problem(with: answer.values(of: field.name ?? ""), for: field.name ?? "") != nil {
                answer.set(field.name ?? "", to: [Self.example(for: field)])
            }
            let submission = try answer.submission()
            #expect(form.problems(in: submission) == [], "\(element)")
            let own = submission.faults.filter { if case .unknownFieldType = $0.rule { false } else { true } }
            #expect(own == [], "\(element)")
            let written = try submission.element()
            #expect(DataForm(written) == submission)
            #expect(!submission.fields.contains { $0.type == .fixed || $0.name == nil })
            if form.formType != nil { #expect(submission.formType == form.formType) }
            #expect(
                form.fields.filter { $0.type == .hidden && !$0.values.isEmpty }.allSatisfy {
                    submission.values(of: $0.name ?? "") == $0.values
                })
        }
        #expect(count >= 10)
    }

    /// Returns a valid value for a field of the corpus.
    private static func example(for field: FormField) -> String {
        if let option = field.options.first { return option.value }
        switch field.type ?? .textSingle {
        case .boolean: return "1"
        case .jidSingle, .jidMulti: return "juliet@capulet.example"
        default: return field.validation?.pattern == nil ? "some text" : "123-12-1234"
        }
    }
}
