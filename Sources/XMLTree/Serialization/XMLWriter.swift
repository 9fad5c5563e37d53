// Writes trees as XML: tags, attributes and text. NamespaceScope.swift decides which declarations they need.
//
// It follows the links of the tree and never recurses: trees may be deeper than the stack.

/// Writes one subtree.
struct XMLWriter: ~Copyable {
    private var output: XMLOutput
    private var scope: NamespaceScope
    private let view: TreeView
    private let format: XMLFormat
    /// The prefixes of open elements that are not written with their own, the innermost last.
    private var replacedPrefixes: [(depth: Int, prefix: [UInt8])] = []
    private var depth = 0
    /// The depth of the outermost open element whose content pretty printing must not change.
    private var verbatimDepth: Int?

    /// Deeper elements are not indented further, so that deep trees do not take quadratic space.
    private static let maximumIndentation = 64

    /// The bytes that are collected before they are appended to the output. Most stanzas are shorter.
    private static let pieceLength = 1024

    /// Appends a subtree to `output`. Linear in the written bytes.
    static func write(
        _ reader: ElementReader, to output: inout [UInt8], in context: NamespaceContext, format: XMLFormat
    ) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: pieceLength) { piece in
            // The only reference moves: an append to a shared array would copy all bytes before it.
            var bytes: [UInt8] = []
            swap(&bytes, &output)
            var writer = XMLWriter(
                view: reader.view, context: context, format: format, XMLOutput(after: consume bytes, piece: piece))
            writer.write(from: reader.index)
            output = writer.finish()
        }
    }

    private init(view: TreeView, context: NamespaceContext, format: XMLFormat, _ output: consuming XMLOutput) {
        self.view = view
        self.format = format
        self.output = output
        scope = NamespaceScope(context)
    }

    private consuming func finish() -> [UInt8] { output.finish() }

    private mutating func write(from top: NodeIndex) {
        var walk = TreeWalk(view, from: top)
        while let step = walk.next() {
            switch step {
            case .enter(let node):
                if node != top { breakLine() }
                scope.enter()
                depth += 1
                writeStartTag(node)
            case .leave(let node):
                let isEmpty = view[node].firstChild == .none && view[node].text.isEmpty
                if !isEmpty { writeEndTag(node) }
                if replacedPrefixes.last?.depth == depth { replacedPrefixes.removeLast() }
                if verbatimDepth == depth { verbatimDepth = nil }
                depth -= 1
                scope.leave()
                if node != top { output.append(text: view.string(view[node].tail)) }
            }
        }
    }

    // MARK: Tags

    private mutating func writeStartTag(_ node: NodeIndex) {
        let name = view.name(of: node)
        let records = view.attributeRecords(of: node)
        for record in records where view[record.name].kind == .declaration {
            let declaration = view[record.name]
            if !declaration.isDefaultDeclaration { scope.declare(declaration.qualified, as: declaration.namespace) }
        }
        output.append(UInt8(ascii: "<"))
        let prefix = usablePrefix(of: name)
        appendName(name, replacing: prefix.replacement)
        let hasNoPrefix = prefix.replacement == nil && name.prefixReference.isEmpty
        if hasNoPrefix { declareDefault(name) }
        for record in records where view[record.name].kind == .declaration {
            let declaration = view[record.name]
            if declaration.isDefaultDeclaration {
                // A name without a prefix has decided already.
                if !hasNoPrefix { declareDefault(declaration) }
            } else if scope.isNewlyDeclared(declaration.qualified) {
                appendDeclaration(of: view.nameBytes.string(at: declaration.localReference), as: declaration)
            }
        }
        if prefix.needsDeclaration { appendDeclaration(of: prefix, as: name) }
        let prefixes = declareAttributePrefixes(records)
        for (place, record) in records.enumerated() where view[record.name].kind == .attribute {
            output.append(UInt8(ascii: " "))
            appendName(view[record.name], replacing: prefixes.isEmpty ? nil : prefixes[place])
            appendValue(view.string(record.value))
        }
        if verbatimDepth == nil, format == .pretty, mustStayVerbatim(node) { verbatimDepth = depth }
        if view[node].firstChild == .none, view[node].text.isEmpty {
            output.append("/>")
        } else {
            output.append(UInt8(ascii: ">"))
            output.append(text: view.string(view[node].text))
        }
    }

    private mutating func writeEndTag(_ node: NodeIndex) {
        if view[node].firstChild != .none, verbatimDepth == nil {
            depth -= 1
            breakLine()
            depth += 1
        }
        output.append("</")
        let replaced = replacedPrefixes.last
        appendName(view.name(of: node), replacing: replaced?.depth == depth ? replaced?.prefix : nil)
        output.append(UInt8(ascii: ">"))
    }

    /// Declares the prefixes of the attributes before the first of them. So parsed input is written with its
    /// declarations in the same place. Returns the prefixes that replace those of the records; none if no prefix does.
    private mutating func declareAttributePrefixes(_ records: UnsafeBufferPointer<AttributeRecord>) -> [[UInt8]?] {
        var replaced: [[UInt8]?] = []
        for (place, record) in records.enumerated() {
            let name = view[record.name]
            guard name.kind == .attribute, !name.prefixReference.isEmpty else { continue }
            let prefix = scope.prefix(view.nameBytes.string(at: name.prefixReference), for: name.namespace)
            if prefix.needsDeclaration { appendDeclaration(of: prefix, as: name) }
            if let replacement = prefix.replacement {
                if replaced.isEmpty { replaced = Array(repeating: nil, count: records.count) }
                replaced[place] = replacement
            }
        }
        return replaced
    }

    /// Returns the prefix to write an element with.
    private mutating func usablePrefix(of name: NameRecord) -> NamespaceScope.Prefix {
        if name.prefixReference.isEmpty {
            if name.namespace != .xmlNamespace { return NamespaceScope.Prefix() }
            // The namespace of `xml` cannot be the default one.
            replacedPrefixes.append((depth, Array("xml".utf8)))
            return NamespaceScope.Prefix(replacement: Array("xml".utf8))
        }
        let prefix = scope.prefix(view.nameBytes.string(at: name.prefixReference), for: name.namespace)
        if let replacement = prefix.replacement { replacedPrefixes.append((depth, replacement)) }
        return prefix
    }

    /// Makes the namespace of a name the default one, if it is not.
    private mutating func declareDefault(_ name: NameRecord) {
        if scope.defaultNamespace == name.namespace { return }
        scope.declareDefault(name.namespace)
        output.append(" xmlns")
        appendValue(view.nameBytes.string(at: name.namespaceReference))
    }

    // MARK: Pieces

    private mutating func appendName(_ name: NameRecord, replacing prefix: [UInt8]?) {
        if let prefix {
            output.append(prefix)
            output.append(UInt8(ascii: ":"))
        } else if !name.prefixReference.isEmpty {
            output.append(view.nameBytes.string(at: name.prefixReference))
            output.append(UInt8(ascii: ":"))
        }
        output.append(view.nameBytes.string(at: name.localReference))
    }

    private mutating func appendDeclaration(of prefix: NamespaceScope.Prefix, as name: NameRecord) {
        if let replacement = prefix.replacement {
            replacement.withUnsafeBufferPointer { appendDeclaration(of: $0, as: name) }
        } else {
            appendDeclaration(of: view.nameBytes.string(at: name.prefixReference), as: name)
        }
    }

    private mutating func appendDeclaration(of prefix: UnsafeBufferPointer<UInt8>, as name: NameRecord) {
        output.append(" xmlns:")
        output.append(prefix)
        appendValue(view.nameBytes.string(at: name.namespaceReference))
    }

    private mutating func appendValue(_ value: UnsafeBufferPointer<UInt8>) {
        output.append("='")
        output.append(value: value)
        output.append(UInt8(ascii: "'"))
    }

    // MARK: Layout

    private mutating func breakLine() {
        guard format == .pretty, verbatimDepth == nil else { return }
        output.append(UInt8(ascii: "\n"))
        for _ in 0..<min(depth, Self.maximumIndentation) { output.append("  ") }
    }

    /// Whether white space inside an element would change its meaning.
    private func mustStayVerbatim(_ node: NodeIndex) -> Bool {
        let key = NameKey.xmlNamespace + NameKey(.local, "space")
        if let value = view.attribute(expanded: key, of: node), view.string(value).equals("preserve") { return true }
        return view.hasText(node)
    }
}

/// The layout of serialized XML.
public enum XMLFormat: Sendable, Hashable {
    /// Exactly the tree, so that parsing returns the same tree.
    case compact
    /// Each element on its own line, indented by two spaces. The content of elements with text or
    /// `xml:space='preserve'` is unchanged.
    case pretty
}
