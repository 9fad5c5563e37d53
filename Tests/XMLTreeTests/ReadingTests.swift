// The properties of elements of both kinds.

import Testing
import XMLTree

@Suite struct ReadingTests {
    private static let source = """
        <iq xmlns='jabber:client' xmlns:p='urn:p' type='get' xml:lang='de' p:k='1'>one<query xmlns='q' a=''/>two\
        <p:x xmlns:p='urn:other'>three</p:x><item/><empty></empty></iq>
        """

    /// Runs the same check for both kinds of elements.
    private func both(_ source: String = Self.source, _ check: (any ReadableElement) throws -> Void) throws {
        let element = try Element(parsing: source)
        try check(element)
        try check(element.thaw())
    }

    @Test func namesAndNamespaces() throws {
        try both { iq in try names(of: iq) }
    }

    private func names(of iq: some ReadableElement) throws {
        #expect(iq.name == "iq")
        #expect(iq.namespace == "jabber:client")
        #expect(iq.prefix == nil)
        let children = Array(iq.children)
        #expect(children.map(\.name) == ["query", "x", "item", "empty"])
        #expect(children.map(\.namespace) == ["q", "urn:other", "jabber:client", "jabber:client"])
        #expect(children.map(\.prefix) == [nil, "p", nil, nil])
        #expect(children.map(\.childIndex) == [0, 1, 2, 3])
        #expect(try Element(parsing: "<a/>").namespace == nil)
    }

    @Test func textIsOwnTextJoined() throws {
        try both { iq in #expect(iq.text == "onetwo") }
        let iq = try Element(parsing: Self.source)
        #expect(iq.children.map(\.text) == [nil, "three", nil, nil])
        #expect(try Element(parsing: "<a> </a>").text == " ")
        #expect(try Element(parsing: "<a><b>x</b></a>").text == nil)
        #expect(try Element(parsing: "<a><b/>x</a>").text == "x")
    }

    @Test func attributesInDocumentOrderWithoutDeclarations() throws {
        try both { iq in
            let attributes = Array(attributes(of: iq))
            #expect(attributes.map(\.name) == ["type", "xml:lang", "p:k"])
            #expect(attributes.map(\.value) == ["get", "de", "1"])
            #expect(attributes.map(\.namespace) == [nil, XMLNamespace.xml, "urn:p"])
        }
        let iq = try Element(parsing: Self.source)
        #expect(iq.attributes.count == 3)
        #expect(iq.children.first?.attributes.first?.value == "")
        #expect(try Element(parsing: "<a xmlns:p='u'/>").attributes.isEmpty)
    }

    private func attributes(of element: some ReadableElement) -> [XMLAttribute] { Array(element.attributes) }

    @Test func attributesByEveryFormOfTheirName() throws {
        try both { iq in
            #expect(iq["type"] == "get")
            #expect(iq.attribute("xml:lang") == "de")
            #expect(iq["{http://www.w3.org/XML/1998/namespace}lang"] == "de")
            #expect(iq["p:k"] == "1")
            #expect(iq["{urn:p}k"] == "1")
            #expect(iq["xmlns"] == "jabber:client")
            for missing in ["lang", "k", "xmlns:p", "{urn:q}k", "q:k", "", "{", "{}", ":", "{jabber:client}type"] {
                #expect(iq[missing] == nil, "\(missing)")
            }
            #expect(iq["{}type"] == "get")
        }
        #expect(try Element(parsing: "<a/>")["xmlns"] == nil)
        // A prefix in scope finds an attribute that has another prefix for the same namespace.
        let nested = try Element(parsing: "<a xmlns:p='u' xmlns:q='u'><b p:k='1'/></a>")
        #expect(nested.firstChild?["q:k"] == "1")
        // The name as written takes precedence over its meaning.
        let hidden = try Element(parsing: "<a xmlns:p='u'><b xmlns:p='v' p:k='1'/></a>")
        #expect(hidden.firstChild?["p:k"] == "1")
        #expect(hidden.firstChild?["{u}k"] == nil)
    }

    @Test func namesAreComparedByCodePoint() throws {
        let element = try Element(parsing: "<a \u{E9}='1'><e\u{301}/></a>")
        #expect(element["\u{E9}"] == "1")
        #expect(element["e\u{301}"] == nil)
        #expect(element.child("e\u{301}") != nil)
        #expect(element.child("\u{E9}") == nil)
    }

    @Test func parentsRootsAndSiblings() throws {
        try both { iq in try relatives(of: iq) }
    }

    private func relatives(of iq: some ReadableElement) throws {
        #expect(iq.isRoot)
        #expect(iq.parent == nil)
        let query = try #require(iq.firstChild)
        #expect(!query.isRoot)
        #expect(try #require(query.parent).isSame(as: iq))
        #expect(query.root.isSame(as: iq))
        #expect(try #require(query.nextSibling).name == "x")
        #expect(query.firstChild == nil)
        #expect(Array(iq.children).last?.nextSibling == nil)
        #expect(!query.isSame(as: iq))
    }

    /// As an attribute's name, `xmlns` is a declaration.
    @Test func anElementMayHaveTheNameOfADeclaration() throws {
        try both("<a xmlns='u'><xmlns xmlns='v'/><xmlns/></a>") { element in
            #expect(element.child("xmlns")?.childIndex == 1)
            #expect(element.child("xmlns", namespace: "v")?.childIndex == 0)
        }
    }

    /// A value is searched in blocks of sixteen bytes.
    @Test(arguments: ["\"", "'"])
    func valuesInQuotesOfTheOtherKind(_ quote: String) throws {
        let other = quote == "'" ? "\"" : "'"
        for length in 0..<40 {
            for place in 0...length {
                let (before, after) = (
                    String(repeating: "b", count: place), String(repeating: "c", count: length - place)
                )
                for middle in [other, other + other, other + "\u{E9}" + other, other + "#" + other] {
                    let value = before + middle + after
                    let element = try Element(
                        parsing: "<a b=\(quote)\(value)\(quote) c=\(quote)\(value)&amp;\(quote)/>")
                    #expect(element["b"] == value)
                    #expect(element["c"] == value + "&")
                }
            }
        }
    }

    @Test func childrenByName() throws {
        try both { iq in
            #expect(iq.child("item")?.childIndex == 2)
            #expect(iq.child("query") == nil)
            #expect(iq.child("query", namespace: "q")?.name == "query")
            #expect(iq.child("item", namespace: .empty) == nil)
        }
        #expect(try Element(parsing: "<a><b/></a>").child("b")?.name == "b")
        #expect(try Element(parsing: "<a xmlns='u'><b xmlns=''/></a>").child("b", namespace: .empty)?.name == "b")
    }

    @Test func contentIsElementsAndTextInOrder() throws {
        let iq = try Element(parsing: Self.source)
        func words(_ content: some Sequence<XMLContent<some ReadableElement>>) -> [String] {
            content.map { piece in
                switch piece {
                case .element(let element): "<\(element.name)>"
                case .text(let text): text
                }
            }
        }
        let expected = ["one", "<query>", "two", "<x>", "<item>", "<empty>"]
        #expect(words(iq.content) == expected)
        #expect(words(iq.thaw().content) == expected)
        #expect(words(try Element(parsing: "<a/>").content).isEmpty)
        #expect(words(try Element(parsing: "<a>x</a>").content) == ["x"])
    }

    @Test func thereIsOneHandlePerElement() throws {
        let iq = try Element(parsing: Self.source).thaw()
        let query = try #require(iq.firstChild)
        #expect(query === iq.children[0])
        #expect(query.parent === iq)
        #expect(query.nextSibling !== query)
    }

    @Test func anElementKeepsItsTree() throws {
        func inner() throws -> (Element, MutableElement) {
            let frozen = try Element(parsing: "<a><b><c k='v'/></b></a>")
            let thawed = frozen.thaw()
            return (
                try #require(frozen.firstChild?.firstChild), try #require(thawed.firstChild?.firstChild)
            )
        }
        let (frozen, thawed) = try inner()
        #expect(frozen.root.name == "a")
        #expect(thawed.root.name == "a")
        #expect(thawed["k"] == "v")
        thawed.root.setName("x")
        #expect(thawed.parent?.parent?.name == "x")
    }
}
