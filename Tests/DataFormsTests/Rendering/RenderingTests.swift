// Forms as text for a terminal, and descriptions.

import Foundation
import TestSupport
import Testing
import XMLTree

@testable import DataForms
@testable import FormModel

@Suite struct RenderingTests {
    @Test func fields() {
        let form = DataForm(
            .form, formType: "urn:hidden", title: "Bot Configuration",
            instructions: ["Fill out this form to configure your new bot!", "It takes\n   a minute."],
            fields: [
                FormField(nil, .fixed, values: ["Section 1: Bot Info"]),
                FormField("botname", .textSingle, label: "The name of your bot", isRequired: true, values: ["Joogle"]),
                FormField("description", .textMulti, description: "Its purpose", values: ["one line", "another"]),
                FormField("public", .boolean, label: "Public bot?", isRequired: true, values: ["1"]),
                FormField("shy", .boolean, label: "", values: ["0"]),
                FormField("password", .textPrivate, values: ["hunter2"]),
                FormField("pin", .textPrivate),
                FormField("token", .hidden, values: ["secret"]),
                FormField(nil, .fixed, values: ["Section 2: Features"]),
                FormField(
                    "features", .listMulti, values: ["news", "own"],
                    options: [FieldOption("contests", label: "Contests"), "news"]),
                FormField(
                    "maxsubs", .listSingle, label: "Maximum number of subscribers to this", values: ["20"],
                    options: ["10", "20"]),
                FormField("submitted", .listMulti, values: ["a", "b"]),
                FormField(
                    "ocr",
                    media: FieldMedia(uris: [MediaURI("cid:x", type: "image/png"), MediaURI("http://a", type: nil)])),
            ])
        #expect(
            form.rendered(width: 60)
                == """
                Bot Configuration
                =================
                Fill out this form to configure your new bot!
                It takes a minute.

                Section 1: Bot Info
                * The name of your bot         Joogle
                  description                  one line
                                               another
                                               (Its purpose)
                * Public bot?                  yes
                  shy                          no
                  password                     ********
                  pin

                Section 2: Features
                  features                     [ ] Contests
                                               [x] news
                                               [x] own
                  Maximum number of            ( ) 10
                  subscribers to this          (*) 20
                  submitted                    a
                                               b
                  ocr                          <image/png cid:x>
                                               <medium http://a>

                * required

                """)
        #expect(form.description == form.rendered())
    }

    @Test func asterisksAreExplainedIfTheyAreShown() {
        let hidden = FormField("token", .hidden, isRequired: true, values: ["x"])
        let text = FormField(nil, .fixed, isRequired: true, values: ["text"])
        #expect(DataForm(.form, fields: [hidden, text]).rendered() == "text\n")
        let shown = FormField("a", .textSingle, isRequired: true)
        #expect(DataForm(.form, fields: [hidden, shown]).rendered() == "* a\n\n* required\n")
    }

    /// Rendering also masks or hides fields that only the caller's registry marks as private or hidden.
    @Test func registry() {
        var registry = FormRegistry.standard
        registry.register("urn:x", ["pin": .textPrivate, "token": .hidden, "yes": .boolean])
        let submission = DataForm(
            .submit, formType: "urn:x", ["pin": "hunter2", "token": "hunter2", "yes": "1", "own": "shown"])
        #expect(submission.rendered(registry: registry) == "  pin  ********\n  yes  yes\n  own  shown\n")
        #expect(submission.rendered().contains("hunter2"))
        let result = DataForm(
            .result, formType: "urn:x", reported: [FormField("pin"), FormField("token"), FormField("yes")],
            items: [["pin": "hunter2", "token": "hunter2", "yes": "1"]])
        #expect(result.rendered(registry: registry) == "pin       yes\n--------  ---\n********  yes\n")
        let bare = DataForm(.result, formType: "urn:x", items: [["pin": "hunter2", "token": "hunter2", "yes": "1"]])
        #expect(bare.rendered(registry: registry) == "pin       yes\n--------  ---\n********  yes\n")
        // The mask must also fit.
        let narrow = DataForm(.form, fields: [FormField("a long label", .textPrivate, values: ["x"])]).rendered(
            width: 20)
        #expect(narrow.split(separator: "\n").allSatisfy { $0.count <= 20 })
        // The form may omit types that the standard registry has.
        let room = DataForm(
            .submit, formType: "http://jabber.org/protocol/muc#roomconfig", ["muc#roomconfig_roomsecret": "hunter2"])
        #expect(!"\(room)".contains("hunter2"))
    }

    @Test func tables() {
        var form = DataForm(
            .result, title: "Joogle Search: verona",
            reported: [
                FormField("name", label: "Name"), FormField("url"), FormField("open", .boolean),
                FormField("id", .hidden),
            ],
            items: [
                ["name": "Comune di Verona", "url": "http://www.comune.verona.it/", "open": "1", "id": "7"],
                ["name": "大阪 benvenuto!", "other": "not shown"],
            ])
        form.items[1].fields.append(FormField("url", values: ["http://a/", "http://b/"]))
        #expect(
            form.rendered() == """
                Joogle Search: verona
                =====================

                Name              url                           open
                ----------------  ----------------------------  ----
                Comune di Verona  http://www.comune.verona.it/  yes
                大阪 benvenuto!   http://a/, http://b/

                """)
        // Rendering cuts a table that is too wide, the widest columns first.
        #expect(
            form.rendered(width: 40) == """
                Joogle Search: verona
                =====================

                Name              url               open
                ----------------  ----------------  ----
                Comune di Verona  http://www.comu…  yes
                大阪 benvenuto!   http://a/, http…

                """)
        for (form, text) in [
            // Without a header, the items' own fields.
            (DataForm(.result, items: [["a": "1"], ["b": "2", "a": "3"]]), "a  b\n-  -\n1\n3  2\n"),
            (DataForm(.result, reported: [FormField("a")]), "a\n-\n(nothing)\n"), (DataForm(.cancel), ""),
            // An invalid value must not look like an answer.
            (DataForm(.form, fields: [FormField("public", .boolean, values: ["maybe"])]), "  public  maybe\n"),
            (
                DataForm(.result, reported: [FormField("public", .boolean)], items: [["public": "maybe"]]),
                "public\n------\nmaybe\n"
            ),
        ] {
            #expect(form.rendered() == text)
        }
        let many = DataForm(.result, reported: (0..<50).map { FormField("c\($0)") }, items: [FormItem()])
        #expect(many.rendered(width: 20).hasSuffix("(and 43 more columns)\n"))
        #expect(many.rendered(width: 20).split(separator: "\n").allSatisfy { $0.columnCount <= 21 })
    }

    @Test func layout() {
        let form = DataForm(
            .form, title: "T", fields: [FormField("a", values: ["1"]), FormField("b", values: ["2"]), FormField("c")],
            pages: [
                FormSection(
                    label: "First",
                    parts: [.text("Read this."), .section(FormSection(label: "Inner", parts: [.field("b")]))]),
                FormSection(parts: [.field("a")]),
            ])
        #expect(
            form.rendered() == """
                T
                =

                First
                -----
                Read this.

                Inner
                  b  2
                  a  1
                  c

                """)
    }

    /// Long text does not exceed the width. Hostile forms in HostileFormTests.swift do not control the terminal.
    @Test(arguments: [0, 20, 33, 80]) func longText(width: Int) {
        let long = String(repeating: "word大 ", count: 20) + String(repeating: "x", count: 2_000)
        let wide = DataForm(
            .form, title: long, instructions: [long],
            fields: [
                FormField(
                    long, .listMulti, label: long, description: long, isRequired: true, values: [long],
                    options: [FieldOption(long)]),
                FormField("m", media: FieldMedia(uris: [MediaURI(long, type: long)])),
            ],
            items: [FormItem([long: long, "a": long])], pages: [FormSection(label: long, parts: [.text(long)])])
        #expect(wide.rendered(width: width).split(separator: "\n").allSatisfy { $0.columnCount <= max(20, width) })
    }

    /// Rendering and checks take linear time.
    @Test func hugeForms() {
        func form(_ size: Int) -> DataForm {
            let long = String(repeating: "x", count: size)
            let options = (0..<size / 32).map { FieldOption("o\($0)") }
            return DataForm(
                .form, title: long, instructions: [long],
                fields: [
                    FormField("f", label: long, values: [long]),
                    FormField("l", .listMulti, values: options.map(\.value), options: options),
                ] + (0..<size / 32).map { FormField("f\($0)", values: ["x"]) }, items: [[long: long]])
        }
        let (small, large) = (form(1 << 12), form(1 << 15))
        for work: (DataForm) -> Void in [{ _ = $0.rendered() }, { _ = $0.problems() }, { _ = $0.faults }] {
            let growth = growth(from: { work(small) }, to: { work(large) }, below: 24)
            #expect(growth < 24)
        }
        let many = DataForm(
            .result, reported: (0..<2_000).map { FormField("c\($0)") },
            items: Array(repeating: FormItem(), count: 2_000))
        #expect(!many.rendered().isEmpty && many.faults.count == 2_000)
    }

    /// To wrap nothing, pass the largest width.
    @Test(arguments: [Int.max, .max - 1, 0, -1, .min]) func anyWidth(width: Int) {
        let form = DataForm(
            .result, title: "Title", fields: [FormField("f", label: "Label", values: ["value"])],
            reported: [FormField("c")], items: [["c": "cell"]])
        let text = form.rendered(width: width)
        #expect(text.contains("value") && text.contains("cell"))
    }

    @Test func columns() {
        for (text, count) in [("abc", 3), ("e\u{301}", 1), ("大阪", 4), ("😀", 2), ("\u{200B}", 0)] {
            #expect(text.columnCount == count)
        }
        for (text, width, cut) in [("abcdef", 4, "abc…"), ("大阪城", 4, "大…"), ("abc", 3, "abc"), ("abc", 0, "")] {
            #expect(text.cut(to: width) == cut)
        }
        for (text, width, lines) in [
            ("", 5, [""]), ("a bc def", 4, ["a bc", "def"]), ("abcdefghij kl", 4, ["abcd", "efgh", "ij", "kl"]),
            ("大阪城", 1, ["大", "阪", "城"]),
        ] {
            #expect(text.wrapped(to: width) == lines)
        }
    }

    // MARK: Descriptions

    /// The descriptions of fields, items and answers omit values that may be secret.
    @Test(arguments: [
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
    ])
    func descriptions(field: FormField, description: String) {
        #expect("\(field)" == description && String(reflecting: field) == description)
        #expect("\([field])" == "[\(description)]" && "\(FormItem(fields: [field]))" == "FormItem([\(description)])")
    }

    @Test func descriptionsOfAnswersAndErrors() throws {
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
        // The system shows the description of each error.
        let problem = FormProblem(field: "age", label: "Age", .missing)
        for error: any Error in [
            problem, FormRejection(problems: [problem]), FormDecodingError.missing(field: "age"),
            FormFault("age", .repeatedField), NoSuchItem(index: 0, count: 0),
        ] {
            #expect(error.localizedDescription == "\(error)")
        }
    }
}
