// What is checked when libxml2 has gone as far as it can: the input that it keeps waiting, and the input's end.

extension ParserState {
    /// Where the bytes begin that count for the limit: the tree's beginning, or that of what may become one.
    private var countedFrom: Int {
        if level == 0 { return 0 }
        return depth > level ? treeStart.offset : context?.offset ?? fedEnd
    }

    /// Counts lines up to what libxml2 has been given and not consumed, and checks that.
    mutating func checkWaiting() {
        guard let context else { return }
        if depth <= level && context.isInCharacterData { return refuseText() }
        let pending = context.pending
        if fedEnd - countedFrom > limits.effectiveBytes {
            // libxml2 keeps some white space between stanzas waiting, which does not count.
            let isBlank = level > 0 && depth <= level && pending.allSatisfy(\.isXMLSpace)
            if !isBlank { return exceedBytes(from: startOfCounted) }
        }
        advanceMark(to: context.offset)
        // In a CDATA section, what looks like markup is text.
        guard pending.count >= 2, !context.isInCharacterData else { return }
        switch (pending[0], pending[1]) {
        case (.ampersand, _):
            // Outside of the root, libxml2 refuses it anyway.
            if depth > 0 { checkReference(pending) }
        case (.lessThan, UInt8(ascii: "?")):
            if let markup = beginningOfDeclaration(pending) { refusePending(markup) }
        case (.lessThan, UInt8(ascii: "!")):
            if pending.count < 3 { return }
            if pending[2] == UInt8(ascii: "-") { refusePending(.comment) }
            if pending[2] == UInt8(ascii: "D") { refusePending(.documentType) }
        case (.lessThan, UInt8(ascii: "/")):
            checkEndTag(pending)
        case (.lessThan, _):
            checkTag(pending)
        default:
            return
        }
    }

    /// The position of `countedFrom`.
    private var startOfCounted: SourcePosition {
        if level == 0 { return .start }
        return depth > level ? startOfTree : position(of: countedFrom)
    }

    /// libxml2 waits for a ';', however far it is.
    private mutating func checkReference(_ pending: UnsafeBufferPointer<UInt8>) {
        let name = UnsafeBufferPointer(rebasing: pending[1...]).prefix { $0.mayStandInReference }
        if name.count + 1 < pending.count, pending[name.count + 1] != UInt8(ascii: ";") {
            fail(name.first == UInt8(ascii: "#") ? .incompleteNumber : .incompleteReference, at: mark)
        } else if name.count > limits.nameLength {
            fail(.limit(.nameLength, maximum: limits.nameLength), at: mark)
        }
    }

    /// libxml2 waits for a '>', however long the name is.
    private mutating func checkEndTag(_ pending: UnsafeBufferPointer<UInt8>) {
        let name = pending.dropFirst(2).prefix(limits.nameLength + 1)
        if name.count > limits.nameLength, !name.contains(where: { $0.isXMLSpace || $0 == .greaterThan }) {
            fail(.limit(.nameLength, maximum: limits.nameLength), at: mark)
        }
    }

    /// What `<?` begins; `nil` if more input has to tell.
    private func beginningOfDeclaration(_ pending: UnsafeBufferPointer<UInt8>) -> XMLParseError.Markup? {
        let opening = "<?xml".utf8
        // libxml2 takes capitals for it, too.
        let isOpening = zip(pending, opening).allSatisfy { $0 | 0x20 == $1 | 0x20 }
        guard isOpening else { return .processingInstruction }
        guard pending.count > opening.count, pending[opening.count] < 0x80 else { return nil }
        let goesOn = pending[opening.count].mayStandInReference && pending[opening.count] != UInt8(ascii: "#")
        return goesOn ? .processingInstruction : .xmlDeclaration
    }

    /// A stream need not wait for the end of what it refuses.
    private mutating func refusePending(_ markup: XMLParseError.Markup) {
        if mode == .stream && isDeclarationOver { fail(.restricted(markup), at: mark) }
    }

    private mutating func checkTag(_ pending: UnsafeBufferPointer<UInt8>) {
        var tag = HeldTag()
        switch tag.inspect(UnsafeBufferPointer(rebasing: pending[1...]), limits) {
        case .complete:
            return
        case .incomplete:
            if pending.count >= HeldTag.threshold { held = tag }
        case .lessThan(let index):
            // libxml2 does not begin with fewer bytes.
            if pending.count < 4 { return }
            brokenTag = position(of: mark.offset + 1 + index)
        case .exceeds(.nameLength, _):
            fail(.limit(.nameLength, maximum: limits.nameLength), at: mark)
        case .exceeds:
            fail(.limit(.attributes, maximum: limits.attributes), at: mark)
        }
    }

    /// Whether the start tag that is held back is too long already.
    var isHeldTagTooLong: Bool {
        fedEnd + (held?.bytes.count ?? 0) - countedFrom > limits.effectiveBytes
    }

    /// Checks that nothing is missing now that the input has ended and libxml2 has read all that it could.
    mutating func checkEnd() {
        let isOpen: Bool
        switch mode {
        case .stream, .document: isOpen = !isComplete
        case .fragments: isOpen = depth > level
        }
        // What libxml2 could not read and did not complain about is the beginning of a token.
        let isPending = context?.pending.contains { !$0.isXMLSpace } ?? false
        if isOpen || isPending { fail(.unexpectedEnd, at: position(of: fedEnd)) }
    }
}

extension ParserState {
    /// The element that is open, if it is part of a tree.
    var openElement: XMLParseError.OpenElement? {
        guard depth > level, let name = context?.openName, name.utf8.count <= limits.nameLength else { return nil }
        return XMLParseError.OpenElement(name: name, treeStart: startOfTree)
    }
}

extension UInt8 {
    fileprivate var mayStandInReference: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x80...: true
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default:
            [UInt8(ascii: "#"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":")].contains(
                self)
        }
    }
}
