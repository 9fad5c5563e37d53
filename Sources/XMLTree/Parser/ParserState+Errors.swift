// What ends a context: libxml2's errors, ours, and the wish for a new one. Whoever ends it sets `stop`; the reader does
// the rest.

extension ParserState {
    /// libxml2 found an error.
    mutating func refuse(_ failure: LibXML2Failure) {
        guard stop == nil, let context else { return }
        if awaitsSyntheticRoot { return fail(.invalidContext, at: mark) }
        if failure.isMisplacedDeclaration, depth == level, case .fragments = mode { return skipDeclaration() }
        let (kind, anchor) = failure.diagnosis
        let isOfText = anchor == .back(to: .ampersand) && !context.isInAttributeValue
        if isEnding && (!isComplete || excess != nil || refusal != nil) {
            // Whether the input may end here is for the reader to say.
            if failure.isMissingEnd { return }
            let isBeforeEnd =
                failure.isInTag && context.pending.elementsEqual("/".utf8)
                || failure.mayEndInstruction && context.pending.elementsEqual("?".utf8)
            let isAtEnd = isBeforeEnd || context.offset >= fedEnd && !failure.isOfWholeReference
            if failure.isUnfinished || isAtEnd {
                // In short text, libxml2 has not looked at it before.
                if isOfText, let excess = excessOfReference() { return fail(excess) }
                return failAtEnd()
            }
        }
        if failure.isEndOfCharacterData, level > 0, depth == level { return refuseText() }
        if mode == .stream, refuseMarkup(of: failure, context) { return }
        // Behind the end it makes no difference what stands there.
        if kind != .contentAfterEnd, let excess = isOfText ? excessOfReference() : excessOfTag() {
            return fail(excess)
        }
        let here = position(of: context.offset)
        if failure.isInTag && context.pending.first == .lessThan { return fail(.lessThanInTag, here: here) }
        if anchor == .here, kind != .lessThanInTag, context.pending.starts(with: "<!DOCTYPE".utf8) {
            return fail(.restricted(.documentType), at: here)
        }
        switch anchor {
        case .here: fail(kind, here: here)
        case .back(let byte): fail(kind, at: position(before: context.offset, of: byte))
        case .hyphens: fail(kind, at: position(of: offsetOfHyphens(context)), goingOnAt: context.offset)
        case .ahead: fail(kind, at: position(of: context.offset + context.pending.endOfCharacterData))
        }
    }

    /// Streams refuse some markup where it begins: that something is wrong in it, too, makes no difference.
    private mutating func refuseMarkup(of failure: LibXML2Failure, _ context: LibXML2Context) -> Bool {
        if let (markup, opening) = failure.markup {
            let end = failure.diagnosis.anchor == .hyphens ? offsetOfHyphens(context) : context.offset
            fail(.restricted(markup), at: position(before: end, of: opening))
            return true
        }
        // A document type has all kinds of things in it, and stands before the root. One in the root's tag is none.
        guard depth == 0 else { return false }
        let start = gapEnd(context)
        guard context.bytes(from: start.offset).starts(with: "<!D".utf8) else { return false }
        fail(.restricted(.documentType), at: start)
        return true
    }

    private func offsetOfHyphens(_ context: LibXML2Context) -> Int {
        context.offset - (context.pending.starts(with: "--".utf8) ? 0 : 2)
    }

    /// Fails where the next fragment may begin, if a line begins there.
    mutating func fail(_ kind: XMLParseError.Kind, here: SourcePosition) {
        let isLineStart = here.column == 1 && here.offset > mark.offset
        fail(kind, at: here, goingOnAt: isLineStart ? here.offset - 1 : here.offset)
    }

    /// The input, or what the limit of bytes or bad bytes leave of it, ends where it must not. All that was fed belongs
    /// to what is incomplete.
    mutating func failAtEnd() {
        if let excess { return fail(.limit(.bytes, maximum: limits.effectiveBytes), at: excess, goingOnAt: fedEnd) }
        fail(refusal ?? .unexpectedEnd, at: position(of: fedEnd), goingOnAt: fedEnd)
    }

    /// Delivers an error and ends this context. Fragments go on behind `offset`, which is where libxml2 is unless the
    /// caller knows better.
    @inline(never)
    mutating func fail(_ kind: XMLParseError.Kind, at position: SourcePosition, goingOnAt offset: Int? = nil) {
        var isLasting = true
        if case .fragments = mode { isLasting = kind == .invalidContext || kind == .outOfMemory }
        finishPending()
        let unclosed = kind == .unexpectedEnd || kind == .mismatchedEndTag ? openElement : nil
        queue.append(XMLParseError(kind, at: position, unclosed: unclosed), isLasting: isLasting)
        if isLasting { phase = .stopped }
        stop(.failure, at: offset ?? context?.offset ?? fedEnd)
    }

    /// Ends this context at `offset`: whatever libxml2 reports from now on is ignored.
    @inline(never)
    mutating func stop(_ reason: Stop.Reason, at offset: Int) {
        // White space of the input before this one, which libxml2 may still hold, is not read again.
        var offset = max(offset, mark.offset)
        var leftover: [UInt8] = []
        if offset < pushStart, phase == .reading, let context {
            if reason == .failure && !mayReadAgain(pushStart - offset) { offset = pushStart }
            leftover = Array(context.bytes(from: offset, to: pushStart))
        }
        placeTrees()
        advanceMark(to: offset)
        stop = Stop(reason: reason, offset: offset, leftover: leftover)
        context?.halt()
    }

    /// Whether so many bytes that libxml2 has not read may be given to another context. An attacker can make it wait
    /// long for the end of a comment, and find out again and again that the comment is no good; so there is a measure,
    /// which is far beyond what honest input needs.
    private func mayReadAgain(_ count: Int) -> Bool {
        givenBytes + count <= Self.mostGivenBytes(of: pushStart)
    }
}
