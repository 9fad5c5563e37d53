// Random trees over small alphabets, so that names and values meet often: plain elements, text in pieces, prefixes,
// elements without namespace, and data forms. Some names have scalars that join `}` or `:` to one character.

import StanzaQuery
import TestSupport

/// Makes trees.
struct RandomTrees {
    static let names = ["a", "b", "c", "é", "\u{200D}y"]
    static let namespaces = ["u", "v", "w\u{600}", "jabber:x:data"]
    static let attributeNames = [
        "k", "type", "p", "xml:lang", "p:k", "q:k", "q:\u{E31}k", "p\u{600}:k", "{u}k", "{v}type",
    ]
    static let prefixes = ["p": ["u", "v"], "q": ["u", "v"], "p\u{600}": ["u", "v"]]
    static let values = [
        "1", "x", "X", "", "a", "ab", "é", "e\u{301}", "É", "true", "42", " 7", "-3.5e2", "%", "a|b", "ſ", "line\nline",
        "form", "result", "QUI=", "QUJD", "2002-09-10T23:08:25Z", "20020910T23:08:25",
        "01234567-89AB-cdef-0123-456789abcdef", "18446744073709551615", "a.b", "^$", "\u{212A}", "<>&'\"",
    ]
    static let fieldNames = ["FORM_TYPE", "one", "two"]
    static let formTypes = ["urn:f", "urn:g"]

    var random: SeededGenerator

    /// A tree of up to `size` elements.
    mutating func tree(upTo size: Int) throws -> MutableElement {
        let root = try element()
        var elements = [root]
        for _ in 0..<Int.random(in: 0..<size, using: &random) {
            let parent = random.pick(elements)
            if random.chance(20) { parent.addText(random.pick(Self.values)) }
            if random.chance(20) {
                parent.add(try form())
            } else {
                elements.append(parent.add(try element()))
            }
            if random.chance(20) { parent.addText(random.pick(Self.values)) }
        }
        return root
    }

    /// Changes a tree here and there, so that its storage is not in document order any more.
    mutating func edit(_ root: MutableElement) throws {
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            let elements = NaiveTree.elements(of: root)
            let element = random.pick(elements)
            switch Int.random(in: 0..<5, using: &random) {
            case 0 where element !== root: element.remove()
            case 1: element.insert(try self.element(), at: Int.random(in: 0...element.children.count, using: &random))
            case 2: element.text = random.pick(Self.values)
            case 3: element["k"] = random.pick(Self.values)
            default: element.insert(random.pick(elements).copy(), at: 0)
            }
            if elements.count > 60 { return }
        }
    }

    private mutating func element() throws -> MutableElement {
        let namespace: ElementNamespace =
            random.chance(55) ? .inherited : random.chance(15) ? .empty : .uri(random.pick(Self.namespaces))
        let element = MutableElement(try XMLName(random.pick(Self.names)), namespace: namespace)
        if random.chance(8) { element.setName("x") }
        for (prefix, namespaces) in Self.prefixes.sorted(by: { $0.key < $1.key }) where random.chance(25) {
            try element.declarePrefix(prefix, as: random.pick(namespaces))
        }
        for name in Self.attributeNames where random.chance(30) {
            if let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")), name.first != "{",
                element.namespace(forPrefix: String(name[..<colon])) == nil
            {
                continue
            }
            element[XMLName(known: name)] = random.pick(Self.values)
        }
        return element
    }

    // MARK: Forms

    /// A data form, sometimes of the wrong name, with all that XEP-0004 allows and some things that it does not.
    private mutating func form() throws -> MutableElement {
        let namespace = random.chance(92) ? "jabber:x:data" : "u"
        let form = MutableElement("x", namespace: .uri(namespace))
        if random.chance(80) { form["type"] = random.pick(["form", "result", "submit"]) }
        if random.chance(60) { try addField("FORM_TYPE", to: form, values: Self.formTypes) }
        for name in Self.fieldNames where random.chance(40) { try addField(name, to: form, values: Self.values) }
        if random.chance(45) {
            if random.chance(70) { try addFields(to: form.add(MutableElement("reported"))) }
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                try addFields(to: form.add(MutableElement("item")))
            }
        }
        return form
    }

    private mutating func addFields(to parent: MutableElement) throws {
        for name in Self.fieldNames where random.chance(60) {
            try addField(name, to: parent, values: name == "FORM_TYPE" ? Self.formTypes : Self.values)
        }
    }

    private mutating func addField(_ name: String, to parent: MutableElement, values: [String]) throws {
        let field = parent.add(MutableElement("field", namespace: random.chance(95) ? .inherited : "u"))
        if random.chance(95) { field["var"] = name }
        if random.chance(40) { field["type"] = random.pick(["list-single", "text-single"]) }
        if random.chance(40) { field["label"] = random.pick(Self.values) }
        if random.chance(30) { field.add(MutableElement("required")) }
        if random.chance(30) { field.add(MutableElement("desc", text: random.pick(Self.values))) }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let value = field.add(MutableElement("value"))
            value.addText(random.pick(values))
            if random.chance(10) {
                value.add(MutableElement("b"))
                value.addText(random.pick(values))
            }
        }
        for _ in 0..<(random.chance(30) ? 3 : 0) {
            let option = field.add(MutableElement("option"))
            if random.chance(60) { option["label"] = random.pick(Self.values) }
            if random.chance(85) { option.add(MutableElement("value", text: random.pick(Self.values))) }
        }
    }
}
