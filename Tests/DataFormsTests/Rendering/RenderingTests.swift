// Forms as text for a terminal.

import Testing
import XMLTree

@testable import DataForms

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
        #expect(!form.rendered().contains("hunter2"))
        #expect(!form.rendered().contains("secret"))
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

    /// An invalid value must not look like an answer.
    @Test func aBooleanThatIsNone() {
        let form = DataForm(.form, fields: [FormField("public", .boolean, values: ["maybe"])])
        #expect(form.rendered() == "  public  maybe\n")
        let table = DataForm(.result, reported: [FormField("public", .boolean)], items: [["public": "maybe"]])
        #expect(table.rendered() == "public\n------\nmaybe\n")
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
        // Without a header, the items' own fields.
        let plain = DataForm(.result, items: [["a": "1"], ["b": "2", "a": "3"]])
        #expect(plain.rendered() == "a  b\n-  -\n1\n3  2\n")
        #expect(DataForm(.result, reported: [FormField("a")]).rendered() == "a\n-\n(nothing)\n")
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
        #expect(DataForm(.cancel).rendered() == "")
    }

    /// Untrusted text neither controls the terminal nor exceeds its width.
    @Test func hostileText() {
        let nasty = "\u{1B}]0;owned\u{7}\u{9B}2J\r\n\u{202E}abc\u{2028}x"
        let form = DataForm(
            .form, title: nasty, instructions: [nasty],
            fields: [
                FormField(
                    nasty, .listSingle, label: nasty, description: nasty, values: [nasty],
                    options: [FieldOption(nasty, label: nasty)]),
                FormField(nil, .fixed, values: [nasty]),
                FormField("m", media: FieldMedia(uris: [MediaURI(nasty, type: nasty)])),
            ], reported: [FormField(nasty)], items: [FormItem([nasty: nasty])],
            pages: [FormSection(label: nasty, parts: [.text(nasty)])])
        for scalar in form.rendered(width: 30).unicodeScalars where scalar != "\n" {
            #expect(scalar.properties.generalCategory != .control, "\(scalar.value)")
            #expect(scalar.value != 0x202E && scalar.value != 0x2028)
        }
        let long = String(repeating: "word大 ", count: 20) + String(repeating: "x", count: 2_000)
        let wide = DataForm(
            .form, title: long, instructions: [long],
            fields: [
                FormField(
                    long, .listMulti, label: long, description: long, isRequired: true, values: [long],
                    options: [FieldOption(long)])
            ],
            items: [FormItem([long: long, "a": long])])
        for width in [0, 20, 33, 80] {
            let lines = wide.rendered(width: width).split(separator: "\n")
            #expect(lines.allSatisfy { $0.columnCount <= max(20, width) }, "\(width)")
        }
    }

    /// Rendering takes linear time for long text.
    @Test(.timeLimit(.minutes(60))) func hugeForms() {
        let huge = String(repeating: "x", count: 1 << 17)
        let form = DataForm(
            .form, title: huge, instructions: [huge], fields: [FormField("f", label: huge, values: [huge])],
            items: [[huge: huge]])
        #expect(form.rendered().utf8.count > 1 << 17)
        let many = DataForm(
            .result, reported: (0..<2_000).map { FormField("c\($0)") },
            items: Array(repeating: FormItem(), count: 2_000))
        #expect(!many.rendered().isEmpty)
        #expect(many.faults.count == 2_000)
        // Rendering looks up each field once: quadratic work would take minutes here.
        let untyped = DataForm(.submit, fields: (0..<60_000).map { FormField("f\($0)", values: ["x"]) })
        #expect(untyped.problems().isEmpty)
        #expect(untyped.faults.isEmpty)
        let options = (0..<17_000).map { FieldOption("o\($0)") }
        let list = FormField("l", .listMulti, values: options.map(\.value), options: options)
        #expect(DataForm(.form, fields: [list]).problems().isEmpty)
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
        #expect("abc".columnCount == 3)
        #expect("e\u{301}".columnCount == 1)
        #expect("大阪".columnCount == 4)
        #expect("😀".columnCount == 2)
        #expect("\u{200B}".columnCount == 0)
        #expect("abcdef".cut(to: 4) == "abc…")
        #expect("大阪城".cut(to: 4) == "大…")
        #expect("abc".cut(to: 3) == "abc")
        #expect("abc".cut(to: 0) == "")
        #expect("".wrapped(to: 5) == [""])
        #expect("a bc def".wrapped(to: 4) == ["a bc", "def"])
        #expect("abcdefghij kl".wrapped(to: 4) == ["abcd", "efgh", "ij", "kl"])
        #expect("大阪城".wrapped(to: 1) == ["大", "阪", "城"])
    }
}
