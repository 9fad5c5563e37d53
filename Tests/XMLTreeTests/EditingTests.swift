// Single edits in cases that the random edits do not reach: prefixes, places of attributes, and elements that edit
// themselves. And trees that are deeper than any stack.

import Testing
import XMLTree

@Suite struct EditingTests {
    /// Edits of a tree, each with the tree after it.
    private static let edits: [(source: String, edit: @Sendable (MutableElement) throws -> Void, result: String)] = [
        // An element is added to itself and its descendants.
        ("<a><b/></a>", { $0.firstChild?.add($0) }, "<a><b><a><b/></a></b></a>"),
        ("<a><b/></a>", { $0.add($0) }, "<a><b/><a><b/></a></a>"),
        // An element takes the place of its parent.
        (
            "<a><b><c/></b></a>", { a in a.firstChild?.firstChild.map { _ = a.firstChild?.replace(with: $0) } },
            "<a><c/></a>"
        ),
        (
            "<a xmlns='u'>1<b/>2<c/></a>", { $0.firstChild?.replace(with: MutableElement("x")) },
            "<a xmlns='u'>1<x/>2<c/></a>"
        ),
        (
            "<a xmlns='u'><b/></a>", { try $0.firstChild?.replace(with: Element(parsing: "<y/>")) },
            "<a xmlns='u'><y xmlns=''/></a>"
        ),
        // The removed part can be the larger one.
        ("<a>1<b><c/><c/><c/><c/></b>2</a>", { $0.firstChild?.remove() }, "<a>12</a>"),
        ("<a xmlns:p='u' k='1'>1<b/>2<c/>3</a>", { $0.removeAllChildren() }, "<a xmlns:p='u' k='1'>123</a>"),
        ("<a xmlns:p='u' k='1'>1<b/>2</a>", { $0.removeAllContent() }, "<a xmlns:p='u' k='1'/>"),
        ("<a xmlns:p='u' k='1' p:k='2'/>", { $0.removeAllAttributes() }, "<a xmlns:p='u'/>"),
        // Loops may edit the children that they go through.
        ("<a><b/><c/><b/></a>", { for child in $0.children where child.name == "b" { child.remove() } }, "<a><c/></a>"),
        ("<a><b/><c/></a>", { for child in $0.children { $0.add(child) } }, "<a><b/><c/><b/><c/></a>"),
        // Attributes keep their places.
        (
            "<a x='1' y='2' z='3'/>",
            { a in
                a["y"] = "changed"
                a["x"] = nil
                a["x"] = "last"
                a["nothing"] = nil
                a["y"]?.append("!")
                a["nothing"]?.append("!")
            }, "<a y='changed!' z='3' x='last'/>"
        ),
        // Names and namespaces.
        ("<p:a xmlns:p='u'><p:b/></p:a>", { $0.setName("c") }, "<p:c xmlns:p='u'><p:b/></p:c>"),
        ("<p:a xmlns:p='u'><p:b/></p:a>", { $0.setNamespace("v") }, "<a xmlns='v' xmlns:p='u'><p:b/></a>"),
        ("<xml:a/>", { $0.setName("xmlns") }, "<xml:xmlns/>"),
        (
            "<a/>",
            { a in
                let child = a.add(MutableElement("d", namespace: "w"))
                child.setNamespace(.inherited)
                a.setNamespace("x")
                a.addChild("e", text: child.namespace ?? "none")
                child.setNamespace(.inherited)
            }, "<a xmlns='x'><d/><e>none</e></a>"
        ),
        // Prefixes. Another binding does not change the meaning of a name.
        (
            "<a xmlns:p='u' p:k='1'/>", { try $0.declarePrefix("p", as: "v") },
            "<a xmlns:p='v' xmlns:ns1='u' ns1:k='1'/>"
        ),
        ("<a xmlns:p='u' p:k='1'/>", { try $0.declarePrefix("p", as: nil) }, "<a xmlns:p='u' p:k='1'/>"),
        ("<a/>", { try $0.declarePrefix("xml", as: XMLNamespace.xml) }, "<a/>"),
        ("<s:e xmlns:s='u'/>", { try $0.setPrefix(nil) }, "<e xmlns='u' xmlns:s='u'/>"),
        ("<e xmlns='u'/>", { try $0.setPrefix("s") }, "<s:e xmlns:s='u'/>"),
        // The element takes the first free prefix, whether the tree or its context bound the others.
        (
            "<a xmlns:ns1='u1'><b xmlns:ns3='u3'/></a>",
            { a in for number in 1...4 { try a.firstChild?[XMLName("{u\(number)}k")] = "" } },
            "<a xmlns:ns1='u1'><b xmlns:ns3='u3' xmlns:ns2='u2' xmlns:ns4='u4' ns1:k='' ns2:k='' ns3:k='' ns4:k=''/></a>"
        ),
        (
            "<a/>",
            { a in
                a["{urn:n}k"] = "1"
                a["{urn:n}j"] = "2"
                a["{urn:n}k"] = "3"
                a["{http://www.w3.org/XML/1998/namespace}lang"] = "en"
                a["{}plain"] = "4"
            }, "<a xmlns:ns1='urn:n' ns1:k='3' ns1:j='2' xml:lang='en' plain='4'/>"
        ),
        ("<a xmlns:p='u' p:k='1' k='2'/>", { $0["{u}k"] = nil }, "<a xmlns:p='u' k='2'/>"),
        // A combining mark at the beginning is a separate character, not a part of the brace.
        ("<a/>", { $0["{\u{301}u}k"] = "1" }, "<a xmlns:ns1='\u{301}u' ns1:k='1'/>"),
        // Equal short texts of a parsed tree are stored once. In an editable tree each is a text of its own.
        ("<a>\n<b/>\n</a>", { $0.addText("x") }, "<a>\n<b/>\nx</a>"),
        ("<a>\n<b/>\n</a>", { $0.text = nil }, "<a><b/></a>"),
        ("<a>\n<b/>\n</a>", { $0.text = "y" }, "<a>y<b/></a>"), ("<a>x</a>", { $0.text = "" }, "<a/>"),
    ]

    @Test(arguments: edits.indices) func edit(_ index: Int) throws {
        let (source, edit, result) = Self.edits[index]
        let thawed = try Element(parsing: source).thaw()
        for element in [thawed.copy(), thawed] {
            try edit(element)
            #expect(element.xmlString() == result && element.freeze().xmlString() == result)
            #expect(element.children.map(\.childIndex) == Array(0..<element.children.count))
        }
    }

    @Test func refusedPrefixes() throws {
        let a = MutableElement("a", namespace: "u")
        try a.declarePrefix("t", as: "urn:t")
        for (prefix, namespace) in [
            ("xml", "u"), ("xmlns", "u"), ("p", XMLNamespace.xml), ("p", XMLNamespace.xmlns), ("p", ""), ("p:q", "u"),
        ] {
            #expect(throws: XMLTreeError.self, "\(prefix)") { try a.declarePrefix(prefix, as: namespace) }
        }
        #expect(throws: XMLTreeError.self) { try a.setPrefix("t") }
        #expect(throws: XMLTreeError.self) { try a.setPrefix("1") }
        #expect(throws: XMLTreeError.self) { try MutableElement("a").setPrefix("p") }
        #expect(a.xmlString() == "<a xmlns='u' xmlns:t='urn:t'/>")
    }

    /// Edits return the elements in the tree; removed and replaced elements are roots.
    @Test func handles() throws {
        let a = try Element(parsing: "<a xmlns='u'>1<b k='v'>in<c/></b>2<d/></a>").thaw()
        let b = try #require(a.firstChild)
        let c = try #require(b.firstChild)
        #expect(b.remove() === b && b.isRoot && c.root === b && c.parent === b)
        #expect(b.xmlString() == "<b xmlns='u' k='v'>in<c/></b>")
        // Removing a root has no effect. A root is not replaced; the call returns a copy of the new element.
        #expect(b.remove() === b && a.children.count == 1)
        let copy = a.replace(with: b)
        #expect(copy !== b && copy == b && a.isRoot)
        let added = a.add(b)
        b.text = "changed"
        #expect(added === a.children[1] && added !== b && added.text == "in")
        let d = try #require(a.firstChild)
        let x = d.replace(with: MutableElement("x"))
        #expect(x === a.firstChild && x.namespace == "u" && d.isRoot)
        let inner = try #require(added.firstChild)
        a.removeAllChildren()
        #expect(inner.root.name == "b" && inner.parent === added)
    }

    /// The prefixes of an added element leave with it, and other elements do not see them.
    @Test func prefixesGoWithTheElementThatBroughtThem() throws {
        let root = MutableElement("root")
        let other = root.add(MutableElement("other"))
        let surroundings = NamespaceContext(prefixes: ["first": "u"])
        let first = root.add(try Element(parsing: "<x first:k='1'/>", in: surroundings))
        for number in 0..<100 {
            let context = NamespaceContext(prefixes: ["p\(number)": "u", "first": "other"])
            let added = root.add(try Element(parsing: "<x p\(number):k='1'/>", in: context))
            #expect(added.namespacesInScope.prefixes == context.prefixes)
            #expect(other.namespace(forPrefix: "p\(number)") == nil && first["first:k"] == "1")
            #expect(added.remove().namespacesInScope.prefixes == context.prefixes)
        }
        #expect(root.namespacesInScope.prefixes == ["first": "u"])
        #expect(root.xmlString(in: surroundings) == "<root><other/><x first:k='1'/></root>")
        // A copy can remove its own declarations.
        let b = try #require(
            try Element(parsing: "<a xmlns:p='outer'><b xmlns:p='u' xmlns:q='v'/></a>").thaw().firstChild)
        for copy in [b.copy(), b.shallowCopy(), b.freeze().thaw(), b.freeze().copy().thaw(), b.remove()] {
            try copy.declarePrefix("q", as: nil)
            try copy.declarePrefix("p", as: nil)
            #expect(copy.namespacesInScope.prefixes == ["p": "outer"])
        }
    }

    /// Grows a run of text until its length takes one byte, then two, then three.
    @Test func textGrowsBySmallPieces() throws {
        let a = MutableElement("a", children: [MutableElement("b")])
        let b = try #require(a.firstChild)
        var expected = ""
        for number in 0..<6000 {
            a.addText("\(number),")
            expected += "\(number),"
            if number % 1000 == 999 {
                b.addText("interrupts")
                #expect(a.text == expected)
            }
        }
        #expect(b.text == String(repeating: "interrupts", count: 6))
    }

    @Test func manyEqualTextsHaveRoomWhenATreeGrows() throws {
        let text = "<a>" + String(repeating: "<b/>\n              ", count: 1000) + "</a>"
        let thawed = try Element(parsing: text).thaw()
        let value = String(repeating: "x", count: 200)
        thawed["k"] = value
        #expect(thawed.xmlString() == "<a k='\(value)'" + text.dropFirst(2))
        thawed.text = nil
        #expect(thawed.xmlString() == "<a k='\(value)'>" + String(repeating: "<b/>", count: 1000) + "</a>")
    }

    // MARK: Deep trees

    private static let depth = 60_000

    private func deepTree() -> MutableElement {
        let root = MutableElement("a")
        var tip = root
        for _ in 1..<Self.depth { tip = tip.add(MutableElement("a")) }
        tip.text = "deep"
        return root
    }

    /// No function recurses.
    @Test func everythingWorksOnDeepTrees() throws {
        let tree = deepTree()
        tree.setNamespace("u")
        let frozen = tree.freeze()
        #expect(tree.copy() == tree && frozen.copy() == frozen && frozen.hashValue == frozen.copy().hashValue)
        let xml = frozen.xmlBytes()
        #expect(xml.count == Self.depth * 7 + " xmlns='u'".utf8.count + "deep".utf8.count)
        #expect(frozen.xmlBytes(format: .pretty).count < 600 * Self.depth)
        var tip = frozen
        while let child = tip.firstChild { tip = child }
        #expect(tip.text == "deep" && tip.namespace == "u" && tip.root.isSame(as: frozen))
        var limits = ParserLimits.document
        limits.depth = Self.depth + 1
        #expect(try Element(parsing: xml, limits: limits) == frozen)
    }

    /// Taken apart from both ends: the smaller part moves.
    @Test func deepTreesAreTakenApart() {
        var tip = deepTree()
        while let child = tip.firstChild { tip = child }
        for _ in 0..<(Self.depth / 2) {
            guard let parent = tip.parent else { break }
            tip.remove()
            tip = parent
        }
        #expect(tip.firstChild == nil)
        var root = tip.root
        var pieces = 0
        while let child = root.firstChild {
            child.remove()
            root = child
            pieces += 1
        }
        #expect(pieces == Self.depth - Self.depth / 2 - 1)
    }
}
