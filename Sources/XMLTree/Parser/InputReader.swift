// The way of the input: bytes are checked, fed to libxml2, and fed again to a new context where one ends.
//
// The reader never holds an access to the state while libxml2 runs (see ParserState.swift). What libxml2's events do
// is in ParserState+Events.swift.

struct InputReader {
    let state: UnsafeMutablePointer<ParserState>

    /// So much is fed to libxml2 at once: it stays in the processor's cache, and bounds what is read in vain behind a
    /// place where a context ends.
    private static let sliceLength = 4096

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
                refuse(check.outcome, first: rest[0])
                passOver(rest.first(1))
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
            case .invalidUTF8, .forbidden:
                // A whole sequence can be forbidden; otherwise this byte begins something else.
                if case .forbidden = outcome { state.pointee.carry = character }
                refuseCarry(outcome)
                if case .invalidUTF8 = outcome { continue }
            }
            rest = rest.from(1)
        }
        return rest
    }

    /// Refuses the incomplete character, and passes it over.
    private func refuseCarry(_ outcome: ByteCheck.Outcome) {
        let character = state.pointee.carry
        state.pointee.carry = []
        refuse(outcome, first: character[0])
        character.withUnsafeBufferPointer { passOver($0) }
    }

    /// Moves over bytes that were refused. libxml2 must not see them, and no fragment begins with them.
    private func passOver(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard case .skipping(let finder) = state.pointee.phase else { return }
        if finder == .afterLessThan { Self.lessThan.withUnsafeBufferPointer { state.pointee.pass($0) } }
        state.pointee.pass(bytes)
        state.pointee.phase = .skipping(.insideLine)
    }

    /// Reports bad bytes at the end of what was fed.
    private func refuse(_ outcome: ByteCheck.Outcome, first: UInt8) {
        releaseHeldTag()
        guard state.pointee.phase == .reading else { return }
        let offset = state.pointee.fedEnd
        let position = state.pointee.position(of: offset)
        switch outcome {
        case .valid:
            return
        case .invalidUTF8 where offset == 0 && first >= 0xFE, .forbidden("\0") where offset <= 1:
            state.pointee.fail(.unsupportedEncoding("UTF-16 or UTF-32"), at: position, resumingAt: offset)
        case .invalidUTF8, .incomplete:
            state.pointee.fail(.invalidUTF8, at: position, resumingAt: offset)
        case .forbidden(let scalar):
            state.pointee.fail(.forbiddenCharacter(scalar), at: position, resumingAt: offset)
        }
        endContext()
    }

    // MARK: Feeding

    /// Passes bytes on, which are valid but while skipping.
    private func push(_ bytes: UnsafeBufferPointer<UInt8>) {
        var rest = bytes
        if state.pointee.fedEnd == 0 && rest.starts(with: [0xEF, 0xBB, 0xBF]) {
            rest = rest.from(3)
            state.pointee.fedEnd = 3
            state.pointee.mark.offset = 3
        }
        while !rest.isEmpty {
            switch state.pointee.phase {
            case .reading: rest = read(rest)
            case .skipping(let finder): rest = skip(rest, finder)
            case .stopped: return
            }
        }
    }

    /// Gives bytes to libxml2. Returns those that come behind the place where the context ended.
    private func read(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        if state.pointee.context == nil { openContext() }
        guard state.pointee.phase == .reading, let context = state.pointee.context else { return bytes }
        if state.pointee.held != nil { return hold(bytes) }

        let start = state.pointee.fedEnd
        state.pointee.pushStart = start
        context.push(bytes)
        state.pointee.fedEnd = start + bytes.count
        if state.pointee.stop == nil {
            state.pointee.checkPending()
        }
        if let culprit = state.pointee.brokenTag { refuseTag(brokenAt: culprit, in: context) }
        guard let stop = state.pointee.stop else {
            state.pointee.pushStart = state.pointee.fedEnd
            return bytes.from(bytes.count)
        }
        endContext()
        return bytes.from(max(stop.offset - start, 0))
    }

    /// Refuses a start tag with a '<' in it. libxml2, which waits for the tag's end, is made to say whether something
    /// before the '<' is wrong already: the first mistake is the one that counts, however the input was cut.
    private func refuseTag(brokenAt culprit: SourcePosition, in context: LibXML2Context) {
        context.finish()
        if state.pointee.stop == nil { state.pointee.failAtLessThan(culprit) }
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

    /// Gives libxml2 what was held back.
    private func releaseHeldTag() {
        guard let tag = state.pointee.held else { return }
        state.pointee.held = nil
        tag.bytes.withUnsafeBufferPointer { push($0) }
    }

    // MARK: Contexts

    /// Begins a new libxml2 context at the end of what was fed.
    private func openContext() {
        let root = state.pointee.syntheticRoot ?? []
        let start = state.pointee.fedEnd
        guard let context = LibXML2Context(reporting: state, baseOffset: start - root.count) else {
            return state.pointee.fail(.outOfMemory, at: state.pointee.mark)
        }
        state.pointee.context = context
        state.pointee.beginContext(at: start)
        root.withUnsafeBufferPointer { root in
            if root.isEmpty { return }
            if ByteCheck(root).outcome == .valid {
                context.push(root)
            } else {
                state.pointee.fail(.invalidContext, at: state.pointee.mark)
            }
        }
        if state.pointee.stop != nil { endContext() }
    }

    /// Leaves the context where it stopped. What it had already been given from there on is fed again.
    private func endContext() {
        guard let stop = state.pointee.stop else { return }
        state.pointee.leaveContext(stop)
        stop.leftover.withUnsafeBufferPointer { push($0) }
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
        if found == 0 { Self.lessThan.withUnsafeBufferPointer { push($0) } }
        return bytes.from(max(found - 1, 0))
    }

    private static let lessThan = [UInt8.lessThan]
}

extension InputReader {
    /// The input has ended.
    func finish() {
        releaseHeldTag()
        if !state.pointee.carry.isEmpty { refuseCarry(.invalidUTF8) }
        while state.pointee.phase == .reading {
            state.pointee.isEnding = true
            state.pointee.context?.finish()
            if state.pointee.stop == nil { state.pointee.checkEnd() }
            if state.pointee.stop == nil { break }
            // In fragments, others may follow behind an error in what is left: it is read like any input.
            state.pointee.isEnding = false
            endContext()
        }
        state.pointee.phase = .stopped
        state.pointee.closeContext()
    }

    /// A new input begins.
    func reset() {
        state.pointee.reset()
    }
}

extension UnsafeBufferPointer {
    /// The first `count` elements.
    fileprivate func first(_ count: Int) -> UnsafeBufferPointer { UnsafeBufferPointer(rebasing: self[..<count]) }

    /// The elements from `index` on.
    fileprivate func from(_ index: Int) -> UnsafeBufferPointer { UnsafeBufferPointer(rebasing: self[index...]) }
}
