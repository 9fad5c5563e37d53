// What ends a context: libxml2's errors, ours, and the wish for a new one. Whoever ends it sets `stop`; the reader does
// the rest.

extension ParserState {
    /// libxml2 found an error.
    mutating func refuse(_ failure: LibXML2Failure) {
        guard stop == nil, let context else { return }
        if awaitsSyntheticRoot { return fail(.invalidContext, at: mark) }
        if failure.isMisplacedDeclaration, depth == level, case .fragments = mode { return skipDeclaration() }
        if isEnding && !isComplete {
            // Whether the document may end here is for `checkEnd` to say.
            if failure.isMissingEnd { return }
            let isAtEnd = context.offset >= fedEnd && !failure.isOfWholeReference
            if failure.isUnfinished || isAtEnd { return failAtEnd() }
        }
        if failure.isEndOfCharacterData, level > 0, depth == level { return refuseText() }
        let (kind, anchor) = failure.diagnosis
        if let excess = anchor == .back(to: .ampersand) ? excessOfReference() : excessOfTag() { return fail(excess) }
        let here = position(of: context.offset)
        if failure.isInTag && context.pending.first == .lessThan { return fail(.lessThanInTag, here: here) }
        if anchor == .here, kind != .lessThanInTag, context.pending.starts(with: "<!DOCTYPE".utf8) {
            return fail(.restricted(.documentType), at: here)
        }
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

    /// The input ends where it must not. All that was fed belongs to what is incomplete.
    mutating func failAtEnd() {
        fail(.unexpectedEnd, at: position(of: fedEnd), goingOnAt: fedEnd)
    }

    /// Fails if what stands at these offsets, and is complete now, is too long. What comes in pieces is refused before
    /// it is complete (ParserState+Waiting.swift): so how the input was cut makes no difference.
    @inline(__always)
    mutating func limitLength(from start: Int, to end: Int) {
        // Of a document all bytes count.
        let start = level == 0 ? 0 : start
        if end - start > limits.effectiveBytes { exceedBytes(from: start) }
    }

    @inline(never)
    private mutating func exceedBytes(from start: Int) {
        // A tree may have begun before what libxml2 still holds.
        exceedBytes(from: start == 0 ? .start : start == treeStart.offset ? startOfTree : position(of: start))
    }

    /// What begins at `start` is too long. Fragments go on behind the bytes that the limit allows, however many more
    /// libxml2 was given.
    mutating func exceedBytes(from start: SourcePosition) {
        fail(.limit(.bytes, maximum: limits.bytes), at: start, goingOnAt: start.offset + limits.effectiveBytes)
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
