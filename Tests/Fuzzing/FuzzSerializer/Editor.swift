// Edits a tree as an input says, three bytes for each edit. Names that XML refuses throw, and the fuzzer continues.

import XMLTree

struct Editor {
    let root: MutableElement
    let original: Element
    var input: FuzzInput

    private static let texts = [
        "", "x", "<&>'\"", " \t\r\n", "]]>", "\u{E9}e\u{301}", "\u{1}", "urn:x", "\u{FFFF}", "\u{10FFFD}", "  x",
    ]
    private static let names = [
        "a", "b", "\u{E9}", "p:a", "q:b", "xml:lang", "{u}k", "{v}a", "xmlns", "1", "x", "ns1:k",
    ]
    private static let prefixes = ["p", "q", "ns1", "ns2", "stream", "xml", "xmlns", ""]
    private static let namespaces = ["u", "v", "w", "jabber:client", XMLNamespace.xml, XMLNamespace.stream, "", "a'b<"]
    /// Copies of the tree into itself double it.
    private static let largestTree = 200

    mutating func run() {
        var held: [MutableElement] = []
        while !input.isAtEnd {
            let elements = all(of: root)
            let element = elements[input.number(below: elements.count)]
            if input.number(below: 4) == 0 { held.append(element) }
            do {
                try edit(element, in: elements)
            } catch {
                require(!error.description.isEmpty, "an error without words")
            }
        }
        // Held elements are whole, in whatever tree they are now.
        for element in held { require(element.copy() == element, "a held element is damaged") }
    }

    private mutating func edit(_ element: MutableElement, in elements: [MutableElement]) throws(XMLTreeError) {
        switch input.number(below: 16) {
        case 0: element.text = input.pick(Self.texts)
        case 1: element.addText(input.pick(Self.texts))
        case 2: element.setName(try XMLName(input.pick(Self.names)))
        case 3: element.setNamespace(.uri(input.pick(Self.namespaces)))
        case 4: element.setNamespace(.inherited)
        case 5: try element.setPrefix(input.pick(Self.prefixes))
        case 6: try element.declarePrefix(input.pick(Self.prefixes), as: input.pick(Self.namespaces))
        case 7: try element.declarePrefix(input.pick(Self.prefixes), as: nil)
        // Only the author of a literal can know that its prefix is in scope.
        case 8 where element.namespace(forPrefix: "p") != nil: element["p:a"] = input.pick(Self.texts)
        case 8: element[try XMLName(input.pick(Self.names))] = input.pick(Self.texts)
        case 9: element[try XMLName(input.pick(Self.names))] = nil
        case 10: element.remove()
        case 11: element.removeAllContent()
        case 12 where elements.count < Self.largestTree:
            element.insert(elements[input.number(below: elements.count)], at: 0)
        case 13 where elements.count < Self.largestTree:
            let name = try XMLName(input.pick(Self.names))
            element.add(MutableElement(name, namespace: input.pick([.inherited, .empty, "u"])))
        case 14 where elements.count < Self.largestTree:
            element.replace(with: elements[input.number(below: elements.count)])
        case 15 where elements.count < Self.largestTree: element.add(original)
        default: element.removeAllAttributes()
        }
    }

    private func all(of element: MutableElement) -> [MutableElement] {
        var elements = [element]
        for child in element.children { elements += all(of: child) }
        return elements
    }
}
