// The examples of the documentation, word for word; .ci/check examples compares them.

import DataForms
import Testing
import XMLTree

@Suite struct ExampleTests {
    private static let upload = """
        <x xmlns='jabber:x:data' type='result'><field var='FORM_TYPE' type='hidden'><value>urn:xmpp:http:upload:0</value></field>\
        <field var='max-file-size'><value>5242880</value></field></x>
        """

    private static let bot = DataForm(
        .form, formType: "urn:example:bot",
        fields: [
            FormField("botname", .textSingle, isRequired: true, values: ["Joogle"]), FormField("public", .boolean),
            FormField("invitelist", .jidMulti),
        ])

    /// The example of the README.
    @Test func readme() throws {
        let element = try DataForm(
            .form,
            fields: [
                FormField("muc#roomconfig_roomname", .textSingle), FormField("muc#roomconfig_roomowners", .jidMulti),
            ]
        ).element()
        let form = try #require(DataForm(element))
        var answer = FormAnswer(to: form)
        answer["muc#roomconfig_roomname"] = "Elsinore"
        answer.set("muc#roomconfig_roomowners", to: ["hamlet@denmark.example", "horatio@denmark.example"])
        let submission = try answer.submission()
        #expect(submission.values(of: "muc#roomconfig_roomowners").count == 2)
        #expect(form.problems(in: submission) == [])
    }

    // MARK: The overview

    @Test func making() throws {
        var form = DataForm(
            .form, formType: "urn:example:bot", title: "Bot Configuration",
            fields: [
                FormField("botname", .textSingle, label: "The name of your bot", isRequired: true),
                FormField("public", .boolean, label: "Public bot?"),
            ])
        form["public"] = "true"
        let element = try form.element()
        #expect(DataForm(element) == form)
        #expect(element.children.map(\.name) == ["title", "field", "field", "field"])
    }

    @Test func reading() throws {
        let element = try parse(Self.upload)
        var printed = ""
        func print(_ parts: String...) { printed = parts.joined(separator: " ") }

        if let form = DataFormElement(element) {
            print(form.formType ?? "no FORM_TYPE", form.value(of: "max-file-size") ?? "no limit")
        }
        #expect(printed == "urn:xmpp:http:upload:0 5242880")
    }

    // MARK: Types

    @Test func dataForm() throws {
        var form = DataForm(.submit, formType: "urn:xmpp:mam:2", ["with": "juliet@capulet.example"])
        form["start"] = "2010-06-07T00:00:00Z"
        let query = try MutableElement("query", namespace: "urn:xmpp:mam:2") { try form.element() }
        #expect(query.firstChild?.children.count == 3)
    }

    @Test func dataFormOfValues() throws {
        let search = DataForm(.submit, formType: "jabber:iq:search", ["first": "Juliet", "last": "Capulet"])
        #expect(search.keys == ["FORM_TYPE", "first", "last"])
        let form = search
        let query = try MutableElement("query", namespace: "jabber:iq:search") { try form.element() }
        #expect(query.firstChild.flatMap { DataForm($0) } == search)
    }

    @Test func dataFormElement() throws {
        let element = try parse(Self.upload)
        var limit: String?
        if let form = DataFormElement(element), form.formType == "urn:xmpp:http:upload:0" {
            limit = form.value(of: "max-file-size")
        }
        #expect(limit == "5242880")
    }

    @Test func editing() throws {
        let element = try parse(
            "<x xmlns='jabber:x:data'><title>T</title><field var='muc#roomconfig_roomname'/></x>"
        ).thaw()
        try DataFormElement(element)?.edit { form in
            form["muc#roomconfig_roomname"] = "Elsinore"
            form.title = nil
        }
        #expect(element.children.map(\.name) == ["field"])
        #expect(element.firstChild?.firstChild?.text == "Elsinore")
    }

    @Test func formField() {
        let name = FormField("muc#roomconfig_roomname", .textSingle, label: "Name of the room", isRequired: true)
        #expect(name.type == .textSingle)
    }

    @Test func fieldOption() {
        let limit = FormField("maxsubs", .listSingle, options: ["10", "20", FieldOption("none", label: "No limit")])
        #expect(limit.options.labels["none"] == "No limit")
    }

    @Test func formItem() {
        let form = DataForm(.result, items: [["name": "Comune di Verona", "url": "http://www.comune.verona.it/"]])
        let name = form.items[0]["name"]
        #expect(name == "Comune di Verona")
    }

    @Test func formPage() {
        let page = FormSection(label: "You", parts: [.text("Your name"), .field("name.first"), .field("name.last")])
        #expect(page.parts.count == 3)
    }

    @Test func settingAField() {
        var form = DataForm(.form)
        form.set("muc#roomconfig_whois", to: ["anyone"], type: .listSingle, options: ["anyone", "moderators"])
        #expect(form.field("muc#roomconfig_whois")?.options.count == 2)
    }

    // MARK: Articles

    @Test func states() {
        var form = DataForm(
            .submit, fields: [FormField("muc#roomconfig_roomdesc"), FormField("muc#roomconfig_lang", values: ["en"])])
        form.set("muc#roomconfig_roomowners", to: ["a@b", "c@d"])
        let isAbsent = form.field("muc#roomconfig_roomsecret") == nil
        let isEmpty = form.field("muc#roomconfig_roomdesc")?.values == []
        let values = form.values(of: "muc#roomconfig_roomowners")
        #expect(isAbsent && isEmpty && values.count == 2)

        form["muc#roomconfig_roomname"] = "Elsinore"
        form["muc#roomconfig_lang"] = nil
        form.set("muc#roomconfig_roomdesc", to: [])
        #expect(form.keys == ["muc#roomconfig_roomdesc", "muc#roomconfig_roomowners", "muc#roomconfig_roomname"])
    }

    @Test func registry() {
        var registry = FormRegistry.standard
        registry.register("https://example.org/bot", ["public": .boolean, "owners": .jidMulti])
        let type = registry.type(of: "public", in: "https://example.org/bot")
        #expect(type == .boolean)
    }

    @Test func answering() throws {
        let form = Self.bot
        var answer = FormAnswer(to: form)
        answer["botname"] = "The Jabber Google Bot"
        answer.set("invitelist", to: ["juliet@capulet.example", "benvolio@montague.example"])
        let submission = try answer.submission()
        #expect(submission["botname"] == "The Jabber Google Bot")
        #expect(submission.values(of: "invitelist").count == 2)

        let problem = answer.problem(with: ["maybe"], for: "public", isComplete: false)
        #expect(problem?.reason == .notBoolean(value: "maybe"))
    }

    @Test func shortAnswers() throws {
        let form = Self.bot
        let submission = try form.submission(["botname": "The Jabber Google Bot", "public": "true"])
        #expect(submission["public"] == "true")
    }

    @Test func replies() throws {
        let form = Self.bot
        let stanza = try MutableElement(
            "iq", namespace: "jabber:client", attributes: ["type": "result", "from": "bots.example"]
        ) {
            try MutableElement("command", namespace: "http://jabber.org/protocol/commands") { try form.element() }
        }.freeze()
        let answer = try form.submission(["public": "true"]).reply(to: stanza, id: "create2")
        #expect(answer?["to"] == "bots.example")
        #expect(answer?.firstChild?.firstChild?["type"] == "submit")
    }

    @Test func receiving() throws {
        let form = Self.bot
        let submission = DataForm(.submit)
        let reply = MutableElement("iq", namespace: "jabber:client")
        let problems = form.problems(in: submission)
        if !problems.isEmpty { reply.add(FormRejection(problems: problems).errorElement()) }
        #expect(reply.firstChild?.firstChild?.name == "not-acceptable")
    }

    @Test func validation() {
        let range = FieldValidation("xs:integer", .range(min: "1", max: "65535"))
        let port = FormField("port", .textSingle, validation: range)
        let form = DataForm(.form, fields: [port, FormField(nil, .boolean)])
        #expect(form.problems(in: DataForm(.submit, ["port": "0"])).map(\.field) == ["port"])
        var printed: [String] = []
        func print(_ fault: FormFault) { printed.append(fault.description) }
        for fault in form.faults { print(fault) }
        #expect(printed.count == 1)
    }
}
