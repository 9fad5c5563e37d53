// The stanzas that return answers.

import Testing
import XMLTree

@testable import DataForms

@Suite struct ReplyTests {
    private static let x =
        "<x xmlns='jabber:x:data' type='form'><field var='a' type='text-single'><value>1</value></field></x>"

    private func reply(_ stanza: String, cancels: Bool = false) throws -> String? {
        let stanza = try parse(stanza)
        let form = DataForm(.form, fields: [FormField("a", .textSingle, values: ["1"])])
        let answer = cancels ? form.cancellation() : try form.submission()
        return try answer.reply(to: stanza, id: "2")?.xmlString(in: .clientStream)
    }

    @Test func queries() throws {
        #expect(
            try reply(
                "<iq type='result' id='1' from='room@s' to='me@h/r'><query xmlns='u:owner' node='n'><other/>text\(Self.x)</query></iq>"
            )
                == """
                <iq type='set' id='2' to='room@s' from='me@h/r'><query xmlns='u:owner' node='n'>\
                <x xmlns='jabber:x:data' type='submit'><field var='a' type='text-single'><value>1</value></field></x></query></iq>
                """)
        #expect(
            try reply(
                "<iq type='result' from='s'><pubsub xmlns='p'><a/><configure node='n'>\(Self.x)</configure></pubsub></iq>",
                cancels: true)
                == "<iq type='set' id='2' to='s'><pubsub xmlns='p'><configure node='n'><x xmlns='jabber:x:data' type='cancel'/>"
                + "</configure></pubsub></iq>")
    }

    @Test func commands() throws {
        let command =
            "<iq type='result' from='s'><command xmlns='http://jabber.org/protocol/commands' node='n' sessionid='i' status='executing'>"
            + "<actions><next/></actions>\(Self.x)</command></iq>"
        #expect(
            try reply(command)?.contains(
                "<command xmlns='http://jabber.org/protocol/commands' node='n' sessionid='i'><x") == true)
        #expect(try reply(command, cancels: true)?.contains("sessionid='i' action='cancel'><x") == true)
    }

    @Test func messages() throws {
        #expect(
            try reply("<message type='chat' from='a@b/c' to='d@e'><thread>t</thread><body>b</body>\(Self.x)</message>")
                == """
                <message type='chat' id='2' to='a@b/c' from='d@e'><thread>t</thread><x xmlns='jabber:x:data' type='submit'>\
                <field var='a' type='text-single'><value>1</value></field></x></message>
                """)
    }

    /// If a stanza has several forms, each answer takes the place of its own form.
    @Test func severalForms() throws {
        let form = { (value: String) in
            "<x xmlns='jabber:x:data' type='form'><field var='a' type='text-single'><value>\(value)</value></field></x>"
        }
        let xml =
            "<iq type='result'><one xmlns='u:1'>\(form("1"))</one><two xmlns='u:2'><in/><in k='v'>\(form("2"))</in></two></iq>"
        let stanza = try parse(xml)
        let forms = stanza.children.compactMap { $0.descendantForm.flatMap { DataForm($0) } }
        #expect(forms.count == 2)
        let wrappers = ["<one xmlns='u:1'><x ", "<two xmlns='u:2'><in k='v'><x "]
        // The same stanza, and a newly parsed one.
        for stanza in try [stanza, parse(xml)] {
            for (form, wrapper) in zip(forms, wrappers) {
                let answers = try [form.submission(), FormAnswer(to: form).submission(), form.cancellation()]
                for answer in answers {
                    let reply = try answer.reply(to: stanza, id: "2")?.xmlString(in: .clientStream)
                    #expect(reply?.contains("<iq type='set' id='2'>" + wrapper) == true, "\(reply ?? "none")")
                }
            }
        }
        // An answer that was made from no form replaces the first form.
        let reply = try DataForm(.submit).reply(to: stanza, id: "2")?.xmlString(in: .clientStream)
        #expect(reply?.contains(wrappers[0]) == true)
    }

    @Test func stanzasWithoutForm() throws {
        #expect(try reply("<iq type='result'><query xmlns='u'><a><b/></a></query></iq>") == nil)
        #expect(try reply("<iq/>") == nil)
        #expect(try reply("<iq><a><b/></a><c><d/>\(Self.x)</c></iq>")?.contains("<iq type='set' id='2'><c><x") == true)
    }
}

extension Element {
    fileprivate var descendantForm: Element? {
        DataFormElement(self) == nil ? children.lazy.compactMap(\.descendantForm).first : self
    }
}
