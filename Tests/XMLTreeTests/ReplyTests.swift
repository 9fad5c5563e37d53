// Answers to stanzas: their types, identifiers and addresses.

import Testing
import XMLTree

@Suite struct ReplyTests {
    private func reply(to xml: String) throws -> String? {
        let stanza = try Element(stanza: xml)
        let reply = stanza.reply()?.xmlString(in: .clientStream)
        #expect(stanza.thaw().reply()?.xmlString(in: .clientStream) == reply)
        return reply
    }

    @Test(arguments: [
        ("<iq type='get' id='1' from='a@b/c' to='d@e/f'/>", "<iq type='result' id='1' to='a@b/c'/>"),
        ("<iq type='set' id='1'/>", "<iq type='result' id='1'/>"),
        ("<message id='1' from='a@b/c'/>", "<message to='a@b/c'/>"),
        (
            "<message type='groupchat' from='room@b/nick'><thread parent='2'>1</thread></message>",
            "<message type='groupchat' to='room@b'><thread>1</thread></message>"
        ),
        ("<presence type='subscribe' id='1' from='a@b'/>", "<presence to='a@b'/>"),
    ])
    func ofAClient(stanza: String, expected: String) throws {
        #expect(try reply(to: stanza) == expected)
    }

    /// An answer to an answer could go to and fro for ever (RFC 6120 §8.2.3, §8.3.1).
    @Test(arguments: [
        "<iq type='result' id='1'/>", "<iq type='error' id='1'/>", "<iq id='1'/>", "<message type='error'/>",
        "<presence type='error'/>", "<r xmlns='urn:xmpp:sm:3'/>",
    ])
    func noneIsAllowed(stanza: String) throws {
        #expect(try reply(to: stanza) == nil)
    }

    @Test func documented() throws {
        let message = try Element(stanza: "<message from='romeo@example.net/a' type='chat' id='1'/>")
        let reply = message.reply()
        reply?.addChild("body", text: "Neither, fair saint, if either thee dislike.")
        #expect(
            reply?.xmlString(in: .clientStream)
                == "<message type='chat' to='romeo@example.net/a'>"
                + "<body>Neither, fair saint, if either thee dislike.</body></message>")
        // A component adds its own address.
        let namespace = "jabber:component:accept"
        let iq = try Element(parsing: "<iq xmlns='\(namespace)' type='get' id='1' from='a@b/c' to='d.e'/>")
        #expect(
            iq.reply()?.xmlString() == "<iq xmlns='\(namespace)' type='result' id='1' to='a@b/c' from='d.e'/>")
        #expect(MutableElement("message", attributes: ["from": "a@b"]).reply()?.namespace == "jabber:client")
    }
}
