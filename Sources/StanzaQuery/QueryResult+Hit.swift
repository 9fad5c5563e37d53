// Turns the machine's hits into results that own their data.

import FormModel
import QuerySyntax
import XMLTree

extension QueryResult where Node: QueryTarget {
    /// Reads a hit; the tree must not have changed since.
    init(_ hit: Hit, of program: Program, in tree: Node) {
        switch hit {
        case .element(let node): self = .element(tree.element(at: node))
        case .attributes(let node): self = .attributes(tree.allAttributes(of: node))
        case .string(let text, nil): self = .string(String(decoding: text, as: UTF8.self))
        case .text(let node, nil): self = .string(tree.view.textString(of: node))
        case .string(let text, let conversion?): self.init(text, conversion, program)
        case .text(let node, let conversion?):
            self = tree.view.withText(of: node) { QueryResult($0, conversion, program) }
        case .form(let node): self = .form(tree.form(at: node))
        case .field(let place): self = .field(tree._formPlace.field(place))
        }
    }

    /// Converts a text that the machine has found to be convertible.
    private init(_ text: UnsafeBufferPointer<UInt8>, _ conversion: Conversion, _ program: Program) {
        guard let result = conversion.row(Node.self).convert(text, program.isStrict) else {
            preconditionFailure("a hit has a text that converts")
        }
        self = result
    }
}

extension TreePosition {
    /// The attributes and the pseudo-attribute `xmlns` (1.3).
    fileprivate func allAttributes(of node: NodeIndex) -> StringMap {
        let element = element(at: node)
        var entries: [StringMap.Entry] = []
        if let namespace = element.namespace { entries.append(("xmlns", namespace)) }
        for attribute in element.attributes { entries.append((attribute.name, attribute.value)) }
        return StringMap(entries)
    }
}
