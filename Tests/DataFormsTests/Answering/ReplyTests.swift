// The stanzas that return answers.

import Testing
import XMLTree

@testable import DataForms

@Suite struct ReplyTests {
    private static let x =
        "<x xmlns='jabber:x:data' type='form'><field var='a' type='text-single'><value>1</value></field></x>"
    private static let answer = x.replacing("'form'", with: "'submit'")

    private func reply(_ stanza: String, cancels: Bool = false) throws -> String? {
        let form = DataForm(.form, fields: [FormField("a", .textSingle, values: ["1"])])
        let answer = cancels ? form.cancellation() : try form.submission()
        let reply = try answer.reply(to: parse(stanza.replacing("FORM", with: Self.x)), id: "2")
        return reply?.xmlString(in: .clientStream).replacing(Self.answer, with: "ANSWER")
    }

    /// Stanzas with a form, and the stanzas that return the answer.
    @Test(arguments: [
        (
            "<iq type='result' id='1' from='room@s' to='me@h/r'><query xmlns='u:o' node='n'><other/>text FORM</query></iq>",
            "<iq type='set' id='2' to='room@s'><query xmlns='u:o' node='n'>ANSWER</query></iq>"
        ),
        (
            "<iq type='result' from='s'><command xmlns='http://jabber.org/protocol/commands' node='n' sessionid='i' "
                + "status='executing'><actions><next/></actions>FORM</command></iq>",
            "<iq type='set' id='2' to='s'><command xmlns='http://jabber.org/protocol/commands' node='n' sessionid='i'>"
                + "ANSWER</command></iq>"
        ), ("<iq><a><b/></a><c><d/>FORM</c></iq>", "<iq type='set' id='2'><c>ANSWER</c></iq>"),
        ("<iq type='result'><query xmlns='u'><a><b/></a></query></iq>", nil), ("<iq/>", nil),
        (
            "<message type='chat' from='a@b/c' to='d@e'><thread>t</thread><body>b</body>FORM</message>",
            "<message type='chat' id='2' to='a@b/c'><thread>t</thread>ANSWER</message>"
        ),
        // A service refuses a message of type `groupchat` to an occupant. A private message goes to the occupant. An
        // accent at the beginning of a nickname combines with the slash.
        (
            "<message type='groupchat' from='c@r/ann/b'>FORM</message>",
            "<message type='groupchat' id='2' to='c@r'>ANSWER</message>"
        ),
        (
            "<message type='groupchat' from='c@r/\u{301}a'>FORM</message>",
            "<message type='groupchat' id='2' to='c@r'>ANSWER</message>"
        ),
        (
            "<message type='groupchat' from='c@r'>FORM</message>",
            "<message type='groupchat' id='2' to='c@r'>ANSWER</message>"
        ),
        // An IQ answers a CAPTCHA in a message (XEP-0158 §3).
        (
            "<message from='a.example' id='c7'><thread>t</thread><captcha xmlns='urn:xmpp:captcha'>FORM</captcha></message>",
            "<iq type='set' id='2' to='a.example'><captcha xmlns='urn:xmpp:captcha'>ANSWER</captcha></iq>"
        ),
        // An element of a payload is not a stanza that was forwarded, whatever its name is.
        (
            "<iq type='result' from='s'><query xmlns='u'><message xmlns='jabber:client' type='error'>FORM</message></query></iq>",
            "<iq type='set' id='2' to='s'><query xmlns='u'><message xmlns='jabber:client' type='error'>ANSWER</message></query></iq>"
        ),
        (
            "<iq type='result' from='s'><query xmlns='u'><message xmlns='' from='x@y'>FORM</message></query></iq>",
            "<iq type='set' id='2' to='s'><query xmlns='u'><message xmlns='' from='x@y'>ANSWER</message></query></iq>"
        ),
    ])
    func replies(stanza: String, expected: String?) throws {
        #expect(try reply(stanza) == expected)
    }

    @Test func cancellations() throws {
        let x = "<x xmlns='jabber:x:data' type='cancel'/>"
        #expect(
            try reply(
                "<iq from='s'><pubsub xmlns='p'><a/><configure node='n'>FORM</configure></pubsub></iq>", cancels: true)
                == "<iq type='set' id='2' to='s'><pubsub xmlns='p'><configure node='n'>\(x)</configure></pubsub></iq>")
        #expect(
            try reply(
                "<iq><command xmlns='http://jabber.org/protocol/commands' sessionid='i'>FORM</command></iq>",
                cancels: true)?
                .contains("sessionid='i' action='cancel'>\(x)") == true)
    }

    /// A carbon (XEP-0280) and a result of an archive (XEP-0313), also of an archive of carbons. The account's own
    /// address and the wrappers of the server are not in the answer.
    @Test(arguments: [
        "<message from='me@h' to='me@h/r'><received xmlns='urn:xmpp:carbons:2'>FORWARDED</received></message>",
        "<message from='me@h' to='me@h/r'><result xmlns='urn:xmpp:mam:2' id='1'>FORWARDED</result></message>",
        "<message from='me@h' to='me@h/r'><result xmlns='urn:xmpp:mam:2' id='1'><forwarded xmlns='urn:xmpp:forward:0'>"
            + "<message xmlns='jabber:client' from='me@h'><received xmlns='urn:xmpp:carbons:2'>FORWARDED</received>"
            + "</message></forwarded></result></message>", "FORWARDED",
    ])
    func forwardedForms(around: String) throws {
        func reply(_ inner: String) throws -> String? {
            try self.reply(
                around.replacing(
                    "FORWARDED", with: "<forwarded xmlns='urn:xmpp:forward:0'><delay xmlns='u'/>\(inner)</forwarded>"))
        }
        let sender = "xmlns='jabber:client' from='bot@c/b' to='me@h/p' id='f1'"
        for (inner, expected) in [
            ("<message \(sender)><body>b</body>FORM</message>", "<message id='2' to='bot@c/b'>ANSWER</message>"),
            (
                "<message xmlns='jabber:client' from='r@s/ann' type='groupchat'>FORM</message>",
                "<message type='groupchat' id='2' to='r@s'>ANSWER</message>"
            ),
            (
                "<message \(sender)><captcha xmlns='urn:xmpp:captcha'>FORM</captcha></message>",
                "<iq type='set' id='2' to='bot@c/b'><captcha xmlns='urn:xmpp:captcha'>ANSWER</captcha></iq>"
            ),
        ] {
            #expect(try reply(inner) == expected)
        }
        #expect(throws: FormReplyError.forwardedForm) { try reply("FORM") }
        #expect(throws: FormReplyError.error) { try reply("<message \(sender) type='error'>FORM</message>") }
    }

    /// Anybody can send a message with a carbon inside. A server sends carbons from the account itself (XEP-0280 §11).
    @Test(
        arguments: [
            ("from='me@h' to='me@h/r'", true), ("to='me@h/r'", true), ("", true), ("from='me@h' to='me@h'", true),
            ("from='evil@e' to='me@h/r'", false), ("from='me@h/r' to='me@h/r'", false), ("from='h' to='me@h/r'", false),
            ("from='me@h'", false), ("from='me@h/\u{301}r' to='me@h/\u{301}r'", false),
        ], ["received", "sent"])
    func carbons(addresses: (String, Bool), name: String) throws {
        let carbon =
            "<message \(addresses.0)><\(name) xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>"
            + "<message xmlns='jabber:client' from='bot@c' type='chat'>FORM</message></forwarded></\(name)></message>"
        if addresses.1 {
            #expect(try reply(carbon) == "<message type='chat' id='2' to='bot@c'>ANSWER</message>")
        } else {
            #expect(throws: FormReplyError.strangersCarbon) { try reply(carbon) }
        }
    }

    @Test func refusals() throws {
        for name in ["iq", "message"] {
            #expect(throws: FormReplyError.error) {
                try reply("<\(name) type='error' from='s'><query>FORM</query></\(name)>")
            }
        }
        #expect(throws: FormReplyError.presence) { try reply("<presence type='subscribe' from='a@b'>FORM</presence>") }
        #expect(throws: FormReplyError.self) {
            try DataForm(.submit, ["a": "\u{1}"]).reply(to: parse("<iq>\(Self.x)</iq>"), id: nil)
        }
    }

    /// The server of a client adds `from`; no other server does.
    @Test(arguments: ["jabber:server", "jabber:component:accept"])
    func servers(namespace: String) throws {
        #expect(
            try reply("<iq xmlns='\(namespace)' type='result' from='s' to='c'>FORM</iq>")
                == "<iq xmlns='\(namespace)' type='set' id='2' to='s' from='c'>ANSWER</iq>")
    }

    /// If a stanza has several forms, each answer takes the place of its own form.
    @Test func severalForms() throws {
        func forms(in element: Element) -> [Element] {
            DataFormElement(element) == nil ? element.children.flatMap(forms) : [element]
        }
        let second = Self.x.replacing(">1<", with: ">2<")
        let xml =
            "<iq type='result'><one xmlns='u:1'>\(Self.x)</one><two xmlns='u:2'><in/><in k='v'>\(second)</in></two></iq>"
        let stanza = try parse(xml)
        let wrappers = ["<one xmlns='u:1'><x ", "<two xmlns='u:2'><in k='v'><x "]
        // The same stanza, and a newly parsed one. An answer that was made from no form replaces the first form.
        for other in try [stanza, parse(xml)] {
            for (element, wrapper) in zip(forms(in: stanza), wrappers) {
                let form = try #require(DataForm(element))
                let answers = try [form.submission(), FormAnswer(to: form).submission(), form.cancellation()]
                for (answer, wrapper) in answers.map({ ($0, wrapper) }) + [(DataForm(.submit), wrappers[0])] {
                    let reply = try answer.reply(to: other, id: "2")?.xmlString(in: .clientStream)
                    #expect(reply?.contains("<iq type='set' id='2'>" + wrapper) == true, "\(reply ?? "none")")
                }
            }
        }
    }
}
