// The way of the input: bytes are checked, fed to libxml2, and fed again to a new context where one ends.
//
// The reader never holds an access to the state while libxml2 runs (see ParserState.swift). What libxml2's events do
// is in ParserState+Events.swift.

struct InputReader {
    let state: UnsafeMutablePointer<ParserState>

    /// So much is checked and read at once: it stays in the processor's cache.
    static let sliceLength = 4096

    init(_ initial: consuming ParserState) {
        state = .allocate(capacity: 1)
        state.initialize(to: initial)
    }

    func destroy() {
        state.pointee.closeContext()
        state.deinitialize(count: 1)
        state.deallocate()
    }

    func next() throws(XMLParseError) -> XMLStreamParser.Event? {
        try state.pointee.queue.next()
    }

    /// Whether an error was given behind which nothing comes.
    var hasFailed: Bool { state.pointee.queue.hasFailed }

    func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
        var start = 0
        while start < bytes.count, state.pointee.phase != .stopped {
            let end = min(start + Self.sliceLength, bytes.count)
            accept(UnsafeBufferPointer(rebasing: bytes[start..<end]))
            start = end
        }
    }

    // MARK: Checking

    private func accept(_ bytes: UnsafeBufferPointer<UInt8>) {
        var rest = completeCharacter(bytes)
        while !rest.isEmpty, state.pointee.phase != .stopped {
            let check = ByteCheck(rest)
            push(rest.first(check.validCount))
            rest = rest.from(check.validCount)
            switch check.outcome {
            case .valid:
                return
            case .incomplete:
                state.pointee.carry = Array(rest)
                return
            case .invalidUTF8, .forbidden:
                refuse(rest.first(1), as: check.outcome)
                rest = rest.from(1)
            }
        }
    }

    /// Adds to the character that the bytes before ended in. Returns what does not belong to it.
    private func completeCharacter(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var rest = bytes
        while let byte = rest.first, !state.pointee.carry.isEmpty {
            var character = state.pointee.carry
            character.append(byte)
            let outcome = character.withUnsafeBufferPointer { ByteCheck($0).outcome }
            switch outcome {
            case .incomplete:
                state.pointee.carry = character
            case .valid:
                state.pointee.carry = []
                character.withUnsafeBufferPointer { push($0) }
            case .invalidUTF8:
                // This byte begins something else.
                refuseCarry()
                continue
            case .forbidden:
                state.pointee.carry = []
                character.withUnsafeBufferPointer { refuse($0, as: outcome) }
            }
            rest = rest.from(1)
        }
        return rest
    }

    /// Refuses the incomplete character.
    private func refuseCarry() {
        let character = state.pointee.carry
        state.pointee.carry = []
        character.withUnsafeBufferPointer { refuse($0, as: .invalidUTF8) }
    }

    /// Passes bad bytes over, which libxml2 must not see. They are reported for the fragment that they stand in.
    private func refuse(_ bytes: UnsafeBufferPointer<UInt8>, as outcome: ByteCheck.Outcome) {
        readWhatIsHeld()
        if state.pointee.phase == .reading {
            let offset = state.pointee.fedEnd
            let position = state.pointee.position(of: offset)
            state.pointee.fail(outcome.kind(first: bytes[0], at: offset), at: position, goingOnAt: offset)
            endContext()
        }
        guard case .skipping(let finder) = state.pointee.phase else { return }
        if finder == .afterLessThan { Self.lessThan.withUnsafeBufferPointer { state.pointee.pass($0) } }
        state.pointee.pass(bytes)
        state.pointee.phase = .skipping(.insideLine)
    }

    // MARK: Feeding

    /// Passes on bytes, which are valid.
    private func push(_ bytes: UnsafeBufferPointer<UInt8>) {
        var rest = bytes
        if state.pointee.fedEnd == 0 && rest.starts(with: [0xEF, 0xBB, 0xBF]) {
            rest = rest.from(3)
            state.pointee.fedEnd = 3
            state.pointee.mark.offset = 3
        }
        while !rest.isEmpty, state.pointee.phase != .stopped {
            rest = step(rest)
            readAgain()
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
            if state.pointee.context == nil { openContext() }
            guard state.pointee.phase == .reading else { return bytes }
            if state.pointee.held != nil { return hold(bytes) }
            let slice = bytes.first(min(state.pointee.sliceLength, bytes.count))
            return bytes.from(slice.count - give(slice).count)
        }
    }

    /// Reads what contexts that ended had been given and not read. Contexts that end in it go back in it, so that
    /// nothing nests, however many they are.
    private func readAgain() {
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
        context.push(bytes)
        state.pointee.countGiven(bytes.count)
        if state.pointee.stop == nil {
            state.pointee.checkPending()
        }
        if let culprit = state.pointee.brokenTag { refuseTag(brokenAt: culprit, in: context) }
        guard let stop = state.pointee.stop else {
            state.pointee.pushStart = state.pointee.fedEnd
            return bytes.from(bytes.count)
        }
        endContext()
        return bytes.from(min(max(stop.offset - start, 0), bytes.count))
    }

    /// Refuses a start tag with a '<' in it. libxml2, which waits for the tag's end, is made to say whether something
    /// before the '<' is wrong already: the first mistake is the one that counts, however the input was cut.
    private func refuseTag(brokenAt culprit: SourcePosition, in context: LibXML2Context) {
        context.finish()
        if state.pointee.stop == nil { state.pointee.fail(.lessThanInTag, here: culprit) }
    }

    /// Adds to a long start tag; gives it to libxml2 when it is complete, or when it goes beyond a limit.
    private func hold(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        let maximum = state.pointee.limits.attributes
        guard let progress = state.pointee.held?.take(bytes, maximumValues: maximum) else { return bytes }
        switch progress {
        case .incomplete:
            if state.pointee.isHeldTagTooLong { releaseHeldTag() }
            return bytes.from(bytes.count)
        case .complete(let count), .tooManyValues(let count):
            releaseHeldTag()
            return bytes.from(count)
        case .lessThan(let index):
            releaseHeldTag()
            return bytes.from(index + 1)
        }
    }

    /// Gives libxml2 what was held back. What it leaves of that is to be read again.
    private func releaseHeldTag() {
        guard let tag = state.pointee.held else { return }
        state.pointee.held = nil
        tag.bytes.withUnsafeBufferPointer { state.pointee.backlog.append(contentsOf: give($0)) }
    }

    /// Gives libxml2 all that was fed: no more of a long start tag is coming.
    private func readWhatIsHeld() {
        repeat {
            releaseHeldTag()
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
    private func endContext() {
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

    private static let lessThan = [UInt8.lessThan]
}

extension InputReader {
    /// The input has ended.
    func finish() {
        readWhatIsHeld()
        if !state.pointee.carry.isEmpty { refuseCarry() }
        // In fragments, others may follow behind an error in what is left, in a new context that ends in its turn.
        while state.pointee.phase == .reading {
            state.pointee.isEnding = true
            state.pointee.context?.finish()
            state.pointee.isEnding = false
            if state.pointee.stop == nil { state.pointee.checkEnd() }
            if state.pointee.stop == nil { break }
            endContext()
            readAgain()
            readWhatIsHeld()
        }
        state.pointee.phase = .stopped
        state.pointee.closeContext()
    }

    /// A new input begins.
    func reset() {
        state.pointee.reset()
    }
}

extension ByteCheck.Outcome {
    /// The error that these bytes are, the first of which stands at `offset`.
    fileprivate func kind(first: UInt8, at offset: Int) -> XMLParseError.Kind {
        switch self {
        case .invalidUTF8 where offset == 0 && first >= 0xFE, .forbidden("\0") where offset <= 1:
            .unsupportedEncoding("UTF-16 or UTF-32")
        case .forbidden(let scalar): .forbiddenCharacter(scalar)
        case .valid, .incomplete, .invalidUTF8: .invalidUTF8
        }
    }
}

extension UnsafeBufferPointer {
    /// The first `count` elements.
    fileprivate func first(_ count: Int) -> UnsafeBufferPointer { UnsafeBufferPointer(rebasing: self[..<count]) }

    /// The elements from `index` on.
    fileprivate func from(_ index: Int) -> UnsafeBufferPointer { UnsafeBufferPointer(rebasing: self[index...]) }
}
