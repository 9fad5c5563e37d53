// The examples of the documentation, word for word where they stand alone.

import Testing
import XMLTree

@Suite struct ExampleTests {
    private func greet(_ message: Element) -> String? {
        guard message.name == "message", let body = message.child("body") else { return nil }
        return "\(message["from"] ?? "Somebody") says: \(body.text ?? "nothing")"
    }

    @Test func readingAnElement() throws {
        let message = try Element(parsing: "<message from='romeo'><body>Hi</body></message>", in: .clientStream)
        #expect(greet(message) == "romeo says: Hi")
        #expect(try greet(Element(parsing: "<iq/>")) == nil)
    }

    private func isRequest(_ stanza: some ReadableElement) -> Bool {
        stanza.name == "iq" && ["get", "set"].contains(stanza["type"])
    }

    @Test func eitherKindOfElement() throws {
        let iq = try Element(parsing: "<iq type='set'/>")
        #expect(isRequest(iq))
        #expect(isRequest(iq.thaw()))
        #expect(try !isRequest(MutableElement("iq")))
    }

    @Test func buildingAnElement() throws {
        let stanza = try MutableElement("iq", namespace: "jabber:client", attributes: ["type": "get", "id": "1"]) {
            try MutableElement("query", namespace: "http://jabber.org/protocol/disco#info")
        }
        try stanza.setAttribute("to", to: "example.org")
        let sendable = stanza.freeze()
        #expect(
            sendable.xmlString(in: .clientStream)
                == "<iq type='get' id='1' to='example.org'><query xmlns='http://jabber.org/protocol/disco#info'/></iq>")
    }

    @Test func attributesThatAreLeftOut() throws {
        let host = "example.org"
        let port: Int? = nil
        let service = try MutableElement(
            "service", attributes: ["type": "stun", "host": host, "port": port.map(String.init)])
        #expect(service.xmlString() == "<service type='stun' host='example.org'/>")
    }

    @Test func contentThatIsLeftOut() throws {
        let thread: String? = nil
        let wantsReceipt = true
        let message = try MutableElement("message", namespace: "jabber:client", attributes: ["type": "chat"]) {
            try MutableElement("body", text: "Wherefore art thou?")
            if wantsReceipt { try MutableElement("request", namespace: "urn:xmpp:receipts") }
            thread
        }
        #expect(message.children.map(\.name) == ["body", "request"])
        #expect(message.text == nil)
    }

    @Test func removingAnElement() throws {
        let iq = try Element(parsing: "<iq><query/></iq>").thaw()
        let query = iq.firstChild
        query?.remove()
        #expect(query?.isRoot == true)
        #expect(iq.firstChild == nil)
    }

    @Test func writingInAContext() throws {
        let stanza = try Element(parsing: "<message><body>Hi</body></message>", in: .clientStream)
        #expect(stanza.xmlString() == "<message xmlns='jabber:client'><body>Hi</body></message>")
        #expect(stanza.xmlString(in: .clientStream) == "<message><body>Hi</body></message>")
    }
}
