// Writes trees as XML: tags, attributes and text. NamespaceScope.swift decides which declarations they need.
//
// It follows the links of the tree and never recurses: trees may be deeper than the stack.

/// Writes one subtree.
struct XMLWriter {
    private var output: [UInt8]
    private var scope: NamespaceScope
    private let view: TreeView
    private let format: XMLFormat
    /// The prefixes of elements that are not written with their own.
    private var replacedPrefixes: [NodeIndex: [UInt8]] = [:]
    private var depth = 0
    /// The depth of the outermost open element whose content pretty printing must not change.
    private var verbatimDepth: Int?

    /// Deeper elements are not indented further, so that deep trees do not take quadratic space.
    private static let maximumIndentation = 64

    /// Appends a subtree to `output`. Linear in the written bytes.
    static func write(
        _ reader: ElementReader, to output: inout [UInt8], in context: NamespaceContext, format: XMLFormat
    ) {
        var writer = XMLWriter(view: reader.view, context: context, format: format)
        swap(&writer.output, &output)
        writer.write(from: reader.index)
        swap(&writer.output, &output)
    }

    private init(view: TreeView, context: NamespaceContext, format: XMLFormat) {
        self.view = view
        self.format = format
        output = []
        scope = NamespaceScope(context)
    }

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
                if verbatimDepth == depth { verbatimDepth = nil }
                depth -= 1
                scope.leave()
                if node != top { output.append(escaped: view.string(view[node].tail), inAttribute: false) }
            }
        }
    }

    // MARK: Tags

    private mutating func writeStartTag(_ node: NodeIndex) {
        let name = view.name(of: node)
        let records = view.attributeRecords(of: node)
        for record in records where view[record.name].kind == .declaration {
            scope.declare(view[record.name].qualified, as: view[record.name].namespace)
        }
        output.append(UInt8(ascii: "<"))
        let prefix = usablePrefix(of: name, in: node)
        appendName(name, prefix: prefix.text)
        if prefix.isDefault, scope.defaultNamespace != name.namespace {
            scope.declareDefault(name.namespace)
            appendDeclaration(of: [], as: name)
        }
        for record in records {
            let declaration = view[record.name]
            if declaration.kind == .declaration, scope.isNewlyDeclared(declaration.qualified) {
                appendDeclaration(of: Array(view.nameBytes.string(at: declaration.localReference)), as: declaration)
            }
        }
        if prefix.needsDeclaration { appendDeclaration(of: prefix.text, as: name) }
        let prefixes = declareAttributePrefixes(records)
        for record in records where view[record.name].kind == .attribute {
            let name = view[record.name]
            output.append(UInt8(ascii: " "))
            appendName(name, prefix: prefixes.isEmpty ? [] : prefixes[name.expanded] ?? [])
            appendValue(view.string(record.value))
        }
        if verbatimDepth == nil, format == .pretty, mustStayVerbatim(node) { verbatimDepth = depth }
        if view[node].firstChild == .none, view[node].text.isEmpty {
            output.append(contentsOf: "/>".utf8)
        } else {
            output.append(UInt8(ascii: ">"))
            output.append(escaped: view.string(view[node].text), inAttribute: false)
        }
    }

    private mutating func writeEndTag(_ node: NodeIndex) {
        if view[node].firstChild != .none, verbatimDepth == nil {
            depth -= 1
            breakLine()
            depth += 1
        }
        output.append(contentsOf: "</".utf8)
        let name = view.name(of: node)
        let replaced = replacedPrefixes.isEmpty ? nil : replacedPrefixes.removeValue(forKey: node)
        appendName(name, prefix: replaced ?? Array(view.nameBytes.string(at: name.prefixReference)))
        output.append(UInt8(ascii: ">"))
    }

    /// Declares the prefixes of the attributes before the first of them. So parsed input is written with its
    /// declarations in the same place. Returns the prefixes by the keys of the attributes' expanded names.
    private mutating func declareAttributePrefixes(
        _ records: UnsafeBufferPointer<AttributeRecord>
    ) -> [NameKey: [UInt8]] {
        var prefixes: [NameKey: [UInt8]] = [:]
        for record in records {
            let name = view[record.name]
            guard name.kind == .attribute, !name.prefixReference.isEmpty else { continue }
            let prefix = scope.prefix(view.nameBytes.string(at: name.prefixReference), for: name.namespace)
            if prefix.needsDeclaration { appendDeclaration(of: prefix.text, as: name) }
            prefixes[name.expanded] = prefix.text
        }
        return prefixes
    }

    /// Returns the prefix to write an element with.
    private mutating func usablePrefix(of name: NameRecord, in node: NodeIndex) -> NamespaceScope.Prefix {
        let written = view.nameBytes.string(at: name.prefixReference)
        if written.isEmpty {
            guard name.namespace == .xmlNamespace else {
                return NamespaceScope.Prefix(text: [], needsDeclaration: false)
            }
            // The namespace of `xml` cannot be the default one.
            replacedPrefixes[node] = Array("xml".utf8)
            return NamespaceScope.Prefix(text: Array("xml".utf8), needsDeclaration: false)
        }
        let prefix = scope.prefix(written, for: name.namespace)
        if !written.elementsEqual(prefix.text) { replacedPrefixes[node] = prefix.text }
        return prefix
    }

    // MARK: Pieces

    private mutating func appendName(_ name: NameRecord, prefix: [UInt8]) {
        if !prefix.isEmpty {
            output.append(contentsOf: prefix)
            output.append(UInt8(ascii: ":"))
        }
        output.append(contentsOf: view.nameBytes.string(at: name.localReference))
    }

    private mutating func appendDeclaration(of prefix: [UInt8], as name: NameRecord) {
        output.append(contentsOf: " xmlns".utf8)
        if !prefix.isEmpty {
            output.append(UInt8(ascii: ":"))
            output.append(contentsOf: prefix)
        }
        appendValue(view.nameBytes.string(at: name.namespaceReference))
    }

    private mutating func appendValue(_ value: UnsafeBufferPointer<UInt8>) {
        output.append(contentsOf: "='".utf8)
        output.append(escaped: value, inAttribute: true)
        output.append(UInt8(ascii: "'"))
    }

    // MARK: Layout

    private mutating func breakLine() {
        guard format == .pretty, verbatimDepth == nil else { return }
        output.append(UInt8(ascii: "\n"))
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * min(depth, Self.maximumIndentation)))
    }

    /// Whether white space inside an element would change its meaning.
    private func mustStayVerbatim(_ node: NodeIndex) -> Bool {
        let key = NameKey.xmlNamespace + NameKey(.local, "space")
        if let value = view.attribute(expanded: key, of: node), view.string(value).equals("preserve") { return true }
        return view.hasText(node)
    }
}
