// Answers of type error.

import Testing
import XMLTree
import XMPPCore

@Suite struct StanzaErrorTests {
    private func reply(to xml: String) throws -> String? {
        try Element(parsing: xml).error(StanzaError("forbidden", type: "auth"))?.xmlString()
    }

    private static let error =
        "<error type='auth'><forbidden xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>"

    @Test func ofAClient() throws {
        #expect(
            try reply(to: "<iq xmlns='jabber:client' type='get' id='1' from='a@b/c' to='d@e/f'/>")
                == "<iq xmlns='jabber:client' type='error' id='1' to='a@b/c'>\(Self.error)</iq>")
        // Code that builds a stanza may omit the namespace.
        #expect(
            try reply(to: "<iq type='get' id='1'/>")
                == "<iq xmlns='jabber:client' type='error' id='1'>\(Self.error)</iq>")
    }

    /// The peer closes a stream on which a stanza has another namespace, or no `from` (RFC 6120 §4.9.3.9).
    @Test(arguments: ["jabber:server", "jabber:component:accept"])
    func ofAServer(namespace: String) throws {
        #expect(
            try reply(to: "<message xmlns='\(namespace)' id='1' from='a@b/c' to='d.e'/>")
                == "<message xmlns='\(namespace)' type='error' id='1' to='a@b/c' from='d.e'>\(Self.error)</message>")
    }

    /// Such answers could go to and fro for ever (RFC 6120 §8.3.1).
    @Test(arguments: ["<message type='error'/>", "<iq type='error' id='1'/>", "<iq type='result' id='1'/>"])
    func noneIsAllowed(xml: String) throws {
        #expect(try reply(to: xml) == nil)
    }

    /// A text that a user has typed must not cost the answer.
    @Test func aTextWithControlCharacters() throws {
        let error = StanzaError("forbidden", type: "auth", text: "no\u{1}")
        let answer = try #require(Element(stanza: "<presence from='a@b/c'/>").thaw().error(error))
        #expect(StanzaError(answer)?.text == "no\u{FFFD}" && answer["to"] == "a@b/c" && answer["id"] == nil)
    }
}
