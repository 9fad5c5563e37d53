// Which of the received stanzas have been handled: the count advances over a gap-free prefix only (rule R16).
//
// Stanzas are numbered from 1 for the whole life of a core, across sessions, so that a number from an earlier session
// is recognized as such. Pure bookkeeping: Core decides what follows.

import DequeModule

/// What has been received and handled.
struct IncomingTracker {
    /// One stanza that was delivered and lies behind the handled prefix.
    private struct Entry {
        var isHandled = false
        var attempts: UInt16 = 0
        /// What the stanza takes in memory while it is not handled.
        let weight: Int
    }

    private var entries: Deque<Entry> = []
    /// What the stanzas take in memory that are not handled.
    private(set) var unhandledWeight = 0
    /// All stanzas up to this one have been handled.
    private(set) var handledTotal: UInt64 = 0
    /// The stanza that was received last on this stream: after a resumption, it runs through known ones again.
    private var cursor: UInt64 = 0
    /// `handledTotal` and the counter when the session began.
    private var start: (total: UInt64, counter: StanzaCounter) = (0, .zero)
    /// `handledTotal` when resumption was asked for.
    private var resumedFrom: UInt64 = 0

    /// All stanzas up to this one have been delivered.
    var deliveredTotal: UInt64 { handledTotal + UInt64(entries.count) }

    /// The `h` that may be told to the other side.
    var handled: StanzaCounter { start.counter.advanced(by: Int(truncatingIfNeeded: handledTotal &- start.total)) }

    /// How many stanzas have been delivered and lie behind the handled prefix.
    var unhandledCount: Int { entries.count }

    /// The failed attempts to handle the first of them.
    var firstAttempts: Int { entries.first.map { Int($0.attempts) } ?? 0 }

    /// Forgets a session and begins to count anew. Numbers that were given out are not given out again.
    mutating func begin(at counter: StanzaCounter) {
        handledTotal = deliveredTotal
        entries.removeAll(keepingCapacity: true)
        unhandledWeight = 0
        cursor = handledTotal
        start = (handledTotal, counter)
    }

    /// Counts a stanza. `nil` if it is one that was delivered before the stream was resumed: the other side replays in
    /// order everything behind the `h` that it was told.
    mutating func receive(weight: Int = 0) -> IncomingNumber? {
        cursor += 1
        guard cursor > deliveredTotal else { return nil }
        entries.append(Entry(weight: weight))
        unhandledWeight += weight
        return IncomingNumber(rawValue: cursor)
    }

    /// Notes a stanza as handled.
    ///
    /// - Returns: By how much the handled count has advanced; `nil` for a number that was never given out.
    mutating func markHandled(_ number: IncomingNumber) -> Int? {
        guard number.rawValue > handledTotal else { return 0 }
        guard number.rawValue <= deliveredTotal else { return nil }
        let position = Int(number.rawValue - handledTotal - 1)
        if !entries[position].isHandled { unhandledWeight -= entries[position].weight }
        entries[position].isHandled = true
        var advance = 0
        while let first = entries.first, first.isHandled {
            entries.removeFirst()
            advance += 1
        }
        handledTotal += UInt64(advance)
        return advance
    }

    /// Counts one more failed attempt to handle a stanza. 0 if it is handled already, `nil` if it was never given out.
    mutating func countFailure(of number: IncomingNumber) -> Int? {
        guard number.rawValue > handledTotal else { return 0 }
        guard number.rawValue <= deliveredTotal else { return nil }
        let position = Int(number.rawValue - handledTotal - 1)
        if entries[position].isHandled { return 0 }
        entries[position].attempts += entries[position].attempts == .max ? 0 : 1
        return Int(entries[position].attempts)
    }

    /// Says that the attempts to handle a stanza began before this process did.
    mutating func setAttempts(_ attempts: Int, of number: IncomingNumber) {
        guard number.rawValue > handledTotal, number.rawValue <= deliveredTotal else { return }
        entries[Int(number.rawValue - handledTotal - 1)].attempts = UInt16(clamping: attempts)
    }

    /// Remembers what the other side is told when resumption is asked for.
    mutating func askForResumption() {
        resumedFrom = handledTotal
    }

    /// How many stanzas have been handled since then.
    var handledSinceResumption: Int { Int(handledTotal - resumedFrom) }

    /// The other side goes on behind what it was told.
    mutating func resume() {
        cursor = resumedFrom
    }
}
