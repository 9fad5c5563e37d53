// Fuzzes serialize ∘ parse: a parsed tree is written and read again as the same tree, also after edits.
//
// Input: the context to read in, the context to write in (one byte each), a line of edits, then the XML.

import XMLTree

func fuzzSerializer(_ input: FuzzInput) {
    var input = input
    let source = input.pick(contexts)
    let target = input.pick(contexts)
    let edits = input.line()
    guard let element = try? Element(parsing: input.rest(), in: source) else { return }
    checkRoundTrip(of: element, in: source)
    checkRoundTrip(of: element, in: target)
    let copy = element.copy()
    require(copy == element && copy.xmlBytes() == element.xmlBytes(), "a copy differs")

    let editable = element.thaw()
    require(editable.freeze() == element, "thawing changes the tree")
    require(editable.xmlBytes(in: target) == element.xmlBytes(in: target), "an editable tree is written differently")
    edits.withUnsafeBufferPointer { edits in
        var editor = Editor(root: editable, original: element, input: FuzzInput(edits.baseAddress, edits.count))
        editor.run()
    }
    let frozen = editable.freeze()
    require(editable.xmlBytes() == frozen.xmlBytes(), "freezing changes how the tree is written")
    require(editable.copy() == editable, "a copy of an editable tree differs")
    checkRoundTrip(of: frozen, in: target)
    for child in element.children { checkRoundTrip(of: child.copy(), in: source) }
    require(element == copy, "editing touched a frozen tree")
}

private let contexts: [NamespaceContext] = [
    .empty, .clientStream, NamespaceContext(defaultNamespace: "u", prefixes: ["p": "u", "ns1": "v", "q": "w"]),
    NamespaceContext(prefixes: ["stream": "u", "ns1": XMLNamespace.stream]),
]

/// Written trees grow by references and declarations; no limit is meant to be met here.
private let wide = ParserLimits(
    bytes: 1 << 26, depth: 1 << 20, attributes: 1 << 12, nameLength: 1 << 16, names: 1 << 20, declarations: 1 << 20)

private func checkRoundTrip(of element: Element, in context: NamespaceContext) {
    let xml = element.xmlBytes(in: context)
    guard let parsed = read(xml, in: context) else { return }
    require(parsed == element, "reads back as another tree: \(String(decoding: xml, as: UTF8.self))")
    require(element == parsed && parsed.hashValue == element.hashValue, "equality or hashing has two minds")
    require(parsed.xmlBytes(in: context) == xml, "is written differently the second time")
    let pretty = element.xmlBytes(in: context, format: .pretty)
    let again = read(pretty, in: context)?.xmlBytes(in: context, format: .pretty)
    require(again == pretty, "pretty printing does not settle: \(String(decoding: pretty, as: UTF8.self))")
}

private func read(_ xml: [UInt8], in context: NamespaceContext) -> Element? {
    do {
        return try Element(parsing: xml, in: context, limits: wide)
    } catch {
        require(false, "cannot be read back: \(error) in \(String(decoding: xml, as: UTF8.self))")
        return nil
    }
}
