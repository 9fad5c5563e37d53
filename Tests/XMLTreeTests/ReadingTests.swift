// The properties of elements of both kinds, and their equality.

import Foundation
import TestSupport
import Testing

@testable import XMLTree

@Suite struct ReadingTests {
    private static let source = """
        <iq xmlns='jabber:client' xmlns:p='urn:p' type='get' xml:lang='de' p:k='1'>one<query xmlns='q' a=''/>two\
        <p:x xmlns:p='urn:other'>three</p:x><item/><empty></empty></iq>
        """

    /// All properties of an element and its descendants, a line each.
    private func outline(_ element: some ReadableElement) -> [String] {
        let attributes = element.attributes.map { " \($0.name)='\($0.value)' in \($0.namespace ?? "none")" }.joined()
        let content = element.content.map { piece in
            switch piece {
            case .element(let child): "<\(child.name)>"
            case .text(let text): text
            }
        }
        let name = "\(element.prefix ?? "none"):\(element.name) in \(element.namespace ?? "none")"
        let line = "\(element.childIndex) \(name)\(attributes) \(content) \(element.text ?? "no text")"
        #expect(element.children.map(\.childIndex) == Array(0..<element.children.count))
        return [line] + element.children.flatMap { outline($0) }
    }

    @Test func everyProperty() throws {
        let expected = [
            "0 none:iq in jabber:client type='get' in none xml:lang='de' in \(XMLNamespace.xml) p:k='1' in urn:p"
                + " [\"one\", \"<query>\", \"two\", \"<x>\", \"<item>\", \"<empty>\"] onetwo",
            "0 none:query in q a='' in none [] no text", "1 p:x in urn:other [\"three\"] three",
            "2 none:item in jabber:client [] no text", "3 none:empty in jabber:client [] no text",
        ]
        let element = try Element(parsing: Self.source)
        #expect(outline(element) == expected && outline(element.thaw()) == expected)
        for (source, line) in [
            ("<a/>", "0 none:a in none [] no text"), ("<a> </a>", "0 none:a in none [\" \"]  "),
            ("<a xmlns:p='u'><b>x</b></a>", "0 none:a in none [\"<b>\"] no text"),
        ] {
            #expect(outline(try Element(parsing: source)).first == line)
            #expect(outline(try Element(parsing: source).thaw()).first == line)
        }
    }

    /// Runs the same check for both kinds of elements.
    private func both(_ source: String = Self.source, _ check: (any ReadableElement) throws -> Void) throws {
        let element = try Element(parsing: source)
        try check(element)
        try check(element.thaw())
    }

    @Test func attributesByEveryFormOfTheirName() throws {
        try both { iq in
            for (name, value) in [
                ("type", "get"), ("xml:lang", "de"), ("{\(XMLNamespace.xml)}lang", "de"), ("p:k", "1"),
                ("{urn:p}k", "1"),
                ("xmlns", "jabber:client"), ("{}type", "get"),
            ] {
                #expect(iq[name] == value && iq.attribute(name) == value, "\(name)")
            }
            for missing in ["lang", "k", "xmlns:p", "{urn:q}k", "q:k", "", "{", "{}", ":", "{jabber:client}type"] {
                #expect(iq[missing] == nil, "\(missing)")
            }
        }
        #expect(try Element(parsing: "<a/>")["xmlns"] == nil)
        // A prefix in scope finds an attribute that has another prefix for the same namespace.
        let nested = try Element(parsing: "<a xmlns:p='u' xmlns:q='u'><b p:k='1'/></a>")
        #expect(nested.firstChild?["q:k"] == "1")
        // The name as written takes precedence over its meaning.
        let hidden = try Element(parsing: "<a xmlns:p='u'><b xmlns:p='v' p:k='1'/></a>")
        #expect(hidden.firstChild?["p:k"] == "1" && hidden.firstChild?["{u}k"] == nil)
    }

    @Test func childrenByName() throws {
        try both { iq in
            #expect(iq.child("item")?.childIndex == 2 && iq.child("query") == nil)
            #expect(iq.child("query", namespace: "q")?.name == "query")
            #expect(iq.child("item", namespace: .empty) == nil)
        }
        try both("<a xmlns='u'><b xmlns=''/></a>") { #expect($0.child("b", namespace: .empty)?.name == "b") }
        // As an attribute's name, `xmlns` is a declaration.
        try both("<a xmlns='u'><xmlns xmlns='v'/><xmlns/></a>") { element in
            #expect(element.child("xmlns")?.childIndex == 1)
            #expect(element.child("xmlns", namespace: "v")?.childIndex == 0)
        }
        // Names are compared by code points (rule 1.1).
        try both("<a \u{E9}='1'><e\u{301}/></a>") { element in
            #expect(element["\u{E9}"] == "1" && element["e\u{301}"] == nil)
            #expect(element.child("e\u{301}") != nil && element.child("\u{E9}") == nil)
        }
    }

    @Test func parentsRootsAndSiblings() throws {
        func check(_ iq: some ReadableElement) throws {
            #expect(iq.isRoot && iq.parent == nil)
            let query = try #require(iq.firstChild)
            #expect(!query.isRoot && !query.isSame(as: iq) && query.firstChild == nil)
            #expect(query.parent?.isSame(as: iq) == true && query.root.isSame(as: iq))
            #expect(query.nextSibling?.name == "x" && Array(iq.children).last?.nextSibling == nil)
        }
        try both { try check($0) }
        // An editable tree has one handle for each element.
        let iq = try Element(parsing: Self.source).thaw()
        let query = try #require(iq.firstChild)
        #expect(query === iq.children[0] && query.parent === iq && query.nextSibling !== query)
        // An element keeps its tree alive.
        let inner = try #require(try Element(parsing: "<a><b k='v'/></a>").thaw().firstChild)
        inner.root.setName("x")
        #expect(inner.parent?.name == "x" && inner["k"] == "v")
        #expect(try Element(parsing: "<a><b/></a>").firstChild?.root.name == "a")
    }

    /// A value is searched in blocks of sixteen bytes.
    @Test(arguments: ["\"", "'"])
    func valuesInQuotesOfTheOtherKind(_ quote: String) throws {
        let other = quote == "'" ? "\"" : "'"
        for length in 0..<40 {
            for place in 0...length {
                for middle in [other, other + other, other + "\u{E9}" + other, other + "#" + other] {
                    let value =
                        String(repeating: "b", count: place) + middle + String(repeating: "c", count: length - place)
                    let element = try Element(
                        parsing: "<a b=\(quote)\(value)\(quote) c=\(quote)\(value)&amp;\(quote)/>")
                    #expect(element["b"] == value && element["c"] == value + "&")
                }
            }
        }
    }

    // MARK: Indexes of a frozen element's children

    #if os(Linux) || os(macOS)
    /// An invalid index stops the program before it reads memory: a check does, not an access to invalid memory.
    @Test func indexesAreChecked() async {
        func expectCheck(_ result: ExitTest.Result?) {
            guard let result else { return }
            #expect([.signal(SIGILL), .signal(SIGTRAP)].contains(result.exitStatus))
        }
        expectCheck(
            await #expect(processExitsWith: .failure) {
                let children = try Element(parsing: "<a/>").children
                _ = children[children.startIndex]
            })
        expectCheck(
            await #expect(processExitsWith: .failure) {
                let children = try Element(parsing: "<a/>").children
                _ = children.index(after: children.endIndex)
            })
        expectCheck(
            await #expect(processExitsWith: .failure) {
                let large = try Element(parsing: "<a>" + String(repeating: "<b/>", count: 1000) + "</a>").children
                let last = try #require(large.indices.max())
                _ = try Element(parsing: "<a><b/></a>").children[last]
            })
        expectCheck(
            await #expect(processExitsWith: .failure) {
                let a = try Element(parsing: "<a><b/><c><d/></c></a>")
                let c = try #require(a.child("c"))
                _ = a.children[c.children.startIndex]
            })
    }
    #endif

    // MARK: Equality

    /// Trees that are equal, or not.
    @Test(arguments: [
        ("<a/>", "<a></a>", true), ("<a b='1' c='2'/>", "<a c='2' b='1'/>", true),
        ("<a xmlns:unused='u'/>", "<a/>", true),
        ("<p:a xmlns:p='u'/>", "<a xmlns='u'/>", true), ("<a xmlns:p='u' p:k='1'/>", "<a xmlns:q='u' q:k='1'/>", true),
        ("<a>x<b/>y</a>", "<a>x<b></b>y</a>", true), ("<a>&#120;</a>", "<a><![CDATA[x]]></a>", true),
        ("<a/>", "<b/>", false), ("<a/>", "<a xmlns='u'/>", false), ("<a/>", "<a b=''/>", false),
        ("<a b='1'/>", "<a b='2'/>", false), ("<a b='1'/>", "<a c='1'/>", false),
        ("<a xmlns:p='u' p:k='1'/>", "<a k='1'/>", false), ("<a>x</a>", "<a>y</a>", false), ("<a> </a>", "<a/>", false),
        ("<a>x<b/></a>", "<a><b/>x</a>", false), ("<a><b/><c/></a>", "<a><c/><b/></a>", false),
        ("<a><b/></a>", "<a><b/><b/></a>", false), ("<a><b><c/></b></a>", "<a><b/><c/></a>", false),
        ("<a>\u{E9}</a>", "<a>e\u{301}</a>", false), ("<a k='\u{E9}'/>", "<a k='e\u{301}'/>", false),
        ("<\u{E9}/>", "<e\u{301}/>", false), ("<a xmlns='\u{E9}'/>", "<a xmlns='e\u{301}'/>", false),
    ])
    func equality(_ one: String, _ other: String, _ isEqual: Bool) throws {
        let (one, other) = (try Element(parsing: one), try Element(parsing: other))
        #expect((one == other) == isEqual && (other == one) == isEqual)
        #expect((one.thaw() == other.thaw()) == isEqual)
        #expect(!isEqual || one.hashValue == other.hashValue)
        // The same as parts of a tree, whatever follows them.
        let tree = MutableElement("tree") {
            one
            "text"
            other
        }
        let parts = Array(tree.freeze().children)
        #expect((parts[0] == parts[1]) == isEqual && parts[0] == one && !parts[0].isSame(as: parts[1]))
        #expect(Set(parts).count == (isEqual ? 1 : 2))
    }

    /// Equality also compares values code point by code point (rule 1.1).
    @Test func composedAndDecomposedCharactersDiffer() {
        let (composed, decomposed) = ("\u{E9}", "e\u{301}")
        let attributes = [
            ("k", nil, composed), ("k", nil, decomposed), (composed, nil, ""), (decomposed, nil, ""),
            ("k", composed, ""),
            ("k", decomposed, ""), ("k", nil, ""), ("k", "", ""),
        ].map { XMLAttribute(name: $0, namespace: $1, value: $2) }
        #expect(Set(attributes + attributes).count == attributes.count)
        #expect(XMLContent<Element>.text(composed) != .text(decomposed))
        #expect(XMLContent<Element>.text(composed) == .text(composed))
        #expect(NamespaceContext(defaultNamespace: composed) != NamespaceContext(defaultNamespace: decomposed))
        #expect(NamespaceContext(prefixes: [composed: "u"]) != NamespaceContext(prefixes: [decomposed: "u"]))
        #expect(NamespaceContext(prefixes: ["p": composed]) != NamespaceContext(prefixes: ["p": decomposed]))
        #expect(NamespaceContext(prefixes: ["p": "u", "q": "v"]) == NamespaceContext(prefixes: ["q": "v", "p": "u"]))
    }

    /// Of an attribute and a declaration of one name, only the attribute has a value. Many attributes are compared as
    /// few are, in a time that grows as their number does.
    @Test(arguments: [3, 64, 65, 1_000]) func manyAttributes(count: Int) throws {
        func tree(_ names: [String], value: String) throws -> Element {
            let attributes = names.map { " xmlns:\($0)='u' \($0)='\($0 == "k1" ? value : $0)'" }.joined()
            return try Element(parsing: "<a\(attributes)/>", limits: ParserLimits(attributes: 2 * count))
        }
        let names = (0..<count).map { "k\($0)" }
        let one = try tree(names, value: "1")
        #expect(try one == tree(names.reversed(), value: "1"))
        #expect(try one != tree(names, value: "2"))
        #expect(try one != tree(names.dropFirst() + ["other"], value: "1"))
        guard count == 1_000 else { return }
        let (many, reversed) = (names + names.map { $0 + "a" } + names.map { $0 + "b" }, names.reversed())
        let limits = ParserLimits(attributes: 3 * count)
        func plain(_ names: some Sequence<String>) throws -> Element {
            try Element(parsing: "<a\(names.map { " \($0)=''" }.joined())/>", limits: limits)
        }
        let (few, other) = try (plain(names), plain(reversed))
        let (large, largeOther) = try (plain(many), plain(many.reversed()))
        let growth = growth(from: { _ = few == other }, to: { _ = large == largeOther }, below: 8)
        #expect(growth < 8 && few == other && large == largeOther)
    }
}
