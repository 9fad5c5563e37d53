// Compares trees under random edits with a simple model of objects.

import TestSupport
import Testing

@testable import XMLTree

@Suite struct RandomEditTests {
    /// A held element, not always a root, and its model.
    private typealias Entry = (element: MutableElement, model: ModelElement)

    @Test(arguments: 0..<20)
    func editsAgreeWithTheModel(round: Int) throws {
        var random = SeededGenerator(salt: UInt64(round))
        let forest = ModelForest()
        var entries: [Entry] = []
        for step in 0..<400 {
            if entries.isEmpty || random.chance(10) { entries.append(try makeEntry(in: forest, using: &random)) }
            let chosen = random.pick(entries)
            try edit(descend(chosen, using: &random), &entries, using: &random)
            for entry in entries {
                let comment: Comment = "seed \(SeededGenerator.seed), round \(round), step \(step)"
                let difference = entry.model.root.difference(from: entry.element.root)
                #expect(difference == nil && entry.element.freeze().xmlString() == entry.element.xmlString(), comment)
                if difference != nil { return }
            }
            if random.chance(20) { entries[0] = descend(entries[0], using: &random) }
            if entries.count > 6 { entries.remove(at: Int.random(in: 0..<entries.count, using: &random)) }
        }
        #expect(!entries.isEmpty)
        withExtendedLifetime(forest) {}
    }

    private static let names = ["a", "b", "c", "é", "long-name-of-an-element"]
    private static let namespaces = ["u", "jabber:client", "http://jabber.org/protocol/disco#info"]
    private static let attributes = ["type", "id", "xml:lang", "{urn:n}k"]
    private static let texts = [
        "", "x", "text & more", "e\u{301}", String(repeating: "long ", count: 30), String(repeating: "z", count: 200),
    ]

    private func makeEntry(in forest: ModelForest, using random: inout SeededGenerator) throws -> Entry {
        let (name, uri) = (random.pick(Self.names), random.pick(Self.namespaces))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return (MutableElement(try XMLName(name)), ModelElement(name, namespace: nil, waits: true, in: forest))
        case 1:
            let element = MutableElement(try XMLName(name), namespace: .empty)
            return (element, ModelElement(name, namespace: nil, waits: false, in: forest))
        case 2:
            // Equal texts of a parsed tree are stored once, and a copy shares the names.
            let thawed = try Element(parsing: random.pick(Self.indented)).thaw()
            let element = random.chance(50) ? thawed : thawed.copy()
            return (element, ModelElement(of: element, in: forest))
        default:
            let element = MutableElement(try XMLName(name), namespace: .uri(uri))
            return (element, ModelElement(name, namespace: uri, waits: false, in: forest))
        }
    }

    private static let indented = [
        "<a xmlns='u'>\n  <b/>\n  <c>x</c>\n  <b type='x'/>\n</a>", "<a>x<b>x</b>x<b/>x</a>",
        "<a id='1' xmlns='jabber:client'>\n\n<c>\n\n<b/>\n\n</c>\n\n</a>",
    ]

    /// Applies the same edit to element and model.
    private func edit(_ entry: Entry, _ entries: inout [Entry], using random: inout SeededGenerator) throws {
        let (element, model) = entry
        let other = random.pick(entries)
        let isLarge = [entry, other].contains { $0.model.root.all.count > 40 }
        let (name, text, uri) = (random.pick(Self.names), random.pick(Self.texts), random.pick(Self.namespaces))
        switch Int.random(in: 0..<17, using: &random) {
        case 0, 1:
            let key = random.pick(Self.attributes)
            element[try XMLName(key)] = text
            // Clark notation finds or makes a prefix; the model uses the name that the element now has.
            let written = element.attributes.first { $0.name == key || "{urn:n}\($0.name.dropFirst(4))" == key }
            model.set(try #require(written).name, to: text)
        case 2:
            let key = random.pick(["type", "id", "xml:lang"])
            element[try XMLName(key)] = nil
            model.attributes.removeAll { $0.name == key }
        case 3:
            element.text = text
            model.setText(text)
        case 4, 5:
            element.addText(text)
            model.addText(text)
        case 6, 7,
            8 where !isLarge:
            let (source, sourceModel) = descend(other, using: &random)
            let position = random.number(0...model.children.count)
            if random.chance(20) {
                element.insert(source.freeze(), at: position)
                model.insert(sourceModel.copy(waiting: false), at: position)
                return
            }
            let copy = sourceModel.copy()
            if position == model.children.count { element.add(source) } else { element.insert(source, at: position) }
            model.insert(copy, at: position)
        case 9, 10:
            let removed = element.remove()
            model.remove()
            if random.chance(50) { entries.append((removed, model)) }
        case 11 where !isLarge:
            let copy = other.model.copy()
            let replacement = element.replace(with: other.element)
            if let parent = model.parent {
                parent.insert(copy, at: parent.children.firstIndex { $0 === model } ?? 0)
                model.remove()
            } else {
                entries.append((replacement, copy))
            }
        case 12:
            element.setName(try XMLName(name))
            model.name = name
        case 13:
            let isInherited = random.chance(30)
            element.setNamespace(isInherited ? .inherited : .uri(uri))
            (model.waits, model.namespace) = (isInherited, isInherited ? nil : uri)
            model.inherit()
            for child in model.children { child.inherit() }
        case 14 where !isLarge: try addChild(to: element, model, using: &random)
        case 15:
            if random.chance(50) { element.removeAllChildren() } else { element.removeAllContent() }
            for child in model.children { child.remove() }
            model.setText(element.text ?? "")
        default:
            let isDeep = random.chance(50)
            let copy = model.copy()
            if !isDeep {
                copy.pieces = []
                copy.setText(element.text ?? "")
            }
            entries.append((isDeep ? element.copy() : element.shallowCopy(withText: true), copy))
        }
    }

    private static let childNames: [XMLName] = ["a", "b", "é", "long-name-of-an-element", "xmlns", "{u}a", "{}b"]
    private static let childNamespaces: [ElementNamespace] = [
        .inherited, .inherited, .inherited, .empty, "u", "jabber:client", "", .uri(XMLNamespace.xml),
    ]
    private static let keys = ["k", "id", "type", "{\(XMLNamespace.xml)}lang", "{urn:n}k", "{}j", "é", "k\u{301}"]
    private static let values: [String?] = [
        "", "v", nil, "e\u{301}", "bad\u{1}", String(repeating: "long ", count: 50),
    ]

    /// A child made in place is the same as one that is built and added.
    private func addChild(
        to element: MutableElement, _ model: ModelElement, using random: inout SeededGenerator
    ) throws {
        let (name, namespace) = (random.pick(Self.childNames), random.pick(Self.childNamespaces))
        let keys = Self.keys.shuffled(using: &random).prefix(random.number(0...3))
        let attributes = try AttributeValues(keys.map { ($0, random.pick(Self.values)) })
        let text = random.pick(Self.values)
        let twin = element.copy()
        twin.add(MutableElement(name, namespace: namespace, attributes: attributes, text: text))
        let added = element.addChild(name, namespace: namespace, attributes: attributes, text: text)
        #expect(twin == element && twin.xmlString() == element.xmlString(), "seed \(SeededGenerator.seed)")
        let (tree, root) = (element.tree, element.root.index)
        #expect(tree.knownSize(of: root) == tree.reader(at: root).sizeOfCopy)
        let child = ModelElement(of: added, in: model.forest)
        if case .inherited = namespace, model.waits, !name.description.hasPrefix("{") { child.waits = true }
        model.insert(child, at: model.children.count)
    }

    /// Moves down or up a few random steps.
    private func descend(_ entry: Entry, using random: inout SeededGenerator) -> Entry {
        var (element, model) = entry
        for _ in 0..<Int.random(in: 0..<5, using: &random) {
            if random.chance(25), let parent = element.parent, let modelParent = model.parent {
                (element, model) = (parent, modelParent)
            } else if !model.children.isEmpty {
                let position = Int.random(in: 0..<model.children.count, using: &random)
                (element, model) = (element.children[position], model.children[position])
            }
        }
        return (element, model)
    }
}
