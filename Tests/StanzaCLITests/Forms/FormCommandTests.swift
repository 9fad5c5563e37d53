// `stanza form`: the shown form, the answers, and the dialog.

import Foundation
import StanzaCLI
import Testing

@Suite("form", .timeLimit(.minutes(60)))
struct FormCommandTests {
    static let room = """
        <presence/>
        <iq type='result' id='1' from='room@s' to='me@h/r'><query xmlns='http://jabber.org/protocol/muc#owner'>\
        <x xmlns='jabber:x:data' type='form'><title>Room</title>\
        <field var='FORM_TYPE' type='hidden'><value>urn:room</value></field>\
        <field type='fixed'><value>About</value></field>\
        <field var='name' type='text-single' label='Name'><required/></field>\
        <field var='public' type='boolean' label='Public?'><value>1</value></field>\
        <field var='access' type='list-single'><value>all</value><option label='Everyone'><value>all</value></option>\
        <option><value>some</value></option></field>\
        <field var='admins' type='jid-multi'><value>a@b</value></field>\
        <field var='about' type='text-multi'/><field var='pin' type='text-private'/></x></query></iq>
        """
    private static let files = [
        "room.xml": room, "none.xml": "<a/><b/>", "bare.xml": "<x xmlns='jabber:x:data' type='form'/>",
    ]

    private static func submission(_ fields: String) -> String {
        """
        <iq xmlns='jabber:client' type='set' id='2' to='room@s'>\
        <query xmlns='http://jabber.org/protocol/muc#owner'><x xmlns='jabber:x:data' type='submit'>\
        <field var='FORM_TYPE' type='hidden'><value>urn:room</value></field>\(fields)</x></query></iq>

        """
    }

    private func form(_ arguments: String..., file: String = "room.xml") -> CommandResult {
        stanza(["form", file] + arguments, input: [], files: Self.files)
    }

    @Test("shows the first form")
    func showing() {
        let result = form()
        #expect(result.status == .success)
        #expect(result.errors.isEmpty)
        #expect(result.output.hasPrefix("Room\n====\n\nAbout\n* Name"))
        #expect(result.output.contains("(*) Everyone"))
        #expect(stanza("form", "-", input: Self.room).output == result.output)
        #expect(form("--stanza", "2").output == result.output)
    }

    @Test("explains why it prints nothing")
    func nothingToShow() {
        for (type, words) in [
            ("cancel", "it cancels another form, and has no fields to show"),
            ("result", "has no title, text or fields to show"), ("form", "has no title, text or fields to show"),
        ] {
            let shown = stanza("form", "-", input: "<x xmlns='jabber:x:data' type='\(type)'/>")
            #expect(shown.status == .success)
            #expect(shown.output.isEmpty)
            #expect(shown.errorLines.count == 1)
            #expect(shown.errors.hasPrefix("stanza: the form is of type '\(type)'"))
            #expect(shown.errors.contains(words))
        }
    }

    @Test("answers with the values from the arguments")
    func setting() {
        let result = form(
            "--set", "name=Elsinore", "--set", "admins=c@d", "--set", "admins=e@f", "--set", "about=a=b", "--id", "2")
        #expect(result.status == .success)
        #expect(
            result.output
                == Self.submission(
                    """
                    <field var='name' type='text-single'><value>Elsinore</value></field>\
                    <field var='public' type='boolean'><value>1</value></field>\
                    <field var='access' type='list-single'><value>all</value></field>\
                    <field var='admins' type='jid-multi'><value>c@d</value><value>e@f</value></field>\
                    <field var='about' type='text-multi'><value>a=b</value></field>
                    """))
        #expect(
            form("--set", "name=N", "--set", "admins=", "--id", "2").output.contains(
                "<field var='admins' type='jid-multi'/>"))
        #expect(form("--set", "name=N", "--set", "access=").output.contains("<field var='access' type='list-single'/>"))
        #expect(form("--submit", "--id", "2", file: "bare.xml").output == "<x xmlns='jabber:x:data' type='submit'/>\n")
        #expect(
            form("--cancel", "--id", "2").output.contains(
                "<query xmlns='http://jabber.org/protocol/muc#owner'><x xmlns='jabber:x:data' type='cancel'/>"))
        // Without an id, each answer has its own.
        #expect(form("--cancel").output != form("--cancel").output)
    }

    /// A value in the spelling of the form counts as it is, also if it is a number or has a comma.
    @Test(
        "takes the values that the dialog takes",
        arguments: [
            ("yes", "public", "true"), ("No", "public", "false"), ("1", "public", "1"), ("Everyone", "access", "all"),
            ("2", "access", "some"), ("all", "access", "all"), ("a@b, c@d", "admins", "a@b</value><value>c@d"),
            ("a@b/c,d@e", "admins", "a@b/c,d@e"), ("-", "name", "-"), ("yes", "name", "yes"),
        ])
    func settingAsInTheDialog(text: String, name: String, value: String) {
        let answer = form("--set", "name=N", "--set", "\(name)=\(text)")
        if name == "name" { return #expect(form("--set", "name=\(text)").output.contains("<value>\(text)</value>")) }
        #expect(answer.status == .success, "\(answer.errors)")
        #expect(
            answer.output.range(
                of: "<field var='\(name)' type='[a-z-]*'><value>\(value)</value>", options: .regularExpression) != nil)
    }

    /// Carbons, rooms and CAPTCHAs.
    @Test(
        "answers the sender of the form",
        arguments: [
            (
                """
                <message xmlns='jabber:client' from='bob@b.example' to='bob@b.example/1' type='chat'>\
                <received xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>\
                <message xmlns='jabber:client' from='bot@c.example/b' to='bob@b.example/2' id='f1'>FORM</message>\
                </forwarded></received></message>
                """,
                "<message xmlns='jabber:client' id='2' to='bot@c.example/b'>ANSWER</message>\n"
            ),
            (
                """
                <message xmlns='jabber:client' from='club@rooms.example/ann' to='bob@b.example/pda' type='groupchat' \
                id='g1'><body>poll</body>FORM</message>
                """,
                "<message xmlns='jabber:client' type='groupchat' id='2' to='club@rooms.example'>ANSWER</message>\n"
            ),
            (
                """
                <message xmlns='jabber:client' from='a.example' to='bot@b.example/1' id='c7'><body>b</body>\
                <captcha xmlns='urn:xmpp:captcha'>FORM</captcha></message>
                """,
                """
                <iq xmlns='jabber:client' type='set' id='2' to='a.example'><captcha xmlns='urn:xmpp:captcha'>ANSWER\
                </captcha></iq>

                """
            ),
        ])
    func senders(input: String, output: String) {
        let x = "<x xmlns='jabber:x:data' type='form'><field var='a'/></x>"
        let submission = "<x xmlns='jabber:x:data' type='submit'><field var='a'><value>1</value></field></x>"
        let answer = stanza(
            "form", "-", "--set", "a=1", "--id", "2", input: input.replacing("FORM", with: x))
        #expect(answer.output == output.replacing("ANSWER", with: submission), "\(answer.errors)")
    }

    @Test("refuses to answer a stranger's carbon, and an answer with an empty id")
    func refusals() {
        let carbon = """
            <message xmlns='jabber:client' from='evil@e.example' to='bob@b.example/1' type='chat'>\
            <received xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>\
            <message xmlns='jabber:client' from='bot@c.example/b'><x xmlns='jabber:x:data' type='form'/></message>\
            </forwarded></received></message>
            """
        let answer = stanza("form", "-", "--submit", input: carbon)
        #expect(answer.status == .usage && answer.output.isEmpty)
        #expect(answer.errors.hasPrefix("stanza: the carbon is not from the account itself"))
        let own = carbon.replacing("evil@e.example", with: "bob@b.example")
        #expect(stanza("form", "-", "--submit", input: own).status == .success)
        let unnamed = stanza("form", "-", "--submit", "--id", "", input: own)
        #expect(unnamed.status == .usage && unnamed.errors.contains("--id must not be empty"))
    }

    @Test("refuses to answer an error")
    func errorStanzas() {
        let answer = stanza(
            "form", "-", "--submit",
            input: "<message xmlns='jabber:client' type='error'><x xmlns='jabber:x:data' type='form'/></message>")
        #expect(answer.status == .usage)
        #expect(answer.output.isEmpty)
        #expect(answer.errors.hasPrefix("stanza: the stanza is an error, which is not answered"))
    }

    @Test("answers a form with bounds that no answer can satisfy")
    func impossibleBounds() {
        let input = { (bounds: String) in
            """
            <x xmlns='jabber:x:data' type='form'><field var='f' type='list-multi'>\
            <validate xmlns='http://jabber.org/protocol/xdata-validate'><list-range \(bounds)/></validate>\
            <option><value>a</value></option><option><value>b</value></option></field></x>
            """
        }
        for bounds in ["min='3' max='1'", "max='0'", "min='3'"] {
            let answer = stanza("form", "-", "--set", "f=a", input: input(bounds))
            #expect(answer.status == .success, "\(bounds): \(answer.errors)")
            #expect(answer.output.contains("<value>a</value>"))
            let dialog = asked("1\r", input(bounds)).0
            #expect(dialog.output.contains("<value>a</value>"), "\(bounds): \(dialog.errors)")
        }
    }

    @Test("answers in one line without terminal control characters")
    func hostileAnswer() {
        let input = """
            <x xmlns='jabber:x:data' type='form'><field var='f'><value>a&#x9b;31m\u{85}\u{202E}b</value></field></x>
            """
        let answer = stanza("form", "-", "--submit", input: input)
        #expect(answer.status == .success)
        #expect(answer.lines.count == 1)
        #expect(answer.output.contains("<value>a&#155;31m&#133;&#8238;b</value>"), "\(answer.output)")
    }

    @Test("reports mistakes")
    func problems() {
        let wrong = form("--set", "access=none", "--set", "pin=x\ny")
        #expect(wrong.status == .usage)
        #expect(wrong.output.isEmpty)
        #expect(
            wrong.errorLines == [
                "stanza: 'Name' (name) is required: give it a value.",
                "stanza: 'access': 'none' is none of the options; expected 'all' or 'some'.",
                "stanza: 'pin' has a line break, which a field of type text-private cannot have: write one line.",
            ])
        #expect(
            form("--set", "name=\u{1}").errors.contains("'Name' (name): '\u{FFFD}' has a character that XML cannot"))
        let unknown = form("--set", "nmae=x")
        #expect(unknown.status == .usage)
        #expect(unknown.errors.contains("unknown field 'nmae'; did you mean 'name'?"))
        #expect(
            form("--set", "nothing=x").errors.contains("unknown field 'nothing'; expected one of: name, public"))
        #expect(
            form("--set", "FORM_TYPE=x").errors.contains("the field 'FORM_TYPE' cannot be set; expected one of: name"))
        // The first '=' ends the name, before any character.
        #expect(form("--set", "name=\u{301}").output.contains("<value>\u{301}</value>"))
        #expect(form("--id", "2").status == .usage)
        #expect(form("--id", "2").errors == "stanza: --id is for an answer: add --set, --submit or --cancel\n")
        #expect(form("--cancel", "--id", "\u{1B}").errors.hasPrefix("Error: --id: XML cannot hold U+001B at byte 0"))
        let canceled = stanza("form", "-", "--cancel", input: "<x xmlns='jabber:x:data' type='result'/>")
        #expect(canceled.status == .usage)
        for arguments in [["--set", "name"], ["--cancel", "--submit"], ["--stanza", "0"]] {
            #expect(stanza(["form", "room.xml"] + arguments, input: [], files: Self.files).status == .usage)
        }
        #expect(form(file: "none.xml").status == .nothing)
        #expect(form("--stanza", "1", file: "none.xml").errors.contains("no form in stanza 1"))
        #expect(form("--stanza", "9").errors.contains("no stanza 9; there are 2 in all"))
        #expect(form(file: "missing.xml").status == .badInput)
        let result = stanza("form", "-", "--submit", input: "<x xmlns='jabber:x:data' type='result'/>")
        #expect(result.status == .usage)
        #expect(result.errors.contains("only forms of type 'form' are answered; this one is 'result'"))
        let faulty = stanza("form", "-", input: "<x xmlns='jabber:x:data' type='form'><field type='boolean'/></x>")
        #expect(faulty.status == .success)
        #expect(faulty.errors.contains("A field has no name"))
    }

    @Test("takes the selected form")
    func severalForms() {
        let x = { (name: String) in "<x xmlns='jabber:x:data' type='form'><field var='\(name)'/></x>" }
        let xml = "<iq type='result'><a xmlns='u:1'>\(x("p"))</a><b xmlns='u:2'>\(x("q"))</b></iq>"
        let first = stanza("form", "-", "--set", "p=1", "--id", "2", input: xml)
        #expect(first.output.contains("<a xmlns='u:1'><x "))
        #expect(first.errors == "stanza: there are 2 forms in stanza 1; this is the first: --form names another\n")
        let second = stanza("form", "-", "--form", "2", "--set", "q=1", "--id", "2", input: xml)
        #expect(second.output.contains("<iq xmlns='jabber:client' type='set' id='2'><b xmlns='u:2'><x "))
        #expect(second.errors.isEmpty)
        let third = stanza("form", "-", "--form", "3", input: xml)
        #expect(third.status == .nothing)
        #expect(third.errors.contains("no form 3 in stanza 1; there are 2"))
        #expect(stanza("form", "-", "--form", "0", input: xml).status == .usage)
        // A nested form is part of the outer one; a form without a stanza is answered by a form without a stanza.
        let nested = "<x xmlns='jabber:x:data' type='form'><u xmlns='u'>\(x("p"))</u></x>"
        #expect(stanza("form", "-", "--submit", input: nested).output == "<x xmlns='jabber:x:data' type='submit'/>\n")
    }

    @Test("limits the number of reported faults and names")
    func manyFaults() {
        let fields = (0..<60).map { "<field var='f\($0)'/><field var='f\($0)'/>" }.joined()
        let xml = "<x xmlns='jabber:x:data' type='form'>\(fields)</x>"
        let result = stanza("form", "-", "--set", "g=1", input: xml)
        #expect(result.errorLines.count == 22)
        #expect(result.errorLines[20] == "stanza: and 40 more faults")
        #expect(result.errorLines[21].hasSuffix("f18, f19 and 40 more"))
    }

    @Test("asks page by page")
    func pages() {
        let xml = """
            <x xmlns='jabber:x:data' xmlns:l='http://jabber.org/protocol/xdata-layout' type='result'/>\
            <x xmlns='jabber:x:data' xmlns:l='http://jabber.org/protocol/xdata-layout' type='form'><title>T</title>\
            <l:page label='One&#x9b;'><l:text>Read this.</l:text><l:section label='Inner'><l:fieldref var='b'/></l:section>\
            </l:page><l:page><l:reportedref/><l:fieldref var='a'/><l:fieldref var='b'/></l:page>\
            <field var='a' type='text-single'/><field var='b' type='text-single'/><field var='c' type='text-single'/>\
            <field var='c' type='text-single'/><reported><field var='n' label='Head'/></reported></x>
            """
        let (result, _) = asked("1\r2\r3\r", xml, "--stanza", "2")
        #expect(result.status == .success)
        #expect(
            result.output
                == """
                <x xmlns='jabber:x:data' type='submit'><field var='a' type='text-single'><value>2</value></field>\
                <field var='b' type='text-single'><value>1</value></field>\
                <field var='c' type='text-single'><value>3</value></field></x>

                """)
        let order = [
            "T\n=\n", "Enter keeps", "\n--- Page 1 of 3: One\u{FFFD} ---\n", "\nRead this.\n", "\nInner\n", "  b: 1",
            "\n--- Page 2 of 3 ---\n", "Head\n----", "  a: 2", "\n--- Page 3 of 3 ---\n", "  c: 3",
        ]
        var rest = Substring(result.errors)
        for text in order {
            guard let range = rest.range(of: text) else {
                Issue.record("\(text) is missing in \(result.errors.debugDescription)")
                return
            }
            rest = rest[range.upperBound...]
        }
        // A field of a later page is not shown before that page.
        #expect(result.errors.prefix { $0 != "E" }.contains("Inner") == false)
    }

    /// Types keys on a terminal in memory.
    private func asked(_ keys: String, _ file: String = FormCommandTests.room, _ arguments: String...) -> (
        CommandResult, isRestored: Bool
    ) {
        let (output, errors) = (MemorySink(), MemorySink())
        var depth = 0
        let terminal = Terminal(
            showsOutput: true, givesInput: true, columns: { 60 },
            beginRawInput: {
                depth += 1
                return { depth -= 1 }
            }, now: { .zero })
        let console = Console(
            input: MemorySource([Array(keys.utf8)], isLive: true), output: Output(output), errors: Output(errors),
            terminal: terminal,
            open: { _ throws(SystemError) in MemorySource([Array(file.utf8)], isLive: false) })
        let status = StanzaCommand.run(["form", "room.xml", "--id", "2"] + arguments, on: console)
        return (CommandResult(status: status, output: output.text, errors: errors.text), depth == 0)
    }

    @Test("asks for every field on a terminal")
    func asking() {
        // Name, public, owner by number, admins kept, two lines, a secret.
        let (result, isRestored) = asked("Elsinore\rno\r2\r\rfirst\rsecond\r\rs3cret\r")
        #expect(result.status == .success)
        #expect(isRestored)
        #expect(
            result.output
                == Self.submission(
                    """
                    <field var='name' type='text-single'><value>Elsinore</value></field>\
                    <field var='public' type='boolean'><value>false</value></field>\
                    <field var='access' type='list-single'><value>some</value></field>\
                    <field var='admins' type='jid-multi'><value>a@b</value></field>\
                    <field var='about' type='text-multi'><value>first</value><value>second</value></field>\
                    <field var='pin' type='text-private'><value>s3cret</value></field>
                    """))
        #expect(result.errors.contains("* Name: "))
        #expect(result.errors.contains("Public? (yes/no) [yes]: "))
        #expect(result.errors.contains("2) some"))
        #expect(result.errors.contains("******"))
        #expect(!result.errors.contains("s3cret"))
    }

    @Test("reports mistakes during typing, and asks again")
    func validating() {
        let (result, _) = asked("\rN\rmay\u{15}yes\rall\rx y\r-\r\r\r")
        #expect(result.status == .success)
        #expect(result.errors.contains("  ! 'Name' (name) is required: give it a value.\n"))
        // Below the line, before Enter.
        #expect(result.errors.contains("\r\n  ! 'Public?' (public): 'may' is neither yes nor no"))
        #expect(
            result.errors.contains(
                "  ! 'admins': 'x y' is not an address; expected one such as juliet@example.org or example.org.\n"))
        #expect(result.output.contains("<field var='admins' type='jid-multi'/>"))
    }

    @Test("can be canceled")
    func givingUp() {
        for keys in ["\u{3}", "N\ryes\r\u{4}", "N\r"] {
            let (result, isRestored) = asked(keys)
            #expect(result.status == .nothing)
            #expect(result.output.isEmpty)
            #expect(isRestored)
        }
    }

    @Test("keeps long lines within the terminal")
    func longLines() {
        let text = String(repeating: "ab大", count: 60)
        let (result, _) = asked("\(text)\u{1}\u{1B}[C\u{5}\r\r\r\r\r\r\r")
        #expect(result.output.contains("<value>\(text)</value>"))
        for line in result.errors.replacing("\u{1B}[J", with: "\n").replacing("\u{1B}[1A", with: "\n").split(
            whereSeparator: { $0 == "\n" || $0 == "\r" || $0 == "\r\n" })
        {
            if line.hasPrefix("* Name") { #expect(line.count <= 60, "\(line)") }
        }
    }

    @Test("puts the cursor after visible marks of direction")
    func marksOfDirection() {
        let plain = asked("qz\r\r\r\r\r\r\r").0.errors
        let marked = asked("q\u{202E}\r\r\r\r\r\r\r").0.errors
        #expect(plain.contains("qz") && plain.replacing("qz", with: "q\u{FFFD}") == marked)
    }
}
