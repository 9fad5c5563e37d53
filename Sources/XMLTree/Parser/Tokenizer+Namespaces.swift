// Resolves the names of a tag by Namespaces in XML 1.0 (third edition). A tag may use a prefix before it declares it,
// so the tokenizer resolves complete tags. Then it adds the element and the attributes to the tree.

extension Tokenizer {
    /// Opens the element of a complete tag. Returns false for a mistake, or a tag beyond a limit.
    @inline(__always)
    mutating func element(_ name: UInt32, declares: Bool, _ view: ByteView, _ start: Int, _ end: Int) -> Bool {
        if depth &- outer >= limits.depth { return exceed(.depth, view, start, end) }
        if assembler.nodeCount >= limits.elements { return exceed(.elements, view, start, end) }
        open.append(
            OpenTag(
                name: name, replaced: UInt32(truncatingIfNeeded: replaced.count),
                start: SourcePosition(line: 0, column: 0, offset: offset(of: start))))
        depth &+= 1
        names.beginTag()
        if declares, !bind(view, start, end) { return false }
        let namespace = names.bindings[Int(names.records[Int(name)].prefix)]
        if namespace == Names.none { return isUnbound(name, at: start &+ 1, view, start, end) }
        guard let (index, key) = names.element(name, in: namespace) else {
            return isClosed(.names, view, start, end)
        }
        assembler.startElement(index, key: key)
        if declares, !declare(inTagOf: name, view, start, end) { return false }
        for number in 0..<attributes.count {
            let attribute = attributes[number]
            let record = names.records[Int(attribute.name)]
            if record.declares != 0 { continue }
            var namespace = Names.noNamespace
            if record.prefix != Names.noPrefix {
                namespace = names.bindings[Int(record.prefix)]
                if namespace == Names.none {
                    return isUnbound(attribute.name, at: Int(attribute.start), view, start, end)
                }
            }
            guard let index = names.attribute(attribute.name, in: namespace) else {
                return isClosed(.names, view, start, end)
            }
            if !names.isNew(index) { return isDuplicate(attribute, view, start, end) }
            let (value, memory) = value(attribute, view)
            assembler.attribute(index, value: value, in: memory)
        }
        assembler.endAttributes()
        return true
    }

    /// Binds the prefixes that the tag declares.
    @inline(never)
    private mutating func bind(_ view: ByteView, _ start: Int, _ end: Int) -> Bool {
        for number in 0..<attributes.count {
            let attribute = attributes[number]
            let declares = names.records[Int(attribute.name)].declares
            if declares == 0 { continue }
            let prefix = declares - 1
            if !names.isNewDeclaration(prefix) { return isDuplicate(attribute, view, start, end) }
            if attribute.count > limits.nameLength { return isClosed(.nameLength, view, start, end) }
            if outerDeclarations + replaced.count >= limits.declarations {
                return isClosed(.declarations, view, start, end)
            }
            let (memory, first) = memory(of: attribute, view)
            let namespace = names.namespace(memory, first, first + Int(attribute.count))
            if let reason = Self.flaw(inBinding: prefix, to: namespace) {
                return isClosed(.namespaceFault(reason), at: Int(attribute.start), view, start, end)
            }
            replaced.append(SIMD2(prefix, names.bindings[Int(prefix)]))
            names.bind(prefix, to: namespace)
        }
        return true
    }

    /// The flaw of a declaration (§3); `nil` for a correct one.
    static func flaw(inBinding prefix: UInt32, to namespace: UInt32) -> String? {
        switch (prefix, namespace) {
        case (Names.xmlnsPrefix, _): "the prefix 'xmlns' must not be declared; remove the declaration"
        case (Names.xmlPrefix, Names.xmlNamespace): nil
        case (Names.xmlPrefix, _): "the prefix 'xml' has a namespace of its own; remove the declaration"
        case (_, Names.xmlNamespace): "only the prefix 'xml' has this namespace; remove the declaration"
        case (_, Names.xmlnsNamespace): "nothing may be bound to this namespace; remove the declaration"
        case (Names.noPrefix, _): nil
        case (_, Names.noNamespace): "a prefix cannot be bound to no namespace; write a namespace, or remove the prefix"
        default: nil
        }
    }

    /// Adds declarations to the tree. The default namespace is part of an element's name without a prefix; in another
    /// element's tag, it is a declaration like others.
    @inline(never)
    private mutating func declare(inTagOf element: UInt32, _ view: ByteView, _ start: Int, _ end: Int) -> Bool {
        let isDefaultInName = names.records[Int(element)].prefix == Names.noPrefix
        for number in 0..<attributes.count {
            let name = attributes[number].name
            let declares = names.records[Int(name)].declares
            if declares == 0 || declares == Names.noPrefix + 1 && isDefaultInName { continue }
            let namespace = names.bindings[Int(declares - 1)]
            guard let index = names.attribute(name, in: namespace, .declaration) else {
                return isClosed(.names, view, start, end)
            }
            assembler.declaration(index)
        }
        return true
    }

    /// Undoes the bindings of elements that have ended.
    @inline(__always)
    mutating func unbind(downTo count: UInt32) {
        while replaced.count > Int(count) {
            let (prefix, namespace) = (replaced[replaced.count &- 1].x, replaced[replaced.count &- 1].y)
            names.bind(prefix, to: namespace)
            replaced.removeLast(downTo: replaced.count &- 1)
        }
    }

    // MARK: Mistakes

    @inline(never)
    private mutating func isUnbound(
        _ name: UInt32, at place: Int, _ view: ByteView, _ start: Int, _ end: Int
    ) -> Bool {
        let prefix = names.bytes(of: name).prefix(Int(names.records[Int(name)].prefixLength))
        return isClosed(.unboundPrefix(String(decoding: prefix, as: UTF8.self)), at: place, view, start, end)
    }

    /// Handles an attribute whose expanded name the tag has before.
    @inline(never)
    private mutating func isDuplicate(_ attribute: Attribute, _ view: ByteView, _ start: Int, _ end: Int) -> Bool {
        let name = names.string(of: attribute.name)
        return isClosed(.duplicateAttribute(name), at: Int(attribute.start), view, start, end)
    }

    /// Handles a limit that the tag of an element exceeds after the element was opened.
    @inline(never)
    private mutating func isClosed(_ limit: XMLParseError.Limit, _ view: ByteView, _ start: Int, _ end: Int) -> Bool {
        close()
        return exceed(limit, view, start, end)
    }

    /// Handles a fault of namespaces in the tag of an element after the element was opened.
    @inline(never)
    private mutating func isClosed(
        _ fault: XMLParseError.Kind, at place: Int, _ view: ByteView, _ start: Int, _ end: Int
    ) -> Bool {
        close()
        return isFault(fault, at: place, view, start, end)
    }

    /// Undoes the opening of an element, of which the tree may have a part.
    private mutating func close() {
        depth -= 1
        unbind(downTo: open[depth].replaced)
        open.removeLast(downTo: depth)
    }
}
