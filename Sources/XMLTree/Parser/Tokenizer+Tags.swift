// Reads start and end tags. An incomplete tag has no effect: it is read again when it is complete.
//
// Resolves the names of a tag by Namespaces in XML 1.0 (third edition). A tag may use a prefix before it declares it,
// so the tokenizer resolves complete tags. Then it adds the element and the attributes to the tree.

extension Tokenizer {
    /// A start tag before the resolution of its names. Its attributes are in `attributes`.
    struct Tag {
        let name: UInt32
        var isEmpty = false
        /// Not 0 if it declares prefixes or the default namespace.
        let declares: UInt32
        let flaw: TagFlaw?
        /// The index after its '>'.
        let end: Int
    }

    // MARK: Start tags

    /// Reads the start tag at `start`. Returns the index after it; `nil` if it is incomplete, wrong, or beyond a limit.
    @inline(__always)
    mutating func startTag(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        let isOuter = depth <= outer
        if isOuter, !mayBegin(start, end) { return nil }
        guard let tag = lex(view, start, end) else { return nil }
        if isOuter { names.limit = names.writer.count.saturatingAdd(limits.names) }
        if let flaw = tag.flaw {
            _ = isFlawed(flaw, view, start, end)
            return nil
        }
        guard element(tag.name, declares: tag.declares != 0, view, start, end) else { return nil }
        if isOuter, mayRestart {
            let isHeader = isHeader(tag.name)
            if depth == outer, !isComplete {
                if mustBeHeader, !isHeader { return refused(.stanzaAfterDeclaration, at: start) }
                mustBeHeader = false
            } else if isHeader {
                // The tag is read again, as the first one of a stream.
                beginStream()
                return start
            } else if isComplete {
                return refused(.contentAfterEnd, at: start)
            }
        }
        if depth == outer { finishHeader(view.bytes(start, tag.end)) }
        if tag.isEmpty {
            if isPending { endsRoot = true } else { endElement() }
        }
        return tag.end
    }

    /// Reads a start tag. It numbers names as long as the tag has no flaw.
    @inline(__always)
    mutating func lex(_ view: ByteView, _ start: Int, _ end: Int) -> Tag? {
        var p = start &+ 1
        var flaw: TagFlaw?
        let length = Scan.nameLength(view, p)
        guard let tagName = nameNumber(view, p, length, end, &flaw) else { return nil }
        p &+= length
        attributes.removeLast(downTo: 0)
        if decoded.count > 0 { decoded.removeAll(keeping: 1 << 14) }
        var declares: UInt32 = 0
        while true {
            let byte = view[p]
            if byte == .greaterThan { return Tag(name: tagName, declares: declares, flaw: flaw, end: p &+ 1) }
            if byte == UInt8(ascii: "/") {
                if p &+ 1 == end { return nil }
                if view[p &+ 1] == .greaterThan {
                    return Tag(name: tagName, isEmpty: true, declares: declares, flaw: flaw, end: p &+ 2)
                }
                return wrongTag(view, p, end, .attributeOrEnd)
            }
            if !Scan.isSpace(byte) {
                return wrongTag(view, p, end, view[p &- 1].isQuote ? .whiteSpace : .attributeOrEnd)
            }
            p &+= 1
            if Scan.isSpace(view[p]) { p = Scan.skipSpace(view, p) }
            let length = Scan.nameLength(view, p)
            if length == 0, view[p] == .greaterThan || view[p] == UInt8(ascii: "/") { continue }
            // An attribute's name.
            let first = p
            guard let name = nameNumber(view, p, length, end, &flaw) else { return nil }
            p &+= length
            if view[p] != UInt8(ascii: "=") {
                p = Scan.skipSpace(view, p)
                if view[p] != UInt8(ascii: "=") { return wrongTag(view, p, end, .equalsSign) }
            }
            p &+= 1
            if !view[p].isQuote {
                p = Scan.skipSpace(view, p)
                if !view[p].isQuote { return wrongTag(view, p, end, .quotedValue) }
            }
            let quote = view[p]
            p &+= 1
            var value = p
            p = Scan.value(view, p)
            var count = p &- value
            if view[p] != quote {
                guard let slow = slowValue(view, value, p, quote, end) else { return nil }
                (value, count, p) = slow
            }
            p &+= 1
            if attributes.count < limits.attributes {
                attributes.append(
                    Attribute(
                        name: name, start: Int32(truncatingIfNeeded: first), value: Int32(truncatingIfNeeded: value),
                        count: Int32(truncatingIfNeeded: count)))
                if name != Names.none { declares |= names.records[Int(name)].declares }
            } else {
                flaw = flaw ?? .limit(.attributes)
            }
        }
    }

    /// Reads a value with references, white space or more than ASCII. Returns the value and its length as in
    /// `Attribute`, and the index of the closing quote.
    @inline(never)
    private mutating func slowValue(
        _ view: ByteView, _ start: Int, _ place: Int, _ quote: UInt8, _ end: Int
    ) -> (value: Int, count: Int, quote: Int)? {
        var p = place
        // If `isDecoded`, `decoded` holds the value up to this index.
        var copied = start
        let first = decoded.count
        var isDecoded = false
        while view[p] != quote {
            let byte = view[p]
            if byte >= 0x80 {
                p = Scan.passCharacters(view, p, end, upTo: Scan.valueMarks)
                if view[p] >= 0x80 {
                    wrongCharacter(view, p, end)
                    return nil
                }
                continue
            }
            var replacement: Unicode.Scalar = " "
            var behind = p + 1
            switch byte {
            case .lessThan: return refused(.lessThanInTag, at: p)
            case .ampersand:
                switch Scan.reference(view, p, end, maximum: limits.nameLength) {
                case .scalar(let scalar, let place): (replacement, behind) = (scalar, place)
                case .incomplete: return nil
                case .wrong(let kind): return refused(kind, at: p)
                }
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                // The value is in quotes of the other kind.
                p = Scan.value(view, behind)
                continue
            case 0x09, 0x0A: break
            case 0x0D:
                if behind == end { return nil }
                if view[behind] == .lineFeed { behind += 1 }
            default:
                wrongCharacter(view, p, end)
                return nil
            }
            isDecoded = true
            decoded.append(view.bytes(copied, p))
            for byte in UTF8.encode(replacement).unsafelyUnwrapped { decoded.append(byte) }
            copied = behind
            p = Scan.value(view, behind)
        }
        if !isDecoded { return (start, p - start, p) }
        decoded.append(view.bytes(copied, p))
        return (~first, decoded.count - first, p)
    }

    /// The bytes of an attribute's value, and the memory that contains them.
    @inline(__always)
    mutating func value(_ attribute: Attribute, _ view: ByteView) -> (UnsafeBufferPointer<UInt8>, ReadableMemory) {
        let (view, start) = memory(of: attribute, view)
        return (view.bytes(start, start &+ Int(attribute.count)), view.memory)
    }

    /// The view that contains an attribute's value, and the index of the value there.
    @inline(__always)
    mutating func memory(of attribute: Attribute, _ view: ByteView) -> (ByteView, Int) {
        let start = Int(attribute.value)
        return start >= 0 ? (view, start) : (decoded.view, ~start)
    }

    /// The number of the name of `length` bytes at `p`. `nil` if it is incomplete or wrong.
    @inline(__always)
    private mutating func nameNumber(
        _ view: ByteView, _ p: Int, _ length: Int, _ end: Int, _ flaw: inout TagFlaw?
    ) -> UInt32? {
        if p &+ length == end, !isLast || length == 0 { return nil }
        if flaw == nil, length <= limits.nameLength {
            if let number = names.find(view, p, view.block(at: p), length) { return number }
        }
        return otherName(view, p, length, end, &flaw)
    }

    /// The number of a name that is long or wrong, or that a tag with a flaw has. `nil` if it is wrong.
    @inline(never)
    private mutating func otherName(
        _ view: ByteView, _ start: Int, _ length: Int, _ end: Int, _ flaw: inout TagFlaw?
    ) -> UInt32? {
        if let place = Scan.badQualifiedNamePlace(view, start, start + length) {
            if let wrong = Scan.badNamePlace(view, start, start + length, allowsColons: true) {
                return wrongTag(view, wrong, end, .name)
            }
            flaw = flaw ?? .colon(at: Int32(truncatingIfNeeded: place))
        }
        // The limit applies to the declared prefix alone.
        let opening = "xmlns:".utf8
        let isDeclaration = view.bytes(start, start + length).starts(with: opening)
        let isTooLong = length - (isDeclaration ? opening.count : 0) > limits.nameLength
        if isTooLong { flaw = flaw ?? .limit(.nameLength) }
        if flaw != nil { return Names.none }
        return names.find(view, start, view.block(at: start), length)
    }

    // MARK: End tags

    /// Reads the end tag at `start`. Returns the index after it; `nil` if it is incomplete or wrong.
    @inline(__always)
    mutating func endTag(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        // Only a stanza can be skipped, so this tag has a limit of its own.
        if depth <= outer, !limitBytes(from: start) { return nil }
        guard let behind = lexEndTag(view, start, end) else { return nil }
        endElement()
        return behind
    }

    @inline(__always)
    mutating func lexEndTag(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        if depth > 0 {
            let name = Int(open[depth &- 1].name)
            let length = Int(names.records[name].length)
            let (p, behind) = (start &+ 2, start &+ 2 &+ length)
            if behind < end, view[behind] == .greaterThan,
                names.isName(name, view, p, Scan.masked(view.block(at: p), length), length)
            {
                return behind &+ 1
            }
        }
        return lexSlowEndTag(view, start, end)
    }

    @inline(never)
    private mutating func lexSlowEndTag(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        var p = start + 2
        let length = Scan.longNameLength(view, p)
        // A quote is wrong here, and `TagFinder` stops at it: waiting for the name's end would read all of it again for
        // each piece of input.
        if let place = Scan.badNamePlace(view, p, p + length, allowsColons: true) {
            return wrongTag(view, place, end, .name)
        }
        if p + length == end, !isLast { return nil }
        let words = Scan.masked(view.block(at: p), length)
        let closes = depth == 0 ? false : names.isName(Int(open[depth - 1].name), view, p, words, length)
        if isComplete || !closes {
            if p + length == end { return nil }
            return refused(isComplete ? .contentAfterEnd : .mismatchedEndTag, at: start)
        }
        p = Scan.skipSpace(view, p + length)
        return view[p] == .greaterThan ? p + 1 : wrongTag(view, p, end, .endOfEndTag)
    }

    // MARK: Names

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
    private mutating func isUnbound(_ name: UInt32, at place: Int, _ view: ByteView, _ start: Int, _ end: Int) -> Bool {
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
