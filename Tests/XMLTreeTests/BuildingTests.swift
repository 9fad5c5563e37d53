// Making elements: every form of initializer, inherited namespaces, and refused names and values.

import Testing
import XMLTree

@Suite struct BuildingTests {
    @Test func formsOfTheInitializer() throws {
        #expect(MutableElement("a").xmlString() == "<a/>")
        #expect(MutableElement("a", namespace: "u").xmlString() == "<a xmlns='u'/>")
        #expect(MutableElement("a", text: "t").xmlString() == "<a>t</a>")
        #expect(MutableElement("a", namespace: "u", text: "t").xmlString() == "<a xmlns='u'>t</a>")
        let child = MutableElement("b")
        #expect(
            MutableElement("a", attributes: ["k": "v"], children: [child], text: "t").xmlString()
                == "<a k='v'>t<b/></a>")
        #expect(
            MutableElement("a", namespace: "u", attributes: ["k": "v", "j": nil], children: [child, child])
                .xmlString() == "<a xmlns='u' k='v'><b/><b/></a>")
        #expect(
            MutableElement("stream:error", namespace: .uri(XMLNamespace.stream)).xmlString(in: .clientStream)
                == "<stream:error/>")
    }

    @Test func contentBetweenBraces() throws {
        let wantsReceipt = true
        let subject: MutableElement? = nil
        let frozen = MutableElement("thread", text: "7").freeze()
        let message = MutableElement("message", namespace: "jabber:client", attributes: ["type": "chat"]) {
            MutableElement("body", text: "Hello")
            if wantsReceipt {
                MutableElement("request", namespace: "urn:xmpp:receipts")
            } else {
                "never"
            }
            subject
            frozen
            for number in 1...2 {
                MutableElement("n", text: String(number))
            }
            "tail"
        }
        #expect(
            message.xmlString(in: .clientStream)
                == "<message type='chat'><body>Hello</body><request xmlns='urn:xmpp:receipts'/>"
                + "<thread xmlns=''>7</thread><n>1</n><n>2</n>tail</message>")
    }

    @Test func nestingInheritsNamespaces() throws {
        let credentials = MutableElement(
            "credentials", namespace: "urn:xmpp:extdisco:2",
            children: [
                MutableElement("service", attributes: ["type": "turn", "host": "h", "port": Optional("1")])
            ])
        #expect(credentials.firstChild?.namespace == "urn:xmpp:extdisco:2")
        #expect(
            credentials.xmlString()
                == "<credentials xmlns='urn:xmpp:extdisco:2'><service type='turn' host='h' port='1'/></credentials>")
    }

    @Test func namespacesAreInheritedRecursively() throws {
        let inner = MutableElement("c")
        let middle = MutableElement("b", children: [inner, MutableElement("own", namespace: "o")])
        #expect(middle.namespace == nil)
        #expect(middle.firstChild?.namespace == nil)
        let top = MutableElement("a", namespace: "u")
        let added = top.add(middle)
        #expect(added.namespace == "u")
        #expect(added.firstChild?.namespace == "u")
        #expect(added.children[1].namespace == "o")
        // The original still has no namespace.
        #expect(middle.namespace == nil)
        middle.setNamespace("w")
        #expect(middle.firstChild?.namespace == "w")
        // An element that has a namespace keeps it.
        let elsewhere = MutableElement("x", namespace: "x").add(added)
        #expect(elsewhere.namespace == "u")
        #expect(elsewhere.firstChild?.namespace == "u")
    }

    @Test func noNamespaceIsNeverInherited() throws {
        let top = MutableElement("a", namespace: "u")
        let none = top.add(MutableElement("b", namespace: .empty, children: [MutableElement("c")]))
        #expect(none.namespace == nil)
        #expect(none.firstChild?.namespace == nil)
        #expect(top.xmlString() == "<a xmlns='u'><b xmlns=''><c/></b></a>")
        #expect(MutableElement("b", namespace: "").xmlString(in: .clientStream) == "<b xmlns=''/>")
    }

    @Test func anUnspecifiedNamespaceIsTheSurroundingOneWhenWritten() throws {
        let message = MutableElement("message", children: [MutableElement("body", text: "x")])
        #expect(message.xmlString(in: .clientStream) == "<message><body>x</body></message>")
        #expect(message.namespace == nil)
    }

    @Test(arguments: ["", "1a", "a b", "a:b:c", ":a", "a:", "-a", "a<", "\u{301}a", "\u{0}", "a\u{FFFE}"])
    func namesThatXMLDoesNotKnow(name: String) {
        #expect(throws: XMLTreeError.self) { try XMLName(name) }
        #expect(throws: XMLTreeError.self) { try XMLName("{u}\(name)") }
        #expect(throws: XMLTreeError.self) { try AttributeValues([name: "v"]) }
    }

    @Test(arguments: ["a", "_", "é", "a-1.b", "\u{4E00}", "a\u{301}"])
    func namesThatXMLKnows(name: String) throws {
        let element = MutableElement(try XMLName(name), namespace: "u")
        #expect(Array(name.utf8) == Array(element.name.utf8))
        element.setName(try XMLName("{v}\(name)"))
        #expect(Array(name.utf8) == Array(element.name.utf8) && element.namespace == "v")
    }

    @Test func namesWithNamespaces() {
        #expect(MutableElement("{urn:n}a").xmlString() == "<a xmlns='urn:n'/>")
        #expect(MutableElement("{urn:n}a", namespace: "u").addChild("{}b").xmlString() == "<b/>")
        #expect(MutableElement("p:a", namespace: "u").xmlString() == "<p:a xmlns:p='u'/>")
        let reserved = MutableElement("xml:a", namespace: "u", attributes: ["xml:lang": "en"])
        #expect(reserved.xmlString() == "<xml:a xml:lang='en'/>" && reserved.namespace == XMLNamespace.xml)
        reserved.setName("xmlns")
        #expect(reserved.xmlString() == "<xml:xmlns xml:lang='en'/>")
    }

    @Test func errorsSayWhereAndWhat() throws {
        func error(_ name: String) -> XMLTreeError? {
            do throws(XMLTreeError) {
                _ = try XMLName(name)
                return nil
            } catch {
                return error
            }
        }
        #expect(error("aé b")?.offset == 3)
        #expect(error("aé b")?.kind == .invalidName)
        #expect(error("{\u{B}}a")?.kind == .forbiddenCharacter)
        #expect(error("xmlns")?.kind == .declarationAsAttribute)
        #expect(error("xmlns:p")?.kind == .unknownPrefix)
        #expect(error("{\(XMLNamespace.xmlns)}a")?.kind == .reservedBinding)
        #expect(error("{\(XMLNamespace.xml)}lang") == nil && error("xml:lang") == nil)
        #expect(try #require(error("xmlns")).description.contains("setNamespace"))
        let hostile = try #require(error("a\u{1B}[31m\n")).description
        #expect(hostile.hasPrefix(#"'a\u001b[31m\n' is not an XML name: unexpected U+001B at byte 1;"#), "\(hostile)")
        let reversed = try #require(error("\u{202E}")).description
        #expect(reversed.hasPrefix(#"'\u202e' is not an XML name: unexpected U+202E at byte 0;"#), "\(reversed)")
        for names in [["k", "k"], ["k", "{}k"], ["{u}k", "{u}k"]] {
            let pairs: [(String, String?)] = names.map { ($0, "v") }
            let error = #expect(throws: XMLTreeError.self) { try AttributeValues(pairs) }
            #expect(error?.kind == .duplicateAttribute)
        }
    }

    @Test func mistakesInLiteralsStopTheProgram() async {
        await #expect(processExitsWith: .failure) { _ = MutableElement("a b") }
        await #expect(processExitsWith: .failure) { _ = MutableElement("p:a") }
        await #expect(processExitsWith: .failure) { _ = MutableElement("p:a", namespace: .uri(XMLNamespace.xml)) }
        await #expect(processExitsWith: .failure) { _ = MutableElement("a", namespace: .uri(XMLNamespace.xmlns)) }
        await #expect(processExitsWith: .failure) { MutableElement("a")["xmlns"] = "u" }
        await #expect(processExitsWith: .failure) { MutableElement("a")["p:k"] = "v" }
        await #expect(processExitsWith: .failure) { MutableElement("a").setName("p:b") }
        await #expect(processExitsWith: .failure) { _ = MutableElement("a", attributes: ["k": "1", "k": "2"]) }
        await #expect(processExitsWith: .failure) { _ = MutableElement("a", attributes: ["xml:k": "1", "xml:k": "2"]) }
    }

    /// Values cannot fail: a control character that a user has typed must not cost the message.
    @Test func forbiddenCharactersAreReplaced() throws {
        let shown = "é\u{FFFD}x\u{FFFD}\u{FFFD}\t\r\n\u{10FFFF}"
        let value = "é\u{1}x\u{FFFF}\u{0}\t\r\n\u{10FFFF}"
        let element = MutableElement("a", attributes: ["k": value, "xml:lang": value], text: value)
        let child = element.addChild("b", attributes: ["k": value], text: value)
        #expect([element["k"], element["xml:lang"], element.text, child["k"], child.text].allSatisfy { $0 == shown })
        child["k"] = "\u{B}"
        child["{u}k"] = "\u{C}"
        child.text = "\u{E}"
        child.addText("\u{FFFE}")
        #expect([child["k"], child["{u}k"], child.text] == ["\u{FFFD}", "\u{FFFD}", "\u{FFFD}\u{FFFD}"])
        #expect(try Element(parsing: element.xmlString()) == element.freeze())
        let error = #expect(throws: XMLTreeError.self) { try XMLTreeError.check(text: value) }
        #expect(error?.kind == .forbiddenCharacter && error?.offset == 2)
        try XMLTreeError.check(text: shown)
    }
}
