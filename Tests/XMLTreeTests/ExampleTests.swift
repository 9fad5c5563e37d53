// The examples of the articles and of the doc comments, word for word; .ci/check examples compares them.

import Testing
import XMLTree

@Suite struct ExampleTests {
    // MARK: Articles

    private func stream(_ stanzas: String) -> String {
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>\(stanzas)"
    }

    @Test func parsing() throws {
        let bytes = Array(stream("<message from='romeo'><body>Hi</body></message><presence/>").utf8)
        var printed: [String] = []
        func print(_ parts: String...) { printed.append(parts.joined(separator: " ")) }

        var parser = XMLStreamParser(mode: .stream)
        parser.feed(bytes)
        while let event = try parser.next() {
            guard case .element(let stanza, _) = event else { continue }
            print(stanza.name, stanza["from"] ?? "unknown", stanza.child("body")?.text ?? "")
        }
        #expect(printed == ["message romeo Hi", "presence unknown "])
    }

    @Test func aRequest() throws {
        var printed = ""
        func print(_ text: String) { printed = text }

        let request = MutableElement("iq", namespace: "jabber:client", attributes: ["type": "get", "id": "1"]) {
            MutableElement("query", namespace: "http://jabber.org/protocol/disco#info")
        }
        print(request.xmlString(in: .clientStream))
        #expect(printed == "<iq type='get' id='1'><query xmlns='http://jabber.org/protocol/disco#info'/></iq>")
    }

    @Test func writingInAContext() throws {
        let stanza = try Element(stanza: "<message><body>Hi</body></message>")
        let alone = stanza.xmlString()  // <message xmlns='jabber:client'><body>Hi</body></message>
        let inStream = stanza.xmlString(in: .clientStream)  // <message><body>Hi</body></message>
        #expect(alone == "<message xmlns='jabber:client'><body>Hi</body></message>")
        #expect(inStream == "<message><body>Hi</body></message>")
    }

    @Test func sending() async throws {
        let stanza = try Element(parsing: "<message/>")
        actor Archive {
            private var stanzas: [Element] = []
            var count: Int { stanzas.count }
            func store(_ stanza: Element) { stanzas.append(stanza) }
        }

        let archive = Archive()
        await archive.store(stanza)
        #expect(await archive.count == 1)

        actor Connection {
            private(set) var sent: [Element] = []
            func send(_ stanza: Element) { sent.append(stanza) }
        }
        let connection = Connection()
        let reply = MutableElement("iq", namespace: "jabber:client", attributes: ["type": "result"])
        await connection.send(reply.freeze())
        #expect(await connection.sent.map(\.name) == ["iq"])
    }

    @Test func removingAnElement() throws {
        let iq = try Element(parsing: "<iq><query/></iq>").thaw()
        let query = iq.firstChild
        query?.remove()
        print(iq.firstChild == nil, query?.isRoot == true)  // true true
        #expect(query?.isRoot == true)
        #expect(iq.firstChild == nil)
    }

    // MARK: Doc comments

    @Test func aParser() throws {
        var printed: [String] = []
        func print(_ line: Int, _ stanza: Element) { printed.append("\(line) \(stanza.name)") }
        var parser = XMLStreamParser(mode: .stream)
        parser.feed("<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'><message/>")
        while let event = try parser.next() {
            if case .element(let stanza, let position) = event { print(position.line, stanza) }
        }
        #expect(printed == ["1 message"])
    }

    @Test func parsingAnElement() throws {
        let iq = try Element(stanza: "<iq type='get'/>")
        #expect(iq.namespace == "jabber:client" && iq["type"] == "get")
        let item = try Element(parsing: "<item/>", in: NamespaceContext(defaultNamespace: "jabber:iq:roster"))
        #expect(item.namespace == "jabber:iq:roster")
    }

    @Test func assigning() {
        let message = MutableElement("message") { MutableElement("body") }
        message["to"] = "juliet@example.com"
        message["xml:lang"] = "en"
        message.child("body")?.text = "Wherefore art thou?"
        #expect(
            message.xmlString()
                == "<message to='juliet@example.com' xml:lang='en'><body>Wherefore art thou?</body></message>")
    }

    @Test func newElements() throws {
        let attributes: StringMap = ["type": "get", "id": "1"]
        let type = attributes["type"]  // "get"
        #expect(type == "get")
        let body = MutableElement("body", text: "Hello")
        let query = MutableElement("query", namespace: "jabber:iq:roster")
        let error = MutableElement("stream:error", namespace: .uri(XMLNamespace.stream))
        #expect(body.xmlString() == "<body>Hello</body>")
        #expect(query.xmlString() == "<query xmlns='jabber:iq:roster'/>")
        #expect(error.xmlString() == "<stream:error xmlns:stream='http://etherx.jabber.org/streams'/>")
    }

    @Test func readingAnElement() throws {
        func greet(_ message: Element) -> String? {
            guard message.name == "message", let body = message.child("body") else { return nil }
            return "\(message["from"] ?? "A stranger") says: \(body.text ?? "nothing")"
        }
        let message = try Element(stanza: "<message from='romeo'><body>Hi</body></message>")
        #expect(try greet(message) == "romeo says: Hi" && greet(Element(parsing: "<iq/>")) == nil)

        func isRequest(_ stanza: some ReadableElement) -> Bool {
            stanza.name == "iq" && ["get", "set"].contains(stanza["type"])
        }
        let iq = try Element(parsing: "<iq type='set'/>")
        #expect(isRequest(iq) && isRequest(iq.thaw()) && !isRequest(MutableElement("iq")))
    }

    @Test func buildingAnElement() throws {
        let stanza = MutableElement("iq", namespace: "jabber:client", attributes: ["type": "get", "id": "1"]) {
            MutableElement("query", namespace: "http://jabber.org/protocol/disco#info")
        }
        stanza["to"] = "example.org"
        let sendable = stanza.freeze()
        #expect(
            sendable.xmlString(in: .clientStream)
                == "<iq type='get' id='1' to='example.org'><query xmlns='http://jabber.org/protocol/disco#info'/></iq>")
    }

    @Test func partsThatAreLeftOut() throws {
        let host = "example.org"
        let port: Int? = nil
        let service = MutableElement(
            "service", attributes: ["type": "stun", "host": host, "port": port.map(String.init)])
        #expect(service.xmlString() == "<service type='stun' host='example.org'/>")

        let thread: String? = nil
        let wantsReceipt = true
        let message = MutableElement("message", namespace: "jabber:client", attributes: ["type": "chat"]) {
            MutableElement("body", text: "Wherefore art thou?")
            if wantsReceipt { MutableElement("request", namespace: "urn:xmpp:receipts") }
            thread
        }
        #expect(message.children.map(\.name) == ["body", "request"])
        #expect(message.text == nil)
    }
}
