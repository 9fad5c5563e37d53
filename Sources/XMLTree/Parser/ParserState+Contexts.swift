// The beginning and the end of a libxml2 context. A parser has one at a time, and several one after another: behind an
// error in fragments, and when one has taken up much.

extension ParserState {
    /// What a context is given at first. It doubles up to `InputReader.sliceLength`, so that what is read in vain
    /// behind the place where a context ends is in proportion to what it read.
    static let leastSliceLength = 256

    /// At most so many bytes are given to libxml2 before what waits behind an error is passed over. A context that
    /// ends in its first line was given the least slice, or twice as much as it read.
    static func mostGivenBytes(of input: Int) -> Int { (1 << 20) + 128 * input }

    /// What a new context begins with; `nil` if that cannot be written.
    var rootOfContext: [UInt8]? {
        if case .fragments = mode { return syntheticRoot }
        return syntheticRoot ?? []
    }

    /// A context was made whose input begins at `offset`.
    mutating func beginContext(at offset: Int) {
        contextStart = offset
        pushStart = offset
        levelEnd = offset
        isDeclarationOver = false
        awaitsSyntheticRoot = syntheticRoot != nil
        sliceLength = Self.leastSliceLength
        otherNames = 0
        dictionarySize = context?.dictionarySize ?? 0
        firstDictionarySize = dictionarySize
    }

    /// libxml2 was given that many bytes.
    mutating func countGiven(_ count: Int) {
        fedEnd += count
        givenBytes += count
        sliceLength = min(2 * sliceLength, InputReader.sliceLength)
    }

    /// Replaces what has taken up much, if this is between two trees: the table of names, and this context.
    @inline(__always)
    mutating func renewIfNeeded(at offset: Int) {
        guard level > 0, let context else { return }
        if names.isNearlyFull {
            finishPending()
            names.renewTable()
        }
        if context.dictionarySize - firstDictionarySize > renewal.names || offset - contextStart > renewal.bytes {
            stop(.renewal, at: offset)
        }
    }

    /// Lets go of the context, which stopped.
    mutating func leaveContext(_ stop: Stop) {
        finishPending()
        closeContext()
        fedEnd = stop.offset
        if phase == .reading { backlog = stop.leftover }
        if stop.reason == .failure, phase == .reading { phase = .skipping(.insideLine) }
    }

    /// Lets go of the libxml2 context, and of everything that points into it. No tree is pending.
    mutating func closeContext() {
        context?.close()
        context = nil
        stop = nil
        held = nil
        reference = nil
        brokenTag = nil
        excess = nil
        refusal = nil
        isEnding = false
        names.removeAll()
        assembler.dropOpen()
        assembler.dropEnded()
        depth = 0
    }

    /// Moves over input that nobody reads.
    mutating func pass(_ bytes: UnsafeBufferPointer<UInt8>) {
        mark.advance(over: bytes)
        fedEnd = mark.offset
    }

    // MARK: Another input

    /// Whether this context can go on with another input as if it were new: it stands between two fragments, and has
    /// read everything but white space. Setting up a context costs more than reading a stanza.
    var isReusable: Bool {
        guard case .fragments = mode, phase != .stopped, stop == nil, depth == level, held == nil, carry.isEmpty,
            backlog.isEmpty, let context
        else { return false }
        return !context.isInCharacterData && context.pending.allSatisfy(\.isXMLSpace)
    }

    /// Begins a new input: with the context that there is, if there is one.
    mutating func beginInput() {
        if context == nil {
            bindSurroundings()
        } else {
            shiftContext(by: -fedEnd)
        }
        stop = nil
        queue.removeAll()
        pending.removeAll()
        waiting.removeAll()
        reference = nil
        carry = []
        backlog = []
        mark = .start
        fedEnd = 0
        pushStart = 0
        levelEnd = 0
        givenBytes = 0
        isComplete = false
        namesBeforeTree = 0
        phase = .reading
    }

    /// A byte order mark begins the input; libxml2 does not get it.
    mutating func passByteOrderMark() {
        shiftContext(by: 3)
        fedEnd += 3
        mark.offset += 3
    }

    private mutating func shiftContext(by distance: Int) {
        guard context != nil else { return }
        context?.shift(by: distance)
        contextStart += distance
    }
}
