// Compares trees under random edits with a simple model of objects.

import TestSupport
import Testing
import XMLTree

@Suite struct RandomEditTests {
    /// A held element, not always a root, and its model.
    private struct Entry {
        var element: MutableElement
        var model: ModelElement
    }

    @Test(arguments: 0..<20)
    func editsAgreeWithTheModel(round: Int) throws {
        var random = SeededGenerator(salt: UInt64(round))
        let forest = ModelForest()
        var entries: [Entry] = []
        var trace: [String] = []
        for step in 0..<400 {
            if entries.isEmpty || random.chance(10) { entries.append(try makeEntry(in: forest, using: &random)) }
            let chosen = Int.random(in: 0..<entries.count, using: &random)
            trace.append(try edit(&entries, at: chosen, using: &random))
            for (position, entry) in entries.enumerated() {
                if let difference = entry.model.root.difference(from: entry.element.root) {
                    Issue.record(
                        """
                        seed \(SeededGenerator.seed), round \(round), step \(step), entry \(position): \(difference)
                        \(trace.suffix(5))
                        """)
                    return
                }
                if entry.element.freeze().xmlString() != entry.element.xmlString() {
                    Issue.record("seed \(SeededGenerator.seed), round \(round), step \(step): freezing")
                    return
                }
            }
            if random.chance(20) {
                let (element, model) = descend(entries[0], using: &random)
                entries[0] = Entry(element: element, model: model)
            }
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
        let name = random.pick(Self.names)
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            return Entry(
                element: MutableElement(try XMLName(name)),
                model: ModelElement(name, namespace: nil, waits: true, in: forest))
        case 1:
            return Entry(
                element: MutableElement(try XMLName(name), namespace: .empty),
                model: ModelElement(name, namespace: nil, waits: false, in: forest))
        case 2:
            // Equal texts of a parsed tree are stored once, and a copy shares the names.
            let thawed = try Element(parsing: random.pick(Self.indented)).thaw()
            let element = random.chance(50) ? thawed : thawed.copy()
            return Entry(element: element, model: model(of: element, in: forest))
        default:
            let namespace = random.pick(Self.namespaces)
            return Entry(
                element: MutableElement(try XMLName(name), namespace: .uri(namespace)),
                model: ModelElement(name, namespace: namespace, waits: false, in: forest))
        }
    }

    private static let indented = [
        "<a xmlns='u'>\n  <b/>\n  <c>x</c>\n  <b type='x'/>\n</a>", "<a>x<b>x</b>x<b/>x</a>",
        "<a id='1' xmlns='jabber:client'>\n\n<c>\n\n<b/>\n\n</c>\n\n</a>",
    ]

    private func model(of element: MutableElement, in forest: ModelForest) -> ModelElement {
        let model = ModelElement(element.name, namespace: element.namespace, waits: false, in: forest)
        model.attributes = element.attributes.map { ($0.name, $0.value) }
        for piece in element.content {
            switch piece {
            case .element(let child):
                let child = self.model(of: child, in: forest)
                child.parent = model
                model.pieces.append(.element(child))
            case .text(let text): model.pieces.append(.text(text))
            }
        }
        return model
    }

    /// Applies the same edit to element and model, and returns its description.
    private func edit(_ entries: inout [Entry], at chosen: Int, using random: inout SeededGenerator) throws -> String {
        let entry = entries[chosen]
        let (element, model) = descend(entry, using: &random)
        switch Int.random(in: 0..<17, using: &random) {
        case 0, 1:
            let name = random.pick(Self.attributes)
            let value = random.pick(Self.texts)
            element[try XMLName(name)] = value
            // Clark notation finds or makes a prefix; the model uses the name that the element now has.
            let written = element.attributes.first { $0.name == name || "{urn:n}\($0.name.dropFirst(4))" == name }
            let key = try #require(written).name
            if let known = model.attributes.firstIndex(where: { $0.name == key }) {
                model.attributes[known].value = value
            } else {
                model.attributes.append((key, value))
            }
            return "set \(name)"
        case 2:
            let name = random.pick(["type", "id", "xml:lang"])
            element[try XMLName(name)] = nil
            model.attributes.removeAll { $0.name == name }
            return "remove \(name)"
        case 3:
            let text = random.pick(Self.texts)
            element.text = text
            model.setText(text)
            return "set text"
        case 4, 5:
            let text = random.pick(Self.texts)
            element.addText(text)
            model.addText(text)
            return "add text"
        case 6, 7, 8:
            let other = random.pick(entries)
            let (source, sourceModel) = descend(other, using: &random)
            if other.model.root.all.count > 40 { return "nothing" }
            let position = Int.random(in: 0...model.children.count, using: &random)
            if random.chance(20) {
                let frozen = source.freeze()
                let added = element.insert(frozen, at: position)
                model.insert(sourceModel.copy(waiting: false), at: position)
                return "insert frozen \(added.name) at \(position)"
            }
            let copy = sourceModel.copy()
            let added =
                position == model.children.count ? element.add(source) : element.insert(source, at: position)
            model.insert(copy, at: position)
            return "insert \(added.name) at \(position)"
        case 9, 10:
            let removed = element.remove()
            model.remove()
            if random.chance(50) { entries.append(Entry(element: removed, model: model)) }
            return "remove"
        case 11:
            let other = random.pick(entries)
            if other.model.root.all.count > 40 { return "nothing" }
            let copy = other.model.copy()
            let replacement = element.replace(with: other.element)
            if let parent = model.parent {
                let position = parent.children.firstIndex { $0 === model } ?? 0
                parent.insert(copy, at: position)
                model.remove()
            } else {
                entries.append(Entry(element: replacement, model: copy))
            }
            return "replace"
        case 12:
            let name = random.pick(Self.names)
            element.setName(try XMLName(name))
            model.name = name
            return "rename"
        case 13:
            let namespace = random.pick(Self.namespaces)
            let isInherited = random.chance(30)
            element.setNamespace(isInherited ? .inherited : .uri(namespace))
            model.waits = isInherited
            model.namespace = isInherited ? nil : namespace
            model.inherit()
            for child in model.children { child.inherit() }
            return "set namespace"
        case 14:
            if model.root.all.count > 40 { return "nothing" }
            let (name, text) = (random.pick(Self.names), random.pick(Self.texts))
            let uri = random.chance(50) ? nil : random.pick(Self.namespaces)
            element.addChild(
                try XMLName(name), namespace: uri.map { .uri($0) } ?? .inherited, attributes: ["id": text], text: text)
            let child = ModelElement(name, namespace: uri, waits: uri == nil, in: model.forest)
            child.attributes = [("id", text)]
            child.setText(text)
            model.insert(child, at: model.children.count)
            return "add \(name) in place"
        case 15:
            if random.chance(50) {
                element.removeAllChildren()
                model.removeChildren()
            } else {
                element.removeAllContent()
                model.removeChildren()
                model.setText("")
            }
            return "remove content"
        default:
            let isDeep = random.chance(50)
            let copy = isDeep ? element.copy() : element.shallowCopy(withText: true)
            let modelCopy = model.copy()
            if !isDeep {
                modelCopy.pieces = []
                modelCopy.setText(element.text ?? "")
            }
            entries.append(Entry(element: copy, model: modelCopy))
            return "copy"
        }
    }

    /// Moves down or up a few random steps.
    private func descend(
        _ entry: Entry, using random: inout SeededGenerator
    ) -> (element: MutableElement, model: ModelElement) {
        var element = entry.element
        var model = entry.model
        for _ in 0..<Int.random(in: 0..<5, using: &random) {
            if random.chance(25), let parent = element.parent, let modelParent = model.parent {
                element = parent
                model = modelParent
            } else if !model.children.isEmpty {
                let position = Int.random(in: 0..<model.children.count, using: &random)
                element = element.children[position]
                model = model.children[position]
            }
        }
        return (element, model)
    }
}
