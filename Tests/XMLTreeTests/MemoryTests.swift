// A tree stays within twice its live size, however many edits it gets.

import Testing

@testable import XMLTree

@Suite struct MemoryTests {
    #if DEBUG
    private static let edits = 5_000
    #else
    private static let edits = 1_000_000
    #endif

    private func tree(elements: Int, name: (Int) -> String = { _ in "item" }) throws -> MutableElement {
        let root = MutableElement("root", namespace: "u")
        for number in 0..<elements {
            root.addChild(try XMLName(name(number)), attributes: ["id": "\(number)"], text: "text of \(number)")
        }
        return root
    }

    /// Expects at most twice the size of a fresh copy, and a constant.
    private func expectLittle(
        _ capacity: Int, for element: MutableElement, constant: Int = 8192,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let tree = element.copiedTree()
        tree.makeNamesOwn()
        let live =
            tree.live.nodes * (MemoryLayout<Node>.stride + MemoryLayout<NodeLinks>.stride)
            + tree.live.attributes * MemoryLayout<AttributeRecord>.stride + tree.live.bytes
            + tree.names.count * MemoryLayout<NameRecord>.stride + tree.names.byteCount
        #expect(capacity <= 2 * live + constant, sourceLocation: sourceLocation)
    }

    /// The kinds of edits; each leaves another kind of garbage.
    enum Edit: CaseIterable {
        case setAttribute, addAndRemoveAttribute, setText, addAndRemoveChild, addAndFreeChild, rename, setNamespace
        case declarePrefix, addInPlace
    }

    /// The origin of an edited tree: built, parsed, or a copy. Equal texts are one text in parsed trees.
    enum Origin: CaseIterable { case built, thawed, copied }

    private func tree(_ origin: Origin, elements: Int) throws -> MutableElement {
        let built = try tree(elements: elements)
        if origin == .built { return built }
        let xml = built.xmlString().replacing("</item>", with: "</item>\n              ")
        let thawed = try Element(parsing: xml).thaw()
        return origin == .thawed ? thawed : thawed.copy()
    }

    @Test(arguments: Edit.allCases, Origin.allCases)
    func editsStayWithinTwiceTheLiveSize(edit: Edit, origin: Origin) throws {
        for elements in [1, 300] {
            let root = try tree(origin, elements: elements)
            let first = try #require(root.firstChild)
            let extra = MutableElement("extra", attributes: ["k": "v"], children: [MutableElement("inner", text: "x")])
            var largest = 0
            for step in 0..<Self.edits {
                switch edit {
                case .setAttribute: first["id"] = "value \(step)"
                case .addAndRemoveAttribute:
                    try first[XMLName("a\(step)")] = "v"
                    try first[XMLName("a\(step)")] = nil
                case .setText: first.text = "text \(step)"
                case .addAndRemoveChild: first.add(extra).remove()
                case .addAndFreeChild:
                    first.add(MutableElement("x", text: "y"))
                    first.removeAllChildren()
                case .addInPlace:
                    try first.addChild(XMLName("x\(step)"), attributes: AttributeValues([("a\(step)", "v")]), text: "y")
                    first.removeAllChildren()
                case .rename: try first.setName(XMLName("n\(step)"))
                case .setNamespace: first.setNamespace(.uri("urn:\(step)"))
                case .declarePrefix:
                    try first.declarePrefix("p\(step)", as: "urn:\(step)")
                    try first.declarePrefix("p\(step)", as: nil)
                }
                if step % 64 == 0 { largest = max(largest, root.tree.capacityInBytes) }
            }
            expectLittle(largest, for: root)
            #expect(root.children.count == elements)
            // Packing and copying rely on these counts.
            #expect(root.tree.knownSize(of: root.index) == root.tree.reader(at: root.index).sizeOfCopy)
        }
    }

    /// An element without children begins with little memory.
    @Test(arguments: [0, 1, 3, 4, 8, 9, 1000], [nil, "v"])
    func newElementsAreSmall(attributes: Int, value: String?) throws {
        let element = MutableElement(
            "p:e", namespace: .uri("u"), attributes: try AttributeValues((0..<attributes).map { ("a\($0)", value) }))
        expectLittle(element.tree.capacityInBytes, for: element, constant: 2048)
        #expect(element.attributes.count == (value == nil ? 0 : attributes))
    }

    @Test(arguments: [false, true])
    func aTreeThatShrinksGivesMemoryBack(hasDistinctNames: Bool) throws {
        let root = try tree(elements: 20_000) { hasDistinctNames ? "item\($0)" : "item" }
        expectLittle(root.tree.capacityInBytes, for: root)
        for (position, child) in root.children.enumerated() where position % 100 != 0 { child.remove() }
        #expect(root.children.count == 200)
        expectLittle(root.tree.capacityInBytes, for: root)
        root.removeAllContent()
        for number in 0..<1000 { try root.setName(XMLName("r\(number)")) }
        expectLittle(root.tree.capacityInBytes, for: root)
    }

    @Test func frozenCopiesShareTheDictionaryOfTheirOrigin() throws {
        let element = try Element(parsing: "<a xmlns='u'><b c='d'/></a>")
        let thawed = element.thaw()
        #expect(thawed.freeze().tree.dictionary === element.tree.dictionary)
        #expect(thawed.copy().freeze().tree.dictionary === element.tree.dictionary)
        thawed["e"] = "f"
        #expect(thawed.tree.dictionary == nil)
        #expect(thawed.freeze().xmlString() == "<a xmlns='u' e='f'><b c='d'/></a>")
    }

    /// A copy of a small part does not keep a large table of names alive.
    @Test func copiesLetGoOfALargeTableOfNames() throws {
        var xml = "<a><keep k='v' xml:lang='en' xmlns:p='u' p:k='w'>x<p:b/>y</keep>"
        for number in 0..<5000 { xml += "<n\(number)/>" }
        let large = try Element(parsing: xml + "</a>")
        let keep = try #require(large.firstChild)
        let edited = try #require(large.thaw().firstChild)
        #expect(large.tree.dictionary.names.recordCapacity > 5000)
        for copy in [keep.copy(), edited.freeze()] {
            #expect(copy == keep && copy.xmlString() == keep.xmlString() && copy["{u}k"] == "w")
            #expect(copy.tree.dictionary.names.recordCapacity < 50)
        }
        let shallow = keep.shallowCopy(withText: true)
        #expect(shallow.xmlString() == "<keep xmlns:p='u' k='v' xml:lang='en' p:k='w'>xy</keep>")
        #expect(shallow.tree.dictionary.names.recordCapacity < 50)
        #expect(keep.thaw().tree.names.table.recordCapacity < 50)
        #expect(edited.copy().tree.names.table.recordCapacity < 50)
        // A copy of the whole shares the table, and so do copies from a small one.
        #expect(large.copy().tree.dictionary.names === large.tree.dictionary.names)
        let small = try Element(parsing: "<a><b/></a>")
        #expect(small.firstChild?.copy().tree.dictionary.names === small.tree.dictionary.names)
    }

    @Test func removedElementsWithoutReferencesAreReclaimed() throws {
        let root = try tree(elements: 1)
        weak var tree: MutableTree?
        do {
            let removed = try #require(root.firstChild).remove()
            tree = removed.tree
            #expect(tree != nil)
        }
        #expect(tree == nil)
    }
}
