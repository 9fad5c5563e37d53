// What the parser does with libxml2's events: builds trees, and refuses what the mode or a limit forbids.
//
// These are called while libxml2 runs, so they only record: whoever fails or stops sets `stop`, and everything that
// libxml2 still reports is ignored.

extension ParserState {
    // MARK: Elements

    mutating func startElement(_ name: InternedName, declarations: TagDeclarations, attributes: TagAttributes) {
        // At the input's end libxml2 makes do with half a tag.
        guard stop == nil, !isEnding, let context else { return }
        if depth <= level {
            if awaitsSyntheticRoot {
                awaitsSyntheticRoot = false
                dictionarySize = context.dictionarySize
                depth += 1
                return
            }
            treeStart = tagStart(context)
            mark = treeStart
            if level > 0 { namesBeforeTree = nameCount }
        }
        let count = declarations.count + attributes.count
        if count > limits.attributes { return exceed(.attributes, limits.attributes) }
        if depth - level >= limits.depth { return exceed(.depth, limits.depth) }
        if context.declarationCount > limits.declarations { return exceed(.declarations, limits.declarations) }

        guard let entry = entry(of: name) else { return }
        assembler.startElement(entry.pointee.index, key: entry.pointee.key)
        for index in 0..<declarations.count {
            let declaration = declarations[index]
            guard let entry = self.entry(of: declaration) else { return }
            // The default namespace is part of the names that it applies to.
            if declaration.local != nil { assembler.declaration(entry.pointee.index) }
        }
        for index in 0..<attributes.count {
            guard let entry = self.entry(of: attributes.name(index)) else { return }
            assembler.attribute(entry.pointee.index, value: attributes.value(index))
        }
        depth += 1
        if depth == level { finishHeader(name, declarations) }
    }

    mutating func endElement() {
        guard stop == nil, !isEnding, let context else { return }
        depth -= 1
        if depth > level { return assembler.endElement() }
        let end = context.offset
        if depth < level { return endRoot(end) }
        assembler.endElement()
        if end - treeStart.offset > limits.effectiveBytes {
            return exceedBytes(from: treeStart)
        }
        let tree = assembler.finish(names: names.table, context: surroundings)
        queue.append(.element(Element(tree: tree, index: .root), treeStart))
        levelEnd = end
        if level == 0 {
            isComplete = true
        } else {
            renewIfNeeded(at: end)
        }
    }

    /// Ends this context if it has taken up much. It is between two trees.
    @inline(__always)
    private mutating func renewIfNeeded(at offset: Int) {
        if nameCount > renewal.names || offset - contextStart > renewal.bytes { stop(.renewal, at: offset) }
    }

    private mutating func endRoot(_ end: Int) {
        switch mode {
        case .stream, .document:
            isComplete = true
            levelEnd = end
            queue.append(.streamEnd)
        case .fragments:
            // It closes the synthetic root, which nobody opened.
            fail(.mismatchedEndTag, at: position(before: end, of: .lessThan))
        }
    }

    /// The start tag of a stream's root is an event of its own.
    private mutating func finishHeader(_ name: InternedName, _ declarations: TagDeclarations) {
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

        assembler.endElement()
        let tree = assembler.finish(names: names.table, context: surroundings)
        let header = XMLStreamParser.StreamHeader(
            element: Element(tree: tree, index: .root), namespaces: bindings, position: treeStart)
        queue.append(.streamStart(header))
        // Behind the '>' that libxml2 reads next.
        levelEnd = (context?.offset ?? fedEnd) + 1
    }

    // MARK: Names

    /// The number of distinct names that this context has met.
    private var nameCount: Int { cache.count + otherNames }

    /// Counts what libxml2 has taken up since names were counted last, and refuses too many in a tree or document.
    /// libxml2 is behind the markup that brought them; its `opening` stands at least `length` bytes before.
    private mutating func countOtherNames(beginningWith opening: StaticString, before length: Int = 0) {
        guard stop == nil, let context else { return }
        let size = context.dictionarySize
        otherNames += size - dictionarySize
        dictionarySize = size
        if (level == 0 || depth > level) && nameCount - namesBeforeTree > limits.names {
            let start = position(before: context.offset - length, of: opening)
            fail(.limit(.names, maximum: limits.names), at: start)
        }
    }

    @inline(__always)
    private mutating func entry(of name: InternedName) -> UnsafePointer<NameCache.Entry>? {
        cache.find(name) ?? intern(name)
    }

    /// Takes up a name that was not met before; `nil` when a limit forbids it.
    @inline(never)
    private mutating func intern(_ name: InternedName) -> UnsafePointer<NameCache.Entry>? {
        let local = UnsafeBufferPointer.terminated(name.local)
        let prefix = UnsafeBufferPointer.terminated(name.prefix)
        let namespace = UnsafeBufferPointer.terminated(name.namespace)
        let length = local.count + (prefix.isEmpty ? 0 : prefix.count + 1)
        if length > limits.nameLength || namespace.count > limits.nameLength {
            exceed(.nameLength, limits.nameLength)
            return nil
        }
        if nameCount - namesBeforeTree >= limits.names {
            exceed(.names, limits.names)
            return nil
        }
        // libxml2 has taken up all names of this tag.
        dictionarySize = context?.dictionarySize ?? 0
        if name.kind == .declaration && name.local == nil {
            return cache.insert(NameCache.Entry(name, index: NameIndex(rawValue: 0), key: .noNamespace))
        }
        let index = names.intern(name.kind, prefix: prefix, local: local, namespace: namespace)
        let key = names.table.records[Int(index.rawValue)].expanded
        return cache.insert(NameCache.Entry(name, index: index, key: key))
    }

    // MARK: Text and other markup

    mutating func text(_ run: UnsafeBufferPointer<UInt8>) {
        guard stop == nil else { return }
        if depth > level { return assembler.text(run) }
        if !run.allSatisfy(\.isXMLSpace) { refuseText() }
    }

    /// The content of a CDATA section, or a part of it.
    mutating func characterData(_ run: UnsafeBufferPointer<UInt8>) {
        guard stop == nil else { return }
        if depth > level { return assembler.text(run) }
        refuseText()
    }

    /// Fails at the text between trees that libxml2 has begun to read.
    mutating func refuseText() {
        guard stop == nil, let context else { return }
        fail(.textBetweenElements, at: position(of: gapEnd(context)))
    }

    /// Where the start tag between trees begins that libxml2 has just read.
    private func tagStart(_ context: LibXML2Context) -> SourcePosition {
        let gapEnd = gapEnd(context)
        if level > 0, context.bytes(from: gapEnd).first == .lessThan { return position(of: gapEnd) }
        // A document type may stand before a document's root, and white space may be written as a reference. No '<'
        // stands inside a start tag, so the last one is its beginning.
        return position(before: context.offset, of: .lessThan)
    }

    /// The offset of the first byte behind the last tree, header or comment that is not white space.
    private func gapEnd(_ context: LibXML2Context) -> Int {
        let start = max(levelEnd, mark.offset)
        let bytes = context.bytes(from: start)
        var blank = 0
        while blank < bytes.count, bytes[blank].isXMLSpace { blank += 1 }
        return start + blank
    }

    mutating func comment() {
        refuseInStream(.comment, beginningWith: "<!--", before: 0)
        passBetweenTrees()
    }

    mutating func processingInstruction(dataLength: Int) {
        refuseInStream(.processingInstruction, beginningWith: "<?", before: dataLength + 2)
        countOtherNames(beginningWith: "<?", before: dataLength + 2)
        passBetweenTrees()
    }

    mutating func documentType() {
        refuseInStream(.documentType, beginningWith: "<!DOCTYPE", before: 0)
        countOtherNames(beginningWith: "<!DOCTYPE")
        passBetweenTrees()
    }

    /// A declaration in a document type, or a reference to one.
    mutating func declaration() {
        countOtherNames(beginningWith: "<!")
    }

    /// A declaration that would change how attributes are read.
    mutating func refuseAttributeDeclaration(_ markup: XMLParseError.Markup) {
        guard stop == nil, let context else { return }
        fail(.restricted(markup), at: position(of: context.offset))
    }

    /// Fails if the mode forbids this. libxml2 is behind it; `opening` stands at least `length` bytes before.
    private mutating func refuseInStream(
        _ markup: XMLParseError.Markup, beginningWith opening: StaticString, before length: Int
    ) {
        guard stop == nil, let context else { return }
        if mode == .stream {
            fail(.restricted(markup), at: position(before: context.offset - length, of: opening))
        }
    }

    /// libxml2 is behind markup that says nothing.
    private mutating func passBetweenTrees() {
        guard stop == nil, depth <= level, let context else { return }
        levelEnd = context.offset
        if level > 0 { renewIfNeeded(at: levelEnd) }
    }

    /// The XML declaration is read, or there is none.
    mutating func declarationEnded() {
        isDeclarationOver = true
        guard stop == nil, let context else { return }
        // Its own names libxml2 takes up with the beginning.
        dictionarySize = context.dictionarySize
        guard syntheticRoot == nil else { return }
        levelEnd = context.offset
        let declaration = context.bytes(from: contextStart, to: context.offset)
        if let encoding = XMLDeclaration.foreignEncoding(in: declaration) {
            fail(.unsupportedEncoding(encoding.name), at: position(of: contextStart + encoding.offset))
        }
    }

    // MARK: Errors

    /// libxml2 found an error.
    mutating func refuse(_ failure: LibXML2Failure) {
        guard stop == nil, let context else { return }
        if awaitsSyntheticRoot { return fail(.invalidContext, at: mark) }
        if failure.isMisplacedDeclaration, depth == level, case .fragments = mode { return skipDeclaration() }
        if isEnding && !isComplete {
            // Whether the document may end here is for `checkEnd` to say.
            if failure.isMissingEnd { return }
            if failure.isUnfinished || context.offset >= fedEnd { return failAtEnd() }
        }
        let here = position(of: context.offset)
        if failure.isInTag && context.pending.first == .lessThan { return fail(.lessThanInTag, here: here) }
        if context.pending.starts(with: "<!DOCTYPE".utf8) { return fail(.restricted(.documentType), at: here) }
        let (kind, anchor) = failure.diagnosis
        switch anchor {
        case .here: fail(kind, here: here)
        case .back(let byte): fail(kind, at: position(before: context.offset, of: byte))
        }
    }

    /// Fails where the next fragment may begin, if a line begins there.
    mutating func fail(_ kind: XMLParseError.Kind, here: SourcePosition) {
        let isLineStart = here.column == 1 && here.offset > mark.offset
        fail(kind, at: here, goingOnAt: isLineStart ? here.offset - 1 : here.offset)
    }

    /// An XML declaration between fragments: the next fragment begins behind it, in a new context, because libxml2
    /// says nothing more in this one.
    private mutating func skipDeclaration() {
        guard let context else { return }
        let end = context.offset
        let start = position(before: end, of: .lessThan)
        let rest = context.pending
        var length = 0
        while length + 1 < rest.count, rest[length] != UInt8(ascii: "?") || rest[length + 1] != .greaterThan {
            length += 1
        }
        // At the input's end libxml2 does not wait for the declaration's.
        if length + 1 >= rest.count { return failAtEnd() }
        let declaration = context.bytes(from: start.offset, to: end + length)
        if let encoding = XMLDeclaration.foreignEncoding(in: declaration) {
            return fail(.unsupportedEncoding(encoding.name), at: position(of: start.offset + encoding.offset))
        }
        levelEnd = end + length + 2
        stop(.renewal, at: levelEnd)
    }

    /// The input ends where it must not. All that was fed belongs to what is incomplete.
    mutating func failAtEnd() {
        fail(.unexpectedEnd, at: position(of: fedEnd), goingOnAt: fedEnd)
    }

    /// What begins at `start` is too long. Fragments go on behind the bytes that the limit allows, however many more
    /// libxml2 was given.
    mutating func exceedBytes(from start: SourcePosition) {
        fail(.limit(.bytes, maximum: limits.bytes), at: start, goingOnAt: start.offset + limits.effectiveBytes)
    }

    /// The element whose start tag is being read goes beyond a limit.
    private mutating func exceed(_ limit: XMLParseError.Limit, _ maximum: Int) {
        guard let context else { return }
        fail(.limit(limit, maximum: maximum), at: position(before: context.offset, of: .lessThan))
    }

    // MARK: Places

    /// The position of the last `byte` before `offset`.
    private func position(before offset: Int, of byte: UInt8) -> SourcePosition {
        guard let context else { return mark }
        let bytes = context.bytes(from: mark.offset, to: offset)
        var index = bytes.count - 1
        while index >= 0, bytes[index] != byte { index -= 1 }
        return mark.advanced(over: UnsafeBufferPointer(rebasing: bytes[..<(index < 0 ? bytes.count : index)]))
    }

    /// The position of the last occurrence of `opening` before `offset`.
    private func position(before offset: Int, of opening: StaticString) -> SourcePosition {
        guard let context else { return mark }
        let bytes = context.bytes(from: mark.offset, to: offset)
        let opening = UnsafeBufferPointer(start: opening.utf8Start, count: opening.utf8CodeUnitCount)
        var start = bytes.count - opening.count
        while start > 0, !bytes[start...].starts(with: opening) { start -= 1 }
        return mark.advanced(over: UnsafeBufferPointer(rebasing: bytes[..<max(start, 0)]))
    }
}
