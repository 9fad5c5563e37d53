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
                <iq type='set' id='2' to='room@s'><query xmlns='u:owner' node='n'>\
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
                <message type='chat' id='2' to='a@b/c'><thread>t</thread><x xmlns='jabber:x:data' type='submit'>\
                <field var='a' type='text-single'><value>1</value></field></x></message>
                """)
    }

    private static let submission =
        "<x xmlns='jabber:x:data' type='submit'><field var='a' type='text-single'><value>1</value></field></x>"

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
        func reply(_ inner: String, in namespace: String = "jabber:client") throws -> String? {
            let forwarded =
                "<forwarded xmlns='urn:xmpp:forward:0'><delay xmlns='urn:xmpp:delay'/>\(inner)</forwarded>"
            return try self.reply(around.replacing("FORWARDED", with: forwarded))
        }
        let sender = "xmlns='jabber:client' from='bot@c/b' to='me@h/p' id='f1'"
        #expect(
            try reply("<message \(sender)><body>b</body>\(Self.x)</message>")
                == "<message id='2' to='bot@c/b'>\(Self.submission)</message>")
        #expect(
            try reply("<message xmlns='jabber:client' from='r@s/ann' type='groupchat'>\(Self.x)</message>")
                == "<message type='groupchat' id='2' to='r@s'>\(Self.submission)</message>")
        #expect(
            try reply("<message \(sender)><captcha xmlns='urn:xmpp:captcha'>\(Self.x)</captcha></message>")
                == "<iq type='set' id='2' to='bot@c/b'><captcha xmlns='urn:xmpp:captcha'>\(Self.submission)</captcha></iq>"
        )
        #expect(throws: FormReplyError.forwardedForm) { try reply(Self.x) }
        #expect(throws: FormReplyError.error) { try reply("<message \(sender) type='error'>\(Self.x)</message>") }
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
            + "<message xmlns='jabber:client' from='bot@c' type='chat'>\(Self.x)</message></forwarded></\(name)></message>"
        if addresses.1 {
            #expect(try reply(carbon)?.contains("to='bot@c'") == true)
        } else {
            #expect(throws: FormReplyError.strangersCarbon) { try reply(carbon) }
        }
    }

    /// An element of a payload is not a stanza that was forwarded, whatever its name is.
    @Test func elementsNamedLikeStanzas() throws {
        for payload in ["<message xmlns='jabber:client' type='error'>", "<message xmlns='' from='x@y'>"] {
            let answer = try reply(
                "<iq type='result' from='s'><query xmlns='u'>\(payload)\(Self.x)</message></query></iq>")
            #expect(answer?.hasPrefix("<iq type='set' id='2' to='s'><query xmlns='u'><message ") == true, "\(payload)")
        }
    }

    /// A service refuses a message of type `groupchat` to an occupant. A private message goes to the occupant.
    @Test func rooms() throws {
        #expect(
            try reply(
                "<message type='groupchat' from='club@rooms/ann/b' to='me@h/r'><body>poll</body>\(Self.x)</message>")
                == "<message type='groupchat' id='2' to='club@rooms'>\(Self.submission)</message>")
        // An accent at the beginning of a nickname combines with the slash.
        #expect(
            try reply("<message type='groupchat' from='club@rooms/\u{301}ann' to='me@h/r'>\(Self.x)</message>")
                == "<message type='groupchat' id='2' to='club@rooms'>\(Self.submission)</message>")
        #expect(
            try reply("<message type='groupchat' from='club@rooms' to='me@h/r'>\(Self.x)</message>")
                == "<message type='groupchat' id='2' to='club@rooms'>\(Self.submission)</message>")
        #expect(
            try reply("<message type='chat' from='club@rooms/ann' to='me@h/r'>\(Self.x)</message>")
                == "<message type='chat' id='2' to='club@rooms/ann'>\(Self.submission)</message>")
    }

    /// An IQ answers a CAPTCHA in a message (XEP-0158 §3).
    @Test func captchas() throws {
        #expect(
            try reply(
                "<message from='a.example' to='me@h/r' id='c7'><body>b</body><thread>t</thread>"
                    + "<captcha xmlns='urn:xmpp:captcha'>\(Self.x)</captcha></message>")
                == "<iq type='set' id='2' to='a.example'><captcha xmlns='urn:xmpp:captcha'>\(Self.submission)</captcha></iq>"
        )
    }

    @Test func refusals() throws {
        for name in ["iq", "message"] {
            #expect(throws: FormReplyError.error) {
                try reply("<\(name) type='error' from='s'><query xmlns='u'>\(Self.x)</query></\(name)>")
            }
        }
        #expect(throws: FormReplyError.presence) {
            try reply("<presence type='subscribe' from='a@b'>\(Self.x)</presence>")
        }
        #expect(throws: FormReplyError.self) {
            try DataForm(.submit, ["a": "\u{1}"]).reply(to: parse("<iq>\(Self.x)</iq>"), id: nil)
        }
    }

    /// The server of a client adds `from`; no other server does.
    @Test(arguments: ["jabber:server", "jabber:component:accept"])
    func servers(namespace: String) throws {
        let stanza = try Element(parsing: "<iq xmlns='\(namespace)' type='result' from='s' to='c'>\(Self.x)</iq>")
        let form = DataForm(.form, fields: [FormField("a", .textSingle, values: ["1"])])
        let reply = try form.submission().reply(to: stanza, id: "2")
        #expect(
            reply?.xmlString() == "<iq xmlns='\(namespace)' type='set' id='2' to='s' from='c'>\(Self.submission)</iq>")
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
