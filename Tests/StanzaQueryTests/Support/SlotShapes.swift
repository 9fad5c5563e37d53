// Every kind of place that a slot can have, and a tree that reveals a value that the parser reads as a part of the
// query.

import QuerySyntax

@testable import StanzaQuery

/// A query with slots: its pieces, with one slot between any two.
struct SlotShape: CustomStringConvertible {
    let pieces: [String]

    /// - Parameter marked: Has `•` for each slot.
    init(_ marked: String) {
        pieces = marked.split(separator: "•", omittingEmptySubsequences: false).map(String.init)
    }

    var slotCount: Int { pieces.count - 1 }

    var description: String { pieces.joined(separator: "•") }

    var text: QueryText {
        var text = QueryText(pieces[0])
        for piece in pieces.dropFirst() {
            text.appendSlot()
            text.append(piece)
        }
        return text
    }

    /// The form that the compiler makes of such a literal.
    func literal(_ values: [String]) -> QueryLiteral {
        var interpolation = QueryLiteral.StringInterpolation(
            literalCapacity: 0, interpolationCount: values.count)
        interpolation.append(text: pieces[0])
        for (value, piece) in zip(values, pieces.dropFirst()) {
            interpolation.appendInterpolation(value)
            interpolation.append(text: piece)
        }
        return QueryLiteral(stringInterpolation: interpolation)
    }

    static let all = [
        // Values of filters, whole and in parts.
        "item<k=•>@i", "item<k=a•b>@i", "item<k=••>@i", "/<k=•>", "item<{urn:a}k=•>@i", "item<p:k=•>@i",
        "*<i~.><k=•>/..",
        "item<xmlns=•>@i",
        // Namespaces.
        "{•}item@i", "{•}", "{•}*@i", "{•}!item@i", "/{•}#", "@{•}k", "item<{•}k=x>@i", "item<{•}k~^.*$>@i",
        "item@{•}k",
        // Names of elements.
        "•@i", "!•@i", "{*}•", "/•", "/!•", "{urn:a}•@i", "{•}•@i", "{•}!•@i", "•/../@i", "•#", "item/•$", "*/{*}•/..",
        // Names of attributes.
        "item@•", "@•", "item@•|int", "item<•=x>@i", "item<•~^.*$>@i", "item<•~x>@i", "item<{•}•=•>@i", "item@{urn:a}•",
        "/<•=•>", "@{•}•", "item<k=•><i=•>@i",
        // Names of form fields.
        "\\@•\\", "\\&•\\", "\\[0]@•\\", "\\{T}form@•\\|int", "\\@•\\|bool",
        "{•}x\\@•\\",
    ].map { SlotShape($0) }
}

/// A tree that has a value wherever a slot can look, as far as XML permits, among decoys.
func treeForSlots(holding value: String) throws -> MutableElement {
    let root = try Element(
        parsing: """
            <r xmlns='urn:r' xmlns:p='urn:a' k='x' i='0' xml:lang='en'>
                <item p:k='x' k='y' i='1'/><p:item k='x' i='2'>t</p:item><none xmlns='' k='x' i='3'/>
                <x xmlns='jabber:x:data' type='form'><field var='FORM_TYPE'><value>T</value></field>
                <field var='f'><value>1</value></field></x>
            </r>
            """, in: .clientStream
    ).thaw()
    root.set("k", to: value)
    /// Adds an element unless XML does not permit it; without the attributes that XML does not permit.
    func add(_ name: String, in namespace: ElementNamespace, _ attributes: (String, String)..., number: Int) throws {
        if case .uri(let uri) = namespace, (try? XMLTreeError.check(text: uri)) == nil { return }
        guard let name = try? XMLName(name) else { return }
        let element = MutableElement(name, namespace: namespace)
        for (name, value) in attributes { element.set(name, to: value) }
        element["i"] = String(number)
        element.addText(String(number))
        root.add(element)
    }
    try add("item", in: .inherited, ("k", value), number: 4)
    try add("item", in: .inherited, ("k", "a\(value)b"), number: 5)
    try add("item", in: .inherited, ("k", value + value), number: 6)
    try add("item", in: .uri(value), ("k", "x"), number: 7)
    try add(value, in: .inherited, ("k", "x"), number: 8)
    try add("item", in: .inherited, (value, "x"), number: 9)
    try add("item", in: .inherited, ("k", "x"), number: 10)
    try add("item", in: .uri("urn:a"), ("k", "y"), ("{urn:a}k", value), (value, value), number: 11)
    if let form = root.child("x", namespace: "jabber:x:data") {
        let field = form.add(MutableElement("field"))
        field.set("var", to: value)
        field.add(MutableElement("value", text: "7"))
    }
    return root
}

extension MutableElement {
    /// Sets an attribute, if XML permits its name and its value.
    fileprivate func set(_ name: String, to value: String) {
        if let name = try? XMLName(name), (try? XMLTreeError.check(text: value)) != nil { self[name] = value }
    }
}
