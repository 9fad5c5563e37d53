// What is checked when libxml2 has gone as far as it can: the input that it keeps waiting, and the input's end.

extension ParserState {
    /// Where the bytes begin that count for the limit: the tree's beginning, or that of what may become one.
    private var countedFrom: SourcePosition {
        if level == 0 { return .start }
        return depth > level ? treeStart : mark
    }

    /// Checks what libxml2 has been given and not consumed. `mark` stands at its beginning.
    mutating func checkPending() {
        guard let context else { return }
        if fedEnd - countedFrom.offset > limits.effectiveBytes {
            return fail(.limit(.bytes, maximum: limits.bytes), at: countedFrom)
        }
        let pending = context.pending
        guard pending.count >= 2, pending[0] == .lessThan else { return }
        switch pending[1] {
        case UInt8(ascii: "?"):
            refusePending(.processingInstruction)
        case UInt8(ascii: "!"):
            if pending.count < 3 { return }
            if pending[2] == UInt8(ascii: "-") { refusePending(.comment) }
            if pending[2] == UInt8(ascii: "D") { refusePending(.documentType) }
        case UInt8(ascii: "/"):
            return
        default:
            if pending.count >= HeldTag.threshold { holdTag(pending) }
        }
    }

    /// A stream need not wait for the end of what it refuses.
    private mutating func refusePending(_ markup: XMLParseError.Markup) {
        if mode == .stream && isDeclarationOver { fail(.restricted(markup), at: mark) }
    }

    private mutating func holdTag(_ pending: UnsafeBufferPointer<UInt8>) {
        var tag = HeldTag()
        switch tag.inspect(pending, maximumValues: limits.attributes) {
        case .complete: return
        case .incomplete: held = tag
        case .tooManyValues: fail(.limit(.attributes, maximum: limits.attributes), at: mark)
        }
    }

    /// Whether the start tag that is held back is too long already.
    var isHeldTagTooLong: Bool {
        fedEnd + (held?.bytes.count ?? 0) - countedFrom.offset > limits.effectiveBytes
    }

    /// Checks that nothing is missing now that the input has ended.
    mutating func checkEnd() {
        let pending = context?.pending ?? UnsafeBufferPointer(start: nil, count: 0)
        let blank = pending.prefix(while: \.isXMLSpace).count
        let next = blank < pending.count ? pending[blank] : nil
        let end = position(of: fedEnd)
        if depth > level { return fail(.unexpectedEnd, at: end) }
        switch mode {
        case .document where isComplete, .stream where isComplete:
            guard let next else { return }
            let isToken = next == .lessThan
            fail(isToken ? .unexpectedEnd : .contentAfterEnd, at: isToken ? end : position(of: mark.offset + blank))
        case .document:
            fail(.unexpectedEnd, at: end)
        case .stream, .fragments:
            if let next, next != .lessThan, next != .ampersand, depth == level {
                fail(.textBetweenElements, at: position(of: mark.offset + blank))
            } else if next != nil || mode == .stream {
                fail(.unexpectedEnd, at: end)
            }
        }
    }
}
