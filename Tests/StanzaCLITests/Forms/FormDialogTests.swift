// `stanza form` on a terminal in memory. Tests/Inputs/commands/form.txt has shown forms, and answers without a
// terminal.

import Foundation
import StanzaCLI
import Testing

@Suite("The dialog of form")
struct FormDialogTests {
    private static let room = """
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

    /// Types keys on a terminal in memory.
    private func asked(_ keys: String, _ file: String = room, _ arguments: String...) -> (
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

    /// Whether a text has these parts, in this order.
    private func contains(_ parts: [String], in text: String) -> Bool {
        var rest = Substring(text)
        return parts.allSatisfy { part in
            guard let range = rest.firstRange(of: part) else { return false }
            rest = rest[range.upperBound...]
            return true
        }
    }

    @Test("asks for every field")
    func asking() {
        // Name, public, owner by number, admins kept, two lines, a secret.
        let (result, isRestored) = asked("Elsinore\rno\r2\r\rfirst\rsecond\r\rs3cret\r")
        #expect(result.status == .success && isRestored)
        #expect(
            result.output == """
                <iq xmlns='jabber:client' type='set' id='2' to='room@s'>\
                <query xmlns='http://jabber.org/protocol/muc#owner'><x xmlns='jabber:x:data' type='submit'>\
                <field var='FORM_TYPE' type='hidden'><value>urn:room</value></field>\
                <field var='name' type='text-single'><value>Elsinore</value></field>\
                <field var='public' type='boolean'><value>false</value></field>\
                <field var='access' type='list-single'><value>some</value></field>\
                <field var='admins' type='jid-multi'><value>a@b</value></field>\
                <field var='about' type='text-multi'><value>first</value><value>second</value></field>\
                <field var='pin' type='text-private'><value>s3cret</value></field></x></query></iq>

                """)
        #expect(contains(["* Name: ", "Public? (yes/no) [yes]: ", "2) some", "******"], in: result.errors))
        #expect(!result.errors.contains("s3cret"))
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
        #expect(
            result.output == """
                <x xmlns='jabber:x:data' type='submit'><field var='a' type='text-single'><value>2</value></field>\
                <field var='b' type='text-single'><value>1</value></field>\
                <field var='c' type='text-single'><value>3</value></field></x>

                """)
        let order = [
            "T\n=\n", "Enter keeps", "\n--- Page 1 of 3: One\u{FFFD} ---\n", "\nRead this.\n", "\nInner\n", "  b: 1",
            "\n--- Page 2 of 3 ---\n", "Head\n----", "  a: 2", "\n--- Page 3 of 3 ---\n", "  c: 3",
        ]
        #expect(contains(order, in: result.errors), "\(result.errors.debugDescription)")
        // A field of a later page is not shown before that page.
        #expect(result.errors.prefix { $0 != "E" }.contains("Inner") == false)
    }

    @Test("reports mistakes during typing, and asks again")
    func validating() {
        let (result, _) = asked("\rN\rmay\u{15}yes\rall\rx y\r-\r\r\r")
        #expect(result.status == .success)
        let order = [
            "  ! 'Name' (name) is required: give it a value.\n",
            // Below the line, before Enter.
            "\r\n  ! 'Public?' (public): 'may' is neither yes nor no",
            "  ! 'admins': 'x y' is not an address; expected one such as juliet@example.org or example.org.\n",
        ]
        #expect(contains(order, in: result.errors), "\(result.errors.debugDescription)")
        #expect(result.output.contains("<field var='admins' type='jid-multi'/>"))
        // No answer can satisfy these bounds.
        for bounds in ["min='3' max='1'", "max='0'", "min='3'"] {
            let form = """
                <x xmlns='jabber:x:data' type='form'><field var='f' type='list-multi'>\
                <validate xmlns='http://jabber.org/protocol/xdata-validate'><list-range \(bounds)/></validate>\
                <option><value>a</value></option><option><value>b</value></option></field></x>
                """
            #expect(asked("1\r", form).0.output.contains("<value>a</value>"), "\(bounds)")
        }
    }

    @Test("can be canceled", arguments: ["\u{3}", "N\ryes\r\u{4}", "N\r"])
    func givingUp(keys: String) {
        let (result, isRestored) = asked(keys)
        #expect(result.status == .nothing && result.output.isEmpty && isRestored)
    }

    @Test("keeps long lines within the terminal, and puts the cursor after visible marks of direction")
    func lines() {
        let text = String(repeating: "ab大", count: 60)
        let (result, _) = asked("\(text)\u{1}\u{1B}[C\u{5}\r\r\r\r\r\r\r")
        #expect(result.output.contains("<value>\(text)</value>"))
        let moves = result.errors.replacing(/\u{1B}\[(J|1A)/, with: "\n")
        let lines = moves.split { "\n\r\r\n".contains($0) }.filter { $0.hasPrefix("* Name") }
        #expect(!lines.isEmpty && lines.allSatisfy { $0.count <= 60 })
        let plain = asked("qz\r\r\r\r\r\r\r").0.errors
        let marked = asked("q\u{202E}\r\r\r\r\r\r\r").0.errors
        #expect(plain.contains("qz") && plain.replacing("qz", with: "q\u{FFFD}") == marked)
    }

    @Test("limits the number of reported faults and names")
    func manyFaults() {
        let fields = (0..<60).map { "<field var='f\($0)'/><field var='f\($0)'/>" }.joined()
        let form = "<x xmlns='jabber:x:data' type='form'>\(fields)</x>"
        let result = stanza("form", "-", "--set", "g=1", input: form)
        #expect(result.errorLines.count == 22)
        #expect(result.errorLines[20] == "stanza: and 40 more faults")
        #expect(result.errorLines[21].hasSuffix("f18, f19 and 40 more"))
        // Without an id, each answer has its own.
        let answers = (0..<2).map { _ in stanza("form", "-", "--cancel", input: "<iq from='a'>\(form)</iq>").output }
        #expect(answers[0].contains(" id='") && answers[0] != answers[1])
    }
}
