// The limits of one token, a tag or a reference: lengths of names, and numbers of attributes.
//
// A token that comes in pieces is checked before libxml2 sees it whole (ParserState+Waiting.swift asks). One that comes
// at once and is refused, by libxml2 or for another limit, is checked here then: so the same is wrong with it.

extension ParserState {
    /// A limit that a token exceeds, and where the token begins.
    struct Excess {
        let limit: XMLParseError.Limit
        let start: Int
    }

    /// Fragments go on behind the token's beginning, however much of it libxml2 has read.
    mutating func fail(_ excess: Excess) {
        let maximum = excess.limit == .attributes ? limits.attributes : limits.nameLength
        fail(.limit(excess.limit, maximum: maximum), at: position(of: excess.start), goingOnAt: excess.start)
    }

    // MARK: Incomplete

    /// libxml2 waits for a ';', however far it is.
    mutating func checkReference(_ pending: UnsafeBufferPointer<UInt8>) {
        var reference = self.reference ?? WaitingReference(start: mark.offset)
        if reference.start != mark.offset { reference = WaitingReference(start: mark.offset) }
        switch reference.inspect(pending.from(min(reference.length, pending.count)), limits) {
        case .complete:
            return
        case .incomplete:
            self.reference = reference
            if pending.count >= HeldMarkup.threshold { held = HeldMarkup(reference) }
        case .broken: fail(reference.isNumber ? .incompleteNumber : .incompleteReference, at: mark)
        case .tooLong: fail(Excess(limit: .nameLength, start: mark.offset))
        }
    }

    /// libxml2 waits for a '>', however long the name is and whatever comes behind.
    mutating func checkEndTag(_ pending: UnsafeBufferPointer<UInt8>) {
        if isNameTooLong(inEndTag: pending) { return fail(Excess(limit: .nameLength, start: mark.offset)) }
        // What came before was looked at when it came.
        let known = min(max(pushStart - mark.offset, "</".utf8.count), pending.count)
        if let culprit = pending[known...].firstIndex(where: \.breaksEndTag) {
            brokenTag = position(of: mark.offset + culprit)
        } else if pending.count >= HeldMarkup.threshold, pending[known...].contains(where: \.isXMLSpace) {
            held = .endTag
        }
    }

    private func isNameTooLong(inEndTag tag: UnsafeBufferPointer<UInt8>) -> Bool {
        let rest = tag.dropFirst(2)
        // What cannot be too long is not looked through again with each piece.
        guard rest.count > limits.nameLength else { return false }
        let name = rest.prefix { !$0.isXMLSpace && $0 != .greaterThan && !$0.breaksEndTag }
        return name.count > limits.nameLength
    }

    mutating func checkTag(_ pending: UnsafeBufferPointer<UInt8>) {
        var tag = TagScanner()
        switch tag.inspect(pending.from(1), limits) {
        case .complete:
            return
        case .incomplete:
            if pending.count >= HeldMarkup.threshold { held = HeldMarkup(tag) }
        case .lessThan(let index):
            // libxml2 does not begin with fewer bytes.
            if pending.count < 4 { return }
            brokenTag = position(of: mark.offset + 1 + index)
        case .exceeds(let limit, _):
            fail(Excess(limit: limit, start: mark.offset))
        }
    }

    /// Where a `]]>` begins in text that libxml2 has handed over up to the inside of it. It looks for one only in what
    /// it has, which is more than nothing and less than a tag if the text is long.
    func dividedEnd(before bytes: UnsafeBufferPointer<UInt8>) -> SourcePosition? {
        guard let context, depth > 0 else { return nil }
        let pending = context.pending
        guard let next = pending.first ?? bytes.first, next == .greaterThan || next == .closingBracket,
            !context.isInCharacterData
        else { return nil }
        let brackets = context.bytes(from: mark.offset - 2, to: mark.offset).reversed().prefix { $0 == .closingBracket }
        let known = brackets.count
        guard known > 0 else { return nil }
        let rest = [UInt8.closingBracket, .greaterThan].dropFirst(known - 1)
        let following = Array(pending.prefix(2)) + bytes.prefix(2)
        guard following.starts(with: rest) else { return nil }
        return SourcePosition(line: mark.line, column: mark.column - known, offset: mark.offset - known)
    }

    // MARK: Refused

    /// What the tag that libxml2 is reading exceeds, or the one that it has read last.
    func excessOfTag() -> Excess? {
        guard let context else { return nil }
        let start = offset(before: context.offset, of: "<")
        let bytes = context.bytes(from: start)
        guard bytes.count >= 2, bytes[0] == .lessThan else { return nil }
        switch bytes[1] {
        case UInt8(ascii: "/"):
            return isNameTooLong(inEndTag: bytes) ? Excess(limit: .nameLength, start: start) : nil
        case UInt8(ascii: "!"), UInt8(ascii: "?"):
            return nil
        default:
            var tag = TagScanner()
            guard case .exceeds(let limit, _) = tag.inspect(bytes.from(1), limits) else { return nil }
            return Excess(limit: limit, start: start)
        }
    }

    /// The same for a reference in text.
    func excessOfReference() -> Excess? {
        guard let context, depth > 0 else { return nil }
        let start = offset(before: context.offset, of: "&")
        let bytes = context.bytes(from: start)
        guard bytes.first == .ampersand else { return nil }
        var reference = WaitingReference(start: start)
        guard case .tooLong = reference.inspect(bytes.from(1), limits) else { return nil }
        return Excess(limit: .nameLength, start: start)
    }
}
