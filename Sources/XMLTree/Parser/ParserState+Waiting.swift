// What is checked when libxml2 has gone as far as it can: the input that it keeps waiting, and the input's end.

extension ParserState {
    /// The longest of what may begin with `<!` outside of the root: so much libxml2 waits for before it looks at it.
    private static let documentTypeOpening = "<!DOCTYPE"

    /// Where the bytes begin that count for the limit: the tree's beginning, or that of what may become one.
    private var countedFrom: Int {
        if level == 0 { return 0 }
        if depth > level { return treeStart.offset }
        guard let context else { return fedEnd }
        // libxml2 keeps some white space between trees waiting, which does not count.
        return context.offset + context.pending.blankCount(limit: limits.effectiveBytes)
    }

    /// How many more bytes what is open may have. libxml2 is never given more: so it makes no difference to what is
    /// told how the input was cut.
    var room: Int { countedFrom + limits.effectiveBytes - fedEnd - (held?.bytes.count ?? 0) }

    /// Whether a document's root has not begun, or has ended, and libxml2 waits for nothing.
    var isOutsideRoot: Bool {
        level == 0 && depth == 0 && context?.pending.allSatisfy(\.isXMLSpace) ?? true
    }

    /// From now on libxml2 reads what it waits with, which is all that the limit of bytes allows, as if it were all.
    mutating func beginExcess() {
        excess = level == 0 ? .start : depth > level ? startOfTree : position(of: countedFrom)
        isEnding = true
    }

    /// From now on libxml2 reads what it waits with as if it were all, because bytes follow that it must not see.
    mutating func beginRefusal(_ kind: XMLParseError.Kind) {
        refusal = kind
        isEnding = true
    }

    /// Counts lines up to what libxml2 has been given and not consumed, and checks that.
    mutating func checkWaiting() {
        guard let context else { return }
        if depth <= level && context.isInCharacterData { return refuseText() }
        let pending = context.pending
        if level > 0 && depth == level { checkWaitingText(pending) }
        if stop != nil { return }
        // libxml2 may have one blank waiting before a stream, and have dropped it when a place behind it is asked for.
        advanceMark(to: context.offset + (depth == 0 ? pending.leadingSpaceCount : 0))
        // In a CDATA section, what looks like markup is text.
        if context.isInCharacterData { return holdBack(HeldMarkup(CharacterDataScanner(behind: pending)), pending) }
        guard pending.count >= 2 else { return }
        switch (pending[0], pending[1]) {
        case (.ampersand, _):
            // Outside of the root, libxml2 refuses it anyway.
            if depth > 0 { checkReference(pending) }
        case (.lessThan, UInt8(ascii: "?")):
            if let markup = beginningOfDeclaration(pending) { refusePending(markup) }
            holdBack(HeldMarkup(restOf: pending), pending)
        case (.lessThan, UInt8(ascii: "!")):
            if pending.starts(with: "<!--".utf8) {
                refusePending(.comment)
                holdBack(HeldMarkup(restOf: pending), pending)
            } else if pending.starts(with: Self.documentTypeOpening.utf8) {
                refusePending(.documentType)
            } else if depth == 0, pending.count >= Self.documentTypeOpening.utf8.count {
                // libxml2 takes it for a tag, and looks for its end again in all that it has with each '>' that comes.
                brokenTag = position(of: mark.offset + 1)
            }
        case (.lessThan, UInt8(ascii: "/")):
            checkEndTag(pending)
        case (.lessThan, _):
            checkTag(pending)
        default:
            return
        }
    }

    /// Text between trees is refused before libxml2 reads it.
    private mutating func checkWaitingText(_ pending: UnsafeBufferPointer<UInt8>) {
        let blank = pending.blankCount(limit: limits.effectiveBytes)
        guard let context, blank < pending.count, pending[blank] != .lessThan, pending[blank] != .ampersand else {
            return
        }
        refuseText(at: position(of: context.offset + blank))
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

    /// Waits for the rest of a long comment, instruction or CDATA section in libxml2's place.
    private mutating func holdBack(_ rest: @autoclosure () -> HeldMarkup?, _ pending: UnsafeBufferPointer<UInt8>) {
        if stop == nil, pending.count >= HeldMarkup.threshold { held = rest() }
    }

    /// Checks that nothing is missing now that the input has ended and libxml2 has read all that it could.
    ///
    /// - Parameter isInCharacterData: Whether the input has ended in a CDATA section.
    mutating func checkEnd(isInCharacterData: Bool) {
        let isOpen: Bool
        switch mode {
        case .stream, .document: isOpen = !isComplete
        case .fragments: isOpen = depth > level
        }
        // What libxml2 could not read and did not complain about is the beginning of a token.
        let isPending = context?.pending.contains { !$0.isXMLSpace } ?? false
        guard isOpen || isPending else { return }
        // How much of a CDATA section libxml2 has read depends on the pieces.
        if isInCharacterData { return failAtEnd() }
        fail(.unexpectedEnd, at: position(of: fedEnd))
    }
}

extension ParserState {
    /// The element that is open, if it is part of a tree.
    var openElement: XMLParseError.OpenElement? {
        guard depth > level, let name = context?.openName, name.utf8.count <= limits.nameLength else { return nil }
        return XMLParseError.OpenElement(name: name, treeStart: startOfTree)
    }
}
