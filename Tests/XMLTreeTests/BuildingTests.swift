// Making elements: every form of initializer, children made in place, inherited namespaces, and refused names and
// values.

import Testing
import XMLTree

@Suite struct BuildingTests {
    @Test func formsOfTheInitializer() {
        let child = MutableElement("b")
        for (element, xml) in [
            (MutableElement("a"), "<a/>"), (MutableElement("a", namespace: "u", text: "t"), "<a xmlns='u'>t</a>"),
            (MutableElement("a", attributes: ["k": "v"], children: [child], text: "t"), "<a k='v'>t<b/></a>"),
            (
                MutableElement("a", namespace: "u", attributes: ["k": "v", "j": nil], children: [child, child]),
                "<a xmlns='u' k='v'><b/><b/></a>"
            ),
            (MutableElement("{urn:n}a"), "<a xmlns='urn:n'/>"),
            (MutableElement("p:a", namespace: "u"), "<p:a xmlns:p='u'/>"),
            (MutableElement("{urn:n}a", namespace: "u").addChild("{}b"), "<b/>"),
            (MutableElement("xml:a", namespace: "u", attributes: ["xml:lang": "en"]), "<xml:a xml:lang='en'/>"),
            (MutableElement("a", attributes: ["k": "1", "{u}k": "2"]), "<a xmlns:ns1='u' k='1' ns1:k='2'/>"),
        ] {
            #expect(element.xmlString() == xml)
        }
    }

    @Test func contentBetweenBraces() {
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
            [MutableElement("m")]
            [frozen]
        }
        #expect(
            message.xmlString(in: .clientStream)
                == "<message type='chat'><body>Hello</body><request xmlns='urn:xmpp:receipts'/>"
                + "<thread xmlns=''>7</thread><n>1</n><n>2</n>tail<m/><thread xmlns=''>7</thread></message>")
    }

    // MARK: Namespaces

    @Test func namespacesAreInheritedRecursively() {
        let middle = MutableElement("b", children: [MutableElement("c"), MutableElement("own", namespace: "o")])
        let added = MutableElement("a", namespace: "u").add(middle)
        #expect(added.xmlString() == "<b xmlns='u'><c/><own xmlns='o'/></b>")
        // The original still has no namespace.
        #expect(middle.namespace == nil && middle.firstChild?.namespace == nil)
        middle.setNamespace("w")
        #expect(middle.firstChild?.namespace == "w")
        // An element that has a namespace keeps it.
        #expect(MutableElement("x", namespace: "x").add(added).xmlString() == added.xmlString())
        // No namespace is never inherited.
        let none = MutableElement("b", namespace: .empty, children: [MutableElement("c")])
        #expect(
            MutableElement("a", namespace: "u", children: [none]).xmlString() == "<a xmlns='u'><b xmlns=''><c/></b></a>"
        )
        #expect(MutableElement("b", namespace: "").xmlString(in: .clientStream) == "<b xmlns=''/>")
        // An unspecified namespace is the surrounding one when it is written.
        let message = MutableElement("message", children: [MutableElement("body")])
        #expect(message.xmlString(in: .clientStream) == "<message><body/></message>" && message.namespace == nil)
        // Copies of an element that waits for a namespace still wait for one; a frozen element does not.
        let waiting = MutableElement("w").shallowCopy()
        for (copy, namespace) in [(waiting, "u"), (waiting.copy(), "u"), (waiting.freeze().thaw(), nil)] {
            #expect(MutableElement("x", namespace: "u").add(copy).namespace == namespace)
        }
    }

    // MARK: Names and values

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

    @Test(arguments: [
        ("aé b", XMLTreeError.Kind.invalidName, 3, "'aé b' is not an XML name: unexpected ' ' (U+0020) at byte 3;"),
        ("{\u{B}}a", .forbiddenCharacter, 0, "XML cannot hold U+000B at byte 0, even escaped:"),
        ("xmlns", .declarationAsAttribute, 0, "'xmlns' is not an attribute: use setNamespace(_:)"),
        ("xmlns:p", .unknownPrefix, 0, "the prefix of 'xmlns:p' is not bound here:"),
        ("{\(XMLNamespace.xmlns)}a", .reservedBinding, 0, "'\(XMLNamespace.xmlns)' cannot be bound:"),
        ("", .invalidName, 0, "a name is empty:"), ("a", nil, 0, ""), ("{\(XMLNamespace.xml)}lang", nil, 0, ""),
        ("xml:lang", nil, 0, ""),
        // Messages fit into one line.
        ("a\u{1B}[31m\n", .invalidName, 1, #"'a\u001b[31m\n' is not an XML name: unexpected U+001B at byte 1;"#),
        ("\u{202E}", .invalidName, 0, #"'\u202e' is not an XML name: unexpected U+202E at byte 0;"#),
    ])
    func errors(name: String, kind: XMLTreeError.Kind?, offset: Int, message: String) {
        do throws(XMLTreeError) {
            _ = try XMLName(name)
            #expect(kind == nil)
        } catch {
            #expect(error.kind == kind && error.offset == offset && error.description.hasPrefix(message), "\(error)")
        }
    }

    @Test(arguments: [["k", "k"], ["k", "{}k"], ["{u}k", "{u}k"]]) func attributesThatAreGivenTwice(names: [String]) {
        let pairs: [(String, String?)] = names.map { ($0, "v") }
        let error = #expect(throws: XMLTreeError.self) { try AttributeValues(pairs) }
        #expect(error?.kind == .duplicateAttribute)
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

    // MARK: Children in place

    @Test func theDocumentedChild() {
        let roster = MutableElement("query", namespace: "jabber:iq:roster")
        roster.addChild("item", attributes: ["jid": "juliet@example.com", "name": "Juliet"])
        #expect(
            roster.xmlString()
                == "<query xmlns='jabber:iq:roster'><item jid='juliet@example.com' name='Juliet'/></query>")
    }
}
