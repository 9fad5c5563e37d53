// Counts the handled stanzas: the count advances over a gap-free prefix only (rule R16).
//
// The tracker numbers stanzas from 1 for the whole life of a core, across sessions. So it recognizes a number from an
// earlier session. Pure bookkeeping: Core decides on the consequences.

/// The received stanzas, and which of them are handled.
struct IncomingTracker {
    /// A delivered stanza after the handled prefix.
    struct Entry {
        var isHandled = false
        var attempts: UInt16 = 0
        /// The stanza's size in memory, until it is handled.
        let weight: Int
    }

    private(set) var entries: Queue<Entry> = []
    /// The size of the unhandled stanzas in memory.
    private(set) var unhandledWeight = 0
    /// The number of the last stanza of the handled prefix.
    private(set) var handledTotal: UInt64 = 0
    /// The number of the stanza that was received last on this stream. After a resumption it passes known numbers
    /// again.
    private var cursor: UInt64 = 0
    /// `handledTotal` and the counter when the session began.
    private var start: (total: UInt64, counter: StanzaCounter) = (0, .zero)
    /// `handledTotal` when the client asked for resumption.
    private var resumedFrom: UInt64 = 0

    /// The number of the stanza that was delivered last.
    var deliveredTotal: UInt64 { handledTotal + UInt64(entries.count) }

    /// The `h` that the core may send.
    var handled: StanzaCounter { start.counter.advanced(by: Int(truncatingIfNeeded: handledTotal &- start.total)) }

    /// The number of delivered stanzas after the handled prefix.
    var unhandledCount: Int { entries.count }

    /// The failed attempts to handle the first of them.
    var firstAttempts: Int { entries.first.map { Int($0.attempts) } ?? 0 }

    /// Forgets a session and restarts the count. Earlier numbers are never used again.
    mutating func begin(at counter: StanzaCounter) {
        handledTotal = deliveredTotal
        entries = []
        unhandledWeight = 0
        cursor = handledTotal
        start = (handledTotal, counter)
    }

    /// Counts a stanza. Returns `nil` if it was delivered before the stream was resumed: the other side replays in
    /// order everything after the `h` of the resumption.
    mutating func receive(weight: Int = 0) -> IncomingNumber? {
        cursor += 1
        guard cursor > deliveredTotal else { return nil }
        entries.append(Entry(weight: weight))
        unhandledWeight += weight
        return IncomingNumber(rawValue: cursor)
    }

    /// Notes a stanza as handled.
    ///
    /// - Returns: By how much the handled count has advanced; `nil` for an unknown number.
    mutating func markHandled(_ number: IncomingNumber) -> Int? {
        guard number.rawValue > handledTotal else { return 0 }
        guard number.rawValue <= deliveredTotal else { return nil }
        let position = Int(number.rawValue - handledTotal - 1)
        if !entries[position].isHandled { unhandledWeight -= entries[position].weight }
        entries[position].isHandled = true
        var advance = 0
        while let first = entries.first, first.isHandled {
            _ = entries.removeFirst()
            advance += 1
        }
        handledTotal += UInt64(advance)
        return advance
    }

    /// Counts one more failed attempt to handle a stanza, and returns the attempts: 0 if the stanza is handled already,
    /// `nil` for an unknown number.
    mutating func countFailure(of number: IncomingNumber) -> Int? {
        guard number.rawValue > handledTotal else { return 0 }
        guard number.rawValue <= deliveredTotal else { return nil }
        let position = Int(number.rawValue - handledTotal - 1)
        if entries[position].isHandled { return 0 }
        entries[position].attempts += entries[position].attempts == .max ? 0 : 1
        return Int(entries[position].attempts)
    }

    /// Sets the attempts to handle a stanza that earlier processes have made.
    mutating func setAttempts(_ attempts: Int, of number: IncomingNumber) {
        guard number.rawValue > handledTotal, number.rawValue <= deliveredTotal else { return }
        entries[Int(number.rawValue - handledTotal - 1)].attempts = UInt16(clamping: attempts)
    }

    /// Remembers the handled count that `<resume/>` carries.
    mutating func askForResumption() {
        resumedFrom = handledTotal
    }

    /// How many stanzas have been handled since then.
    var handledSinceResumption: Int { Int(handledTotal - resumedFrom) }

    /// Continues after the handled count that `<resume/>` carried.
    mutating func resume() {
        cursor = resumedFrom
    }
}
