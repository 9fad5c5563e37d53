// Random trees to serialize and parse.

import TestSupport
import XMLTree

/// Makes random trees that use all features of a tree.
enum RandomTree {
    private static let names = ["a", "b", "iq", "\u{E9}", "e\u{301}", "x-y.z", "\u{4E00}"]
    private static let namespaces = ["u", "v", "jabber:client", "u'&<", XMLNamespace.stream]
    private static let prefixes = ["p", "q", "stream", "ns1"]
    private static let texts = [
        "", " ", "x", "&<>'\"", "\t\n\r", "]]>", "\u{E9}", "e\u{301}", "\u{10FFFD}\u{FFFD}", "\u{85}\u{2028}",
    ]

    static func make(using random: inout SeededGenerator) throws -> MutableElement {
        let root = try element(using: &random)
        var open = [root]
        for _ in 0..<Int.random(in: 0..<25, using: &random) {
            let parent = random.pick(open)
            let child = parent.add(try element(using: &random))
            open.append(child)
            if random.chance(30) { parent.addText(random.pick(texts)) }
        }
        if random.chance(30) { try random.pick(open).declarePrefix(random.pick(prefixes), as: random.pick(namespaces)) }
        return root
    }

    private static func element(using random: inout SeededGenerator) throws -> MutableElement {
        let name = random.pick(names)
        let element =
            switch Int.random(in: 0..<5, using: &random) {
            case 0: MutableElement(try XMLName(name))
            case 1: MutableElement(try XMLName(name), namespace: .empty)
            case 2:
                MutableElement(
                    XMLName(known: "\(random.pick(prefixes)):\(name)"), namespace: .uri(random.pick(namespaces)))
            default: MutableElement(try XMLName(name), namespace: .uri(random.pick(namespaces)))
            }
        if random.chance(30) { try element.declarePrefix(random.pick(prefixes), as: random.pick(namespaces)) }
        for _ in 0..<Int.random(in: 0..<4, using: &random) {
            let value = random.pick(texts)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: element[try XMLName("{\(random.pick(namespaces))}\(random.pick(names))")] = value
            case 1: element["xml:lang"] = value
            default: element[try XMLName(random.pick(names))] = value
            }
        }
        if random.chance(50) { element.text = random.pick(texts) }
        return element
    }
}
