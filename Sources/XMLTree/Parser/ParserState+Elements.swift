// What the parser does with libxml2's start and end tags: it builds trees, within the limits.
//
// These are called while libxml2 runs, so they only record: whoever fails or stops sets `stop`, and everything that
// libxml2 still reports is ignored.

extension ParserState {
    mutating func startElement(_ name: InternedName, declarations: TagDeclarations, attributes: TagAttributes) {
        // At the input's end libxml2 makes do with half a tag.
        guard stop == nil, !isEnding, let context else { return }
        if depth <= level, beginsSyntheticRoot(context) { return }
        let count = declarations.count + attributes.count
        if count > limits.attributes { return exceed(.attributes, limits.attributes) }
        if depth - level >= limits.depth { return exceed(.depth, limits.depth) }
        if context.declarationCount > limits.declarations { return exceed(.declarations, limits.declarations) }
        if assembler.nodeCount >= limits.elements { return exceed(.elements, limits.elements) }

        guard let index = index(of: name) else { return }
        assembler.startElement(index, key: names.key(of: index), attributes: count)
        for number in 0..<declarations.count {
            let declaration = declarations[number]
            // The default namespace is part of the names that it applies to.
            if declaration.local == nil && declaration.namespace == name.namespace { continue }
            guard let index = self.index(of: declaration) else { return }
            if declaration.local != nil { assembler.declaration(index) }
        }
        let input = context.input
        for number in 0..<attributes.count {
            guard let index = self.index(of: attributes.name(number)) else { return }
            assembler.attribute(index, value: attributes.value(number), in: input)
        }
        assembler.endAttributes()
        depth += 1
        if depth == level { finishHeader(name, declarations) }
    }

    /// A start tag outside of trees: the synthetic root, which is none, or the beginning of a tree.
    @inline(never)
    private mutating func beginsSyntheticRoot(_ context: LibXML2Context) -> Bool {
        if awaitsSyntheticRoot {
            awaitsSyntheticRoot = false
            dictionarySize = context.dictionarySize
            depth += 1
            return true
        }
        treeStart = SourcePosition(line: 0, column: 0, offset: tagStart(context))
        if level > 0 { namesBeforeTree = nameCount }
        return false
    }

    mutating func endElement() {
        guard stop == nil, !isEnding else { return }
        depth -= 1
        if depth > level { return assembler.endElement() }
        endTreeOrRoot()
    }

    private mutating func endTreeOrRoot() {
        guard let context else { return }
        let end = context.offset
        if depth < level { return endRoot(end) }
        if level == 0 { return endDocument(end) }
        endTree()
        levelEnd = end
        renewIfNeeded(at: end)
    }

    /// What follows a document's root is read in another context, behind a synthetic root: so that libxml2 sees nothing
    /// of it that is not held back.
    private mutating func endDocument(_ end: Int) {
        // The synthetic root has no tree.
        if isComplete { return }
        endTree()
        levelEnd = end
        isComplete = true
        syntheticRoot = SyntheticRoot.beforeEpilog
        stop(.renewal, at: end)
    }

    private mutating func endRoot(_ end: Int) {
        switch mode {
        case .stream, .document:
            isComplete = true
            levelEnd = end
            finishPending()
            queue.append(.streamEnd)
        case .fragments:
            // It closes the synthetic root, which nobody opened.
            fail(.mismatchedEndTag, at: position(before: end, of: .lessThan))
        }
    }

    /// The start tag of a stream's root is an event of its own.
    private mutating func finishHeader(_ name: InternedName, _ declarations: TagDeclarations) {
        guard let context else { return }
        // Behind the '>' that libxml2 reads next.
        let end = context.offset + 1

        var bindings = NamespaceContext()
        for index in 0..<declarations.count {
            let declaration = declarations[index]
            let namespace = String(decoding: UnsafeBufferPointer.terminated(declaration.namespace), as: UTF8.self)
            if let prefix = declaration.local {
                bindings.prefixes[String(decoding: prefix.terminated, as: UTF8.self)] = namespace
            } else if !namespace.isEmpty {
                bindings.defaultNamespace = namespace
            }
        }
        let local = String(decoding: UnsafeBufferPointer.terminated(name.local), as: UTF8.self)
        let prefix = name.prefix.map { String(decoding: $0.terminated, as: UTF8.self) + ":" } ?? ""
        syntheticRoot = SyntheticRoot.bytes(name: prefix + local, binding: bindings)
        surroundings = SharedNamespaceContext(bindings)

        let start = startOfTree
        let header = XMLStreamParser.StreamHeader(element: packHeader(), namespaces: bindings, position: start)
        queue.append(.streamStart(header))
        levelEnd = end
    }

    /// The element whose start tag is being read goes beyond a limit.
    @inline(never)
    mutating func exceed(_ limit: XMLParseError.Limit, _ maximum: Int) {
        guard let context else { return }
        if let excess = excessOfTag() { return fail(excess) }
        fail(.limit(limit, maximum: maximum), at: position(before: context.offset, of: .lessThan))
    }
}
