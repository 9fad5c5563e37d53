// The way of the input: what is fed is read until an event is there; the rest waits until events have been taken.
//
// So events are made as they are taken: a stanza is used while it is still in the processor's cache, and what waits are
// bytes, which take less memory than trees. Bytes are checked (InputReader+Checking.swift), fed to libxml2, and fed
// again to a new context where one ends (InputReader+Contexts.swift); markup that libxml2 must not see in pieces is
// held back (HeldMarkup.swift). The reader never holds an access to the state while libxml2 runs (see
// ParserState.swift).

struct InputReader {
    let state: UnsafeMutablePointer<ParserState>

    /// So much is checked and read at once: it stays in the processor's cache.
    static let sliceLength = 16384

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
        while !state.pointee.hasEvent {
            guard readWaiting() else { return nil }
        }
        return try state.pointee.nextEvent()
    }

    /// Whether an error was given behind which nothing comes.
    var hasFailed: Bool { state.pointee.queue.hasFailed }

    func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
        if state.pointee.phase == .stopped || state.pointee.waiting.isEnded { return }
        var start = 0
        if state.pointee.waiting.isEmpty {
            while start < bytes.count, !state.pointee.hasEvent, state.pointee.phase != .stopped {
                let end = min(start + Self.sliceLength, bytes.count)
                accept(UnsafeBufferPointer(rebasing: bytes[start..<end]))
                start = end
            }
        }
        if state.pointee.phase != .stopped { state.pointee.waiting.append(bytes.from(start)) }
    }

    /// The input has ended.
    func finish() {
        state.pointee.waiting.isEnded = true
        if state.pointee.waiting.isEmpty { readEnd() }
    }

    /// A new input begins.
    func reset() {
        // A context that was not closed at its input's end goes on.
        let isReusable = state.pointee.phase == .stopped || state.pointee.isReusable
        state.pointee.pending.removeAll()
        if !isReusable { state.pointee.closeContext() }
        state.pointee.beginInput()
    }

    /// Reads some of what waits, or the input's end behind it. Returns whether there was anything to read.
    @inline(never)
    private func readWaiting() -> Bool {
        if state.pointee.phase == .stopped { return false }
        guard let slice = state.pointee.waiting.next(Self.sliceLength) else {
            if state.pointee.waiting.isEnded { readEnd() }
            return state.pointee.waiting.isEnded
        }
        // The slice is held, so that it outlives what is done to the state.
        slice.withUnsafeBufferPointer { accept($0) }
        if state.pointee.phase == .stopped { state.pointee.waiting.removeAll() }
        return true
    }

    /// Reads the input's end.
    private func readEnd() {
        if state.pointee.isReusable {
            state.pointee.phase = .stopped
            return
        }
        readWhatIsHeld()
        if !state.pointee.carry.isEmpty { refuseCarry() }
        // In fragments, others may follow behind an error in what is left, in a new context that ends in its turn.
        while state.pointee.phase == .reading {
            let isInCharacterData = state.pointee.context?.isInCharacterData ?? false
            state.pointee.isEnding = true
            state.pointee.context?.finish()
            state.pointee.isEnding = false
            if state.pointee.stop == nil { state.pointee.checkEnd(isInCharacterData: isInCharacterData) }
            if state.pointee.stop == nil { break }
            endContext()
            readAgain()
            readWhatIsHeld()
        }
        state.pointee.phase = .stopped
        state.pointee.finishPending()
        state.pointee.closeContext()
    }
}
