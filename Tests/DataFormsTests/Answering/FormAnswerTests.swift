// Answers to forms: the submitted values, their form, and their problems.

import Testing
import XMLTree

@testable import DataForms

@Suite struct FormAnswerTests {
    private static let form = DataForm(
        .form, formType: "urn:example:bot",
        fields: [
            FormField("token", .hidden, values: ["t1", "t2"]), FormField(nil, .fixed, values: ["Section 1"]),
            FormField("heading", .fixed, values: ["Read me"]),
            FormField("name", .textSingle, label: "Name", description: "D", isRequired: true),
            FormField("about", .textMulti, values: ["line 1", "line 2"]),
            FormField("public", .boolean, isRequired: true),
            FormField("shy", .boolean), FormField("features", .listMulti, values: ["b"], options: ["a", "b", "c"]),
            FormField("size", .listSingle, values: ["10"], options: ["10", "20"]), FormField("friends", .jidMulti),
            FormField("untyped", values: ["u"]), FormField("secret", .textPrivate),
        ])

    @Test func defaultsAndOmittedFields() throws {
        let submission = try Self.form.submission(["name": "N"])
        #expect(submission.kind == .submit && submission.formType == "urn:example:bot" && submission.faults == [])
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
        #expect(try Self.form.cancellation().element().xmlString() == "<x xmlns='jabber:x:data' type='cancel'/>")
    }

    @Test func values() throws {
        var answer = FormAnswer(to: Self.form)
        #expect(answer["about"] == "line 1" && answer["name"] == nil)
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
        #expect(
            submission.values(of: "features") == ["a", "c"] && submission["size"] == "20" && submission["shy"] == "1")
        // A submission may have fields that the form does not have.
        #expect(submission.fields.last == FormField("new", values: ["n"]))
        answer["new"] = nil
        answer["size"] = nil
        #expect(try answer.submission()["size"] == "10" && answer.submission().field("new") == nil)
        answer["new"] = "again"
        #expect(try answer.submission().fields.filter { $0.name == "new" } == [FormField("new", values: ["again"])])
        // An emptied field differs from an omitted one.
        answer.set("features", to: [])
        answer.set("about", to: [""])
        #expect(try answer.submission().field("features") == FormField("features", .listMulti))
        #expect(try answer.submission().field("about")?.values == [""])
        answer.set("name", to: [])
        #expect(answer.problems.map(\.reason) == [.missing])
    }

    /// Of several values of a form, those that count are submitted.
    @Test func oddForms() throws {
        let several = DataForm(.form, fields: [FormField("a", .textSingle, values: ["1", "2"])])
        let formTypes = [
            FormField("FORM_TYPE", .textSingle, values: ["v"]), FormField("FORM_TYPE", .hidden, values: ["u", "w"]),
        ]
        var inItems = DataForm(.form, fields: [FormField("a", values: ["1"])])
        #expect(try FormAnswer(to: inItems).submission().formType == nil)
        inItems.items = [FormItem(fields: [FormField("FORM_TYPE", .hidden, values: ["u"])])]
        for (form, values) in [
            (several, [["1"]]), (DataForm(.form, fields: formTypes + [FormField("a", values: ["1"])]), [["u"], ["1"]]),
            (inItems, [["u"], ["1"]]),
        ] {
            var answer = FormAnswer(to: form)
            if form == inItems { answer["FORM_TYPE"] = "v" }
            #expect(try answer.submission().fields.map(\.values) == values)
        }
        #expect(try FormAnswer(to: inItems).submission().formType == "u")
    }

    @Test func problems() throws {
        var answer = FormAnswer(to: Self.form)
        #expect(answer.problems.map(\.field) == ["name"])
        answer["size"] = "15"
        answer.set("friends", to: ["no one"])
        answer["name"] = "a\nb"
        let rejection = #expect(throws: FormRejection.self) { try answer.submission() }
        #expect(
            rejection?.description
                == "'Name' (name) has a line break, which a field of type text-single cannot have: write one line. "
                + "'size': '15' is none of the options; expected '10' or '20'. "
                + "'friends': 'no one' is not an address; expected one such as juliet@example.org or example.org.")
        #expect(answer.problem(with: ["20"], for: "size") == nil && answer.problem(with: ["x"], for: "nothing") == nil)
        #expect(answer.problem(with: ["30"], for: "size")?.reason == .notAnOption(value: "30", options: ["10", "20"]))
        #expect(answer.problem(with: [], for: "name")?.reason == .missing)
        #expect(answer.problem(with: [], for: "name", isComplete: false) == nil)
        answer = FormAnswer(to: DataForm(.form, fields: [FormField("f", .textSingle)]))
        answer["f"] = "\u{1B}"
        #expect(throws: FormRejection.self) { try answer.submission() }
    }

    /// The receiver checks a submission against its own form. A submission may omit FORM_TYPE, or have one that is not
    /// hidden.
    @Test func receiving() throws {
        let other = DataForm(
            .submit, formType: "urn:example:other",
            ["size": "1", "public": "1", "what": "x"])
        let problems = Self.form.problems(in: other)
        #expect(problems.map(\.field) == ["FORM_TYPE", "name", "size"])
        #expect(
            problems[0].description
                == "'FORM_TYPE': 'urn:example:other' is the FORM_TYPE of another form; expected 'urn:example:bot'.")
        let fields = [
            FormField("FORM_TYPE", values: ["urn:example:bot"]), FormField("name", values: ["n"]),
            FormField("public", values: ["1"]),
        ]
        #expect(Self.form.problems(in: DataForm(.submit, fields: fields)) == [])
        #expect(Self.form.problems(in: DataForm(.submit, fields: Array(fields.dropFirst()))) == [])
        // The check compares code points.
        let exact = DataForm(.form, formType: "\u{E9}")
        #expect(exact.problems(in: DataForm(.submit, formType: "e\u{301}")).count == 1)
        // Without the form, FORM_TYPE and the field names decide.
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
        let added = iq.add(FormRejection(problems: [problem, problem]).errorElement(language: "de"))
        #expect(added.namespace == "jabber:client" && added.children.last?["xml:lang"] == "de")
        #expect(added.children.last?.text?.filter { $0 == "." }.count == 2)
    }

    /// Servers have accounts that RFC 7622 refuses. They get back their own values.
    @Test func addresses() throws {
        let account = "i\u{2665}u@example.org"
        let form = DataForm(.form, fields: [FormField("to", .jidMulti, values: [account])])
        var answer = FormAnswer(to: form)
        #expect(try form.problems().isEmpty && answer.submission().values(of: "to") == [account])
        answer.set("to", to: ["romeo@montague.example", account, "I\u{2665}U@example.org"])
        #expect(try answer.submission().values(of: "to") == ["romeo@montague.example", account])
        for wrong in ["you\u{2665}@example.org", "juliet@@b"] {
            answer.set("to", to: [wrong])
            #expect(answer.problems.map(\.reason) == [.notAnAddress(value: wrong)])
        }
        let faulty = DataForm(.form, fields: [FormField("to", .jidMulti, values: ["juliet@@b"])])
        #expect(faulty.problems().map(\.reason) == [.notAnAddress(value: "juliet@@b")])
    }

    /// Every form of the corpus has a valid submission.
    @Test func everyFormOfTheCorpus() throws {
        var count = 0
        for element in try CorpusForms.all {
            let form = try #require(DataForm(element))
            guard form.kind == .form else { continue }
            count += 1
            var answer = FormAnswer(to: form)
            for field in form.fields {
                let name = field.name ?? ""
                if answer.problem(with: answer.values(of: name), for: name) == nil { continue }
                answer.set(name, to: [Self.example(for: field)])
            }
            let submission = try answer.submission()
            #expect(form.problems(in: submission) == [], "\(element)")
            let own = submission.faults.filter { if case .unknownFieldType = $0.rule { false } else { true } }
            #expect(own == [], "\(element)")
            #expect(try DataForm(submission.element()) == submission)
            #expect(!submission.fields.contains { $0.type == .fixed || $0.name == nil })
            #expect(form.formType == nil || submission.formType == form.formType)
            for field in form.fields where field.type == .hidden && !field.values.isEmpty {
                #expect(submission.values(of: field.name ?? "") == field.values)
            }
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
