// Making elements: every form of initializer, inherited namespaces, and refused names and values.

import Testing
import XMLTree

@Suite struct BuildingTests {
    @Test func formsOfTheInitializer() throws {
        #expect(try MutableElement("a").xmlString() == "<a/>")
        #expect(try MutableElement("a", namespace: "u").xmlString() == "<a xmlns='u'/>")
        #expect(try MutableElement("a", text: "t").xmlString() == "<a>t</a>")
        #expect(try MutableElement("a", namespace: "u", text: "t").xmlString() == "<a xmlns='u'>t</a>")
        let child = try MutableElement("b")
        #expect(
            try MutableElement("a", attributes: ["k": "v"], children: [child], text: "t").xmlString()
                == "<a k='v'>t<b/></a>")
        #expect(
            try MutableElement("a", namespace: "u", attributes: ["k": "v", "j": nil], children: [child, child])
                .xmlString() == "<a xmlns='u' k='v'><b/><b/></a>")
        #expect(
            try MutableElement("stream:error", namespace: .uri(XMLNamespace.stream)).xmlString(in: .clientStream)
                == "<stream:error/>")
    }

    @Test func contentBetweenBraces() throws {
        let wantsReceipt = true
        let subject: MutableElement? = nil
        let frozen = try MutableElement("thread", text: "7").freeze()
        let message = try MutableElement("message", namespace: "jabber:client", attributes: ["type": "chat"]) {
            try MutableElement("body", text: "Hello")
            if wantsReceipt {
                try MutableElement("request", namespace: "urn:xmpp:receipts")
            } else {
                "never"
            }
            subject
            frozen
            for number in 1...2 {
                try MutableElement("n", text: String(number))
            }
            "tail"
        }
        #expect(
            message.xmlString(in: .clientStream)
                == "<message type='chat'><body>Hello</body><request xmlns='urn:xmpp:receipts'/>"
                + "<thread xmlns=''>7</thread><n>1</n><n>2</n>tail</message>")
    }

    @Test func nestingInheritsNamespaces() throws {
        let credentials = try MutableElement(
            "credentials", namespace: "urn:xmpp:extdisco:2",
            children: [
                try MutableElement("service", attributes: ["type": "turn", "host": "h", "port": Optional("1")])
            ])
        #expect(credentials.firstChild?.namespace == "urn:xmpp:extdisco:2")
        #expect(
            credentials.xmlString()
                == "<credentials xmlns='urn:xmpp:extdisco:2'><service type='turn' host='h' port='1'/></credentials>")
    }

    @Test func namespacesAreInheritedRecursively() throws {
        let inner = try MutableElement("c")
        let middle = try MutableElement("b", children: [inner, try MutableElement("own", namespace: "o")])
        #expect(middle.namespace == nil)
        #expect(middle.firstChild?.namespace == nil)
        let top = try MutableElement("a", namespace: "u")
        let added = top.add(middle)
        #expect(added.namespace == "u")
        #expect(added.firstChild?.namespace == "u")
        #expect(added.children[1].namespace == "o")
        // The original still has no namespace.
        #expect(middle.namespace == nil)
        try middle.setNamespace("w")
        #expect(middle.firstChild?.namespace == "w")
        // An element that has a namespace keeps it.
        let elsewhere = try MutableElement("x", namespace: "x").add(added)
        #expect(elsewhere.namespace == "u")
        #expect(elsewhere.firstChild?.namespace == "u")
    }

    @Test func noNamespaceIsNeverInherited() throws {
        let top = try MutableElement("a", namespace: "u")
        let none = top.add(try MutableElement("b", namespace: .empty, children: [try MutableElement("c")]))
        #expect(none.namespace == nil)
        #expect(none.firstChild?.namespace == nil)
        #expect(top.xmlString() == "<a xmlns='u'><b xmlns=''><c/></b></a>")
        #expect(try MutableElement("b", namespace: "").xmlString(in: .clientStream) == "<b xmlns=''/>")
    }

    @Test func anUnspecifiedNamespaceIsTheSurroundingOneWhenWritten() throws {
        let message = try MutableElement("message", children: [try MutableElement("body", text: "x")])
        #expect(message.xmlString(in: .clientStream) == "<message><body>x</body></message>")
        #expect(message.namespace == nil)
    }

    @Test(arguments: ["", "1a", "a b", "a:b:c", ":a", "a:", "-a", "a<", "\u{301}a", "\u{0}", "a\u{FFFE}"])
    func namesThatXMLDoesNotKnow(name: String) {
        #expect(throws: XMLTreeError.self) { try MutableElement(name, namespace: "u") }
        #expect(throws: XMLTreeError.self) { try MutableElement("a", attributes: [name: "v"]) }
    }

    @Test(arguments: ["a", "_", "é", "a-1.b", "\u{4E00}", "a\u{301}", "p:a"])
    func namesThatXMLKnows(name: String) throws {
        let element = try MutableElement(name, namespace: "u")
        #expect(try Array((#require(name.split(separator: ":").last)).utf8) == Array(element.name.utf8))
    }

    @Test func errorsSayWhereAndWhat() throws {
        func error(_ body: () throws -> MutableElement) -> XMLTreeError? {
            do {
                _ = try body()
                return nil
            } catch let error as XMLTreeError {
                return error
            } catch {
                return nil
            }
        }
        #expect(error { try MutableElement("aé b") }?.offset == 3)
        #expect(error { try MutableElement("aé b") }?.kind == .invalidName)
        #expect(error { try MutableElement("a", text: "é\u{1}") }?.offset == 2)
        #expect(error { try MutableElement("a", text: "é\u{1}") }?.kind == .forbiddenCharacter)
        #expect(error { try MutableElement("a", text: "x\u{FFFF}") }?.kind == .forbiddenCharacter)
        #expect(error { try MutableElement("a", text: "\u{FFFD}\u{10FFFF}\t\r\n") } == nil)
        #expect(error { try MutableElement("a", attributes: ["k": "\u{0}"]) }?.kind == .forbiddenCharacter)
        #expect(error { try MutableElement("a", namespace: "\u{B}") }?.kind == .forbiddenCharacter)
        #expect(error { try MutableElement("a", attributes: ["k": "1", "k": "2"]) }?.kind == .duplicateAttribute)
        #expect(error { try MutableElement("a", attributes: ["xmlns": "u"]) }?.kind == .declarationAsAttribute)
        #expect(error { try MutableElement("a", attributes: ["xmlns:p": "u"]) }?.kind == .declarationAsAttribute)
        #expect(error { try MutableElement("a", attributes: ["p:k": "u"]) }?.kind == .unknownPrefix)
        #expect(error { try MutableElement("p:a") }?.kind == .unknownPrefix)
        #expect(error { try MutableElement("xml:a", namespace: "u") }?.kind == .reservedBinding)
        #expect(error { try MutableElement("a", namespace: .uri(XMLNamespace.xmlns)) }?.kind == .reservedBinding)
        let message = try #require(error { try MutableElement("a", attributes: ["xmlns": "u"]) }).description
        #expect(message.contains("setNamespace"))
        let hostile = try #require(error { try MutableElement("a\u{1B}[31m\n") }).description
        #expect(hostile.hasPrefix(#"'a\u001b[31m\n' is not an XML name: unexpected U+001B at byte 1;"#), "\(hostile)")
        let reversed = try #require(error { try MutableElement("\u{202E}") }).description
        #expect(reversed.hasPrefix(#"'\u202e' is not an XML name: unexpected U+202E at byte 0;"#), "\(reversed)")
    }
}
