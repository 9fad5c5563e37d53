// From checked bytes to libxml2: in slices, with some markup held back until it is complete, and again where a context
// ended before them.

extension InputReader {
    /// Reads bytes, which are valid.
    func push(_ bytes: UnsafeBufferPointer<UInt8>) {
        var rest = bytes
        // White space before the mark may be held back: then nothing was fed, and it begins nothing.
        let isBeginning = state.pointee.fedEnd == 0 && state.pointee.held == nil
        if isBeginning, rest.count >= 3, rest[0] == 0xEF, rest[1] == 0xBB, rest[2] == 0xBF {
            state.pointee.passByteOrderMark()
            rest = rest.from(3)
        }
        while !rest.isEmpty, state.pointee.phase != .stopped {
            rest = step(rest)
            if !state.pointee.backlog.isEmpty { readAgain() }
        }
    }

    /// Reads the beginning of `bytes`. Returns what comes behind it, and behind `ParserState.backlog`.
    private func step(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        switch state.pointee.phase {
        case .skipping(let finder):
            return skip(bytes, finder)
        case .stopped:
            return bytes.from(bytes.count)
        case .reading:
            if state.pointee.context == nil {
                let blank = passSpaceBehindRoot(bytes)
                if blank > 0 { return bytes.from(blank) }
                openContext()
            }
            guard state.pointee.phase == .reading else { return bytes }
            let isHolding = state.pointee.held != nil
            let length = isHolding ? Self.sliceLength : state.pointee.sliceLength
            let slice = bytes.characters(within: min(length, state.pointee.room))
            if slice.isEmpty {
                refuseExcess()
                return bytes
            }
            if isHolding { return bytes.from(slice.count - hold(slice).count) }
            if state.pointee.isOutsideRoot { return bytes.from(slice.count - giveOutsideRoot(slice).count) }
            return bytes.from(slice.count - give(slice).count)
        }
    }

    /// Passes over white space behind a document's root, which most often is all that stands there. Returns how much.
    private func passSpaceBehindRoot(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        guard state.pointee.level == 0, state.pointee.isComplete else { return 0 }
        let blank = bytes.first(min(bytes.count, max(state.pointee.room, 0))).leadingSpaceCount
        state.pointee.pass(bytes.first(blank))
        return blank
    }

    /// Gives libxml2 what stands outside of a document's root: tags and text at once, other markup when it is complete.
    /// Returns what comes behind.
    private func giveOutsideRoot(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        let start = bytes.from(bytes.leadingSpaceCount)
        let isMarkup =
            start.count < 2
            ? start.first ?? .lessThan == .lessThan
            : start[0] == .lessThan && (start[1] == UInt8(ascii: "!") || start[1] == UInt8(ascii: "?"))
        if !isMarkup { return give(bytes) }
        state.pointee.held = HeldMarkup()
        return hold(bytes)
    }

    /// Reads what contexts that ended had been given and not read. Contexts that end in it go back in it, so that
    /// nothing nests, however many they are.
    @inline(never)
    func readAgain() {
        while !state.pointee.backlog.isEmpty, state.pointee.phase != .stopped {
            let bytes = state.pointee.backlog
            state.pointee.backlog = []
            bytes.withUnsafeBufferPointer { all in
                var rest = all
                while !rest.isEmpty, state.pointee.phase != .stopped {
                    rest = step(rest)
                    let again = state.pointee.backlog.count
                    if again == 0 { continue }
                    // The backlog is what stands before the rest, and most often that is still at hand.
                    let start = all.count - rest.count - again
                    if start < 0 { return state.pointee.backlog.append(contentsOf: rest) }
                    state.pointee.backlog = []
                    rest = all.from(start)
                }
            }
        }
    }

    /// Gives bytes to libxml2. Returns those that come behind the place where the context ended.
    private func give(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        guard let context = state.pointee.context else { return bytes }
        let start = state.pointee.fedEnd
        state.pointee.pushStart = start
        if state.pointee.pending.isEmpty { state.pointee.assembler.dropEnded() }
        if let place = state.pointee.dividedEnd(before: bytes) {
            state.pointee.fail(.endOfCharacterData, at: place)
            endContext()
            return bytes
        }
        state.pointee.context?.pushed = PushedBytes(bytes, at: start)
        defer { state.pointee.context?.pushed = .none }
        context.push(bytes)
        state.pointee.countGiven(bytes.count)
        if state.pointee.stop == nil {
            state.pointee.placeTrees()
            state.pointee.checkWaiting()
        }
        if let culprit = state.pointee.brokenTag { refuseTag(brokenAt: culprit, in: context) }
        guard let stop = state.pointee.stop else {
            state.pointee.pushStart = state.pointee.fedEnd
            return bytes.from(bytes.count)
        }
        endContext()
        return bytes.from(min(max(stop.offset - start, 0), bytes.count))
    }

    /// Refuses a tag whose end makes no difference. libxml2, which waits for it, is made to say whether something
    /// before the culprit is wrong already: the first mistake is the one that counts, however the input was cut. A
    /// quote in an end tag it refuses itself.
    private func refuseTag(brokenAt culprit: SourcePosition, in context: LibXML2Context) {
        context.finish()
        if state.pointee.stop == nil { state.pointee.fail(.lessThanInTag, here: culprit) }
    }

    /// Refuses what is open, because the limit of bytes has no room for the next character. If something is wrong in
    /// what libxml2 waits with, it says so instead.
    private func refuseExcess() {
        if let held = state.pointee.held, !held.bytes.isEmpty { return releaseHeld() }
        guard let context = state.pointee.context else { return }
        state.pointee.beginExcess()
        context.finish()
        if state.pointee.stop == nil { state.pointee.failAtEnd() }
        endContext()
    }

    /// Adds to what is held back; gives it to libxml2 when it is complete, or when it goes beyond a limit.
    private func hold(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        guard let count = state.pointee.held?.take(bytes, state.pointee.limits) else {
            return bytes.from(bytes.count)
        }
        // Otherwise the same would be held back again, without end.
        assert(count > 0 || state.pointee.held?.bytes.isEmpty == false)
        releaseHeld()
        return bytes.from(count)
    }

    /// Gives libxml2 what was held back. What it leaves of that is to be read again.
    private func releaseHeld() {
        guard let held = state.pointee.held else { return }
        state.pointee.held = nil
        held.bytes.withUnsafeBufferPointer { state.pointee.backlog.append(contentsOf: give($0)) }
        // It has bytes that were never fed, which nothing may be counted behind.
        assert(!held.isBroken || state.pointee.phase == .stopped)
    }

    /// Gives libxml2 all that was fed: no more of what is held back is coming.
    func readWhatIsHeld() {
        repeat {
            releaseHeld()
            readAgain()
        } while !(state.pointee.held?.bytes.isEmpty ?? true)
    }

    // MARK: Contexts

    /// Begins a new libxml2 context at the end of what was fed. Afterwards there is one, or the parser has stopped.
    private func openContext() {
        let start = state.pointee.fedEnd
        guard let root = state.pointee.rootOfContext else {
            return state.pointee.fail(.invalidContext, at: state.pointee.mark)
        }
        guard let context = LibXML2Context(reporting: state, baseOffset: start - root.count) else {
            return state.pointee.fail(.outOfMemory, at: state.pointee.mark)
        }
        state.pointee.context = context
        state.pointee.beginContext(at: start)
        if !root.isEmpty { root.withUnsafeBufferPointer { context.push($0) } }
        if state.pointee.stop != nil { endContext() }
    }

    /// Leaves the context where it stopped. What it had already been given from there on becomes the backlog.
    func endContext() {
        guard let stop = state.pointee.stop else { return }
        state.pointee.leaveContext(stop)
    }

    /// Looks for the next fragment. Returns its beginning and what comes behind.
    private func skip(_ bytes: UnsafeBufferPointer<UInt8>, _ before: FragmentFinder) -> UnsafeBufferPointer<UInt8> {
        var finder = before
        let found = finder.search(bytes)
        // The '<' before a fragment's name is not passed over; it may have come before these bytes.
        if before == .afterLessThan && found != 0 { Self.lessThan.withUnsafeBufferPointer { state.pointee.pass($0) } }
        guard let found else {
            let isWithheld = finder == .afterLessThan
            state.pointee.pass(bytes.first(bytes.count - (isWithheld ? 1 : 0)))
            state.pointee.phase = .skipping(finder)
            return bytes.from(bytes.count)
        }
        state.pointee.pass(bytes.first(max(found - 1, 0)))
        state.pointee.phase = .reading
        if found == 0 { state.pointee.backlog = Self.lessThan }
        return bytes.from(max(found - 1, 0))
    }

    private static var lessThan: [UInt8] { [.lessThan] }
}
