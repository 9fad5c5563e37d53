// The accepted, unacknowledged stanzas: first those that count, then those that still wait.
//
// Pure bookkeeping: nothing here sends, stores or reports. Core uses it.

import DequeModule
import Foundation
import XMLTree

/// A queue that takes from both ends in constant time.
typealias Queue = Deque

/// A queue in the order of sending. The counts of a session are positions in it, so that no second counter can disagree
/// with the queue (M6).
///
/// The queue also finds a stanza that makes a server end streams. A stanza is *in flight* when it is sent, and neither
/// acknowledged nor, without stream management, written. A *suspect* is a stanza with at least one loss, and is always
/// alone in flight:
///
/// | In flight | First waiting stanza | `sendBatch` sends |
/// | --- | --- | --- |
/// | nothing | a suspect | the suspect |
/// | nothing, or no suspect | no suspect | all before the next suspect |
/// | no suspect | a suspect | nothing |
/// | a suspect | any | nothing |
///
/// | Event | Effect |
/// | --- | --- |
/// | The server complains or breaks the protocol (`blame`) | each stanza in flight has one loss more |
/// | Several resets or closed streams with a stanza as the first large one in flight (`blame`) | it has one loss more |
/// | Acknowledgement, or written where nothing counts | the stanza leaves with its losses; the next batch is due |
/// | Resumption (`recall`) | the rest waits again, for the table above |
/// | Lost connection, error of the moment, failed resumption | no losses |
///
/// So only the first loss of a stanza can be another stanza's fault: two losses are the fewest that prove anything.
struct OutgoingQueue {
    private(set) var stanzas: Deque<OutgoingStanza> = []
    /// The stanzas that wait to be released, in order (Core+Holding).
    private(set) var held: Deque<OutgoingStanza> = []
    /// How many stanzas from the front have been sent, or may have been.
    private(set) var sentCount = 0
    /// The size of all stanzas in memory.
    private(set) var weight = 0
    /// How many sent stanzas do not count, because the stream had no stream management. They leave when they are
    /// written.
    private var uncountedCount = 0
    /// How many stanzas from the front the transport has taken, as far as it has reported.
    private var writtenCount = 0
    /// The `h` that was received last.
    private(set) var acknowledged: StanzaCounter = .zero
    /// How many stanzas have left from the front since the queue was made: the front's position in a numbering that
    /// never wraps.
    private var leftTotal: UInt64 = 0
    /// The number of losses that makes a stanza a suspect: 1, except where the simulator plants a mistake.
    private let lossesOfSuspect: Int

    init(lossesOfSuspect: Int = 1) {
        self.lossesOfSuspect = lossesOfSuspect
    }

    /// The counter after all sent stanzas.
    var sent: StanzaCounter { acknowledged.advanced(by: sentCount - uncountedCount) }

    /// The position after the last sent stanza, in a numbering that never wraps.
    var sentTotal: UInt64 { leftTotal + UInt64(sentCount) }

    var count: Int { stanzas.count }

    /// Whether it has neither stanzas nor held ones.
    var isEmpty: Bool { stanzas.isEmpty && held.isEmpty }

    /// All stanzas, the held ones last.
    var all: [OutgoingStanza] { Array(stanzas) + Array(held) }

    /// The stanzas that wait to be sent.
    var waiting: [OutgoingStanza] { Array(stanzas[sentCount...]) }

    /// Appends a waiting stanza, or, if none waits, one that is about to be sent.
    mutating func append(_ stanza: OutgoingStanza) {
        stanzas.append(stanza)
        weight += stanza.weight
        if stanza.isSent { sentCount += 1 }
    }

    /// How many stanzas an `h` acknowledges; `nil` if it covers more than were sent (D5).
    func count(acknowledgedBy counter: StanzaCounter) -> Int? {
        let distance = Int(counter.distance(from: acknowledged))
        return distance <= sentCount ? distance : nil
    }

    /// Removes and returns the oldest stanza, which was acknowledged.
    mutating func acknowledgeFirst() -> OutgoingStanza {
        acknowledged = acknowledged.advanced(by: 1)
        return removeFirst()
    }

    private mutating func removeFirst() -> OutgoingStanza {
        sentCount -= 1
        leftTotal += 1
        let stanza = stanzas.removeFirst()
        weight -= stanza.weight
        return stanza
    }

    /// Begins to count after all sent stanzas (rule R2).
    mutating func beginCounting(at counter: StanzaCounter) { acknowledged = counter }

    /// Excludes all sent stanzas from the count.
    mutating func stopCounting() { uncountedCount = sentCount }

    /// Notes that the transport has taken a sent stanza and all before it.
    mutating func markWritten(through number: OutgoingNumber) {
        guard let position = stanzas.firstIndex(where: { $0.number == number }), position < sentCount else { return }
        writtenCount = position + 1
    }

    /// Notes that the transport has taken all stanzas that do not count.
    mutating func markUncountedWritten() { writtenCount = uncountedCount }

    /// Removes and returns the oldest stanza if it does not count and is written.
    mutating func takeWritten() -> OutgoingStanza? {
        guard uncountedCount > 0, writtenCount > 0 else { return nil }
        uncountedCount -= 1
        writtenCount -= 1
        return removeFirst()
    }

    /// Whether a new stanza has to wait for others.
    var holdsBack: Bool { sentCount < stanzas.count || stanzas.first.map(isSuspect) == true }

    /// Whether the server may be ending streams because of this stanza.
    private func isSuspect(_ stanza: OutgoingStanza) -> Bool { stanza.losses >= lossesOfSuspect }

    /// The number of waiting stanzas that the core can send now.
    private var batchCount: Int {
        guard sentCount < stanzas.count else { return 0 }
        if sentCount > 0, isSuspect(stanzas[0]) { return 0 }
        if isSuspect(stanzas[sentCount]) { return sentCount == 0 ? 1 : 0 }
        return (stanzas[sentCount...].firstIndex(where: isSuspect) ?? stanzas.count) - sentCount
    }

    /// Counts the next batch as sent now. Returns its stanzas in their waiting state.
    mutating func sendBatch(at date: Date) -> [OutgoingStanza] {
        let end = sentCount + batchCount
        let batch = Array(stanzas[sentCount..<end])
        while sentCount < end {
            stanzas[sentCount].markSent(at: date)
            sentCount += 1
        }
        return batch
    }

    /// Makes all sent stanzas wait again: the other side has not received them.
    mutating func recall() {
        for position in 0..<sentCount { stanzas[position].isSent = false }
        (sentCount, uncountedCount, writtenCount) = (0, 0, 0)
    }

    /// Counts a loss for each stanza in flight. Returns `false` if none is in flight.
    mutating func blame() -> Bool {
        for position in 0..<sentCount { stanzas[position].countLoss() }
        return sentCount > 0
    }

    /// The first stanza in flight that meets a condition on its element and its weight.
    func firstInFlight(where condition: (Element, Int) -> Bool) -> OutgoingNumber? {
        stanzas.prefix(sentCount).first { condition($0.element, $0.weight) }?.number
    }

    /// The last stanza that meets a condition, of those that were sent in this session or an earlier one.
    func lastSent(where condition: (Element) -> Bool) -> OutgoingStanza? {
        func mayMatch(_ stanza: OutgoingStanza) -> Bool {
            (stanza.isSent || stanza.firstSent != nil) && condition(stanza.element)
        }
        return held.last(where: mayMatch) ?? stanzas.last(where: mayMatch)
    }

    /// Counts a loss for one stanza in flight.
    mutating func blame(_ number: OutgoingNumber) {
        guard let position = stanzas.firstIndex(where: { $0.number == number }), position < sentCount else { return }
        stanzas[position].countLoss()
    }

    /// Gives a stanza another identifier. Returns `false` if the queue does not hold it any more.
    mutating func identify(_ number: OutgoingNumber, as id: StanzaID) -> Bool {
        // Late identifiers belong to young stanzas.
        if let position = stanzas.lastIndex(where: { $0.number == number }) {
            stanzas[position].id = id
        } else if let position = held.lastIndex(where: { $0.number == number }) {
            held[position].id = id
        } else {
            return false
        }
        return true
    }

    /// Removes and returns a waiting stanza; `nil` if it does not wait.
    mutating func withdraw(_ number: OutgoingNumber) -> OutgoingStanza? {
        if let position = held.lastIndex(where: { $0.number == number }) { return removeHeld(at: position) }
        let position = stanzas.lastIndex { $0.number == number }
        guard let position, position >= sentCount else { return nil }
        return remove(at: position)
    }

    private mutating func remove(at position: Int) -> OutgoingStanza {
        if position < sentCount { sentCount -= 1 }
        if position < uncountedCount { uncountedCount -= 1 }
        if position < writtenCount { writtenCount -= 1 }
        let stanza = stanzas.remove(at: position)
        weight -= stanza.weight
        return stanza
    }

    /// Removes and returns stanzas that the other side has certainly not counted.
    mutating func takeAll(where isTaken: (OutgoingStanza) -> Bool) -> [OutgoingStanza] {
        take(after: 0, isTaken) + takeHeld(isTaken)
    }

    private mutating func take(after start: Int, _ isTaken: (OutgoingStanza) -> Bool) -> [OutgoingStanza] {
        (start..<stanzas.count).reversed().filter { isTaken(stanzas[$0]) }.map { remove(at: $0) }.reversed()
    }

    // MARK: Held stanzas

    mutating func appendHeld(_ stanza: OutgoingStanza) {
        held.append(stanza)
        weight += stanza.weight
    }

    private mutating func removeHeld(at position: Int) -> OutgoingStanza {
        let stanza = held.remove(at: position)
        weight -= stanza.weight
        return stanza
    }

    private mutating func takeHeld(_ isTaken: (OutgoingStanza) -> Bool) -> [OutgoingStanza] {
        held.indices.reversed().filter { isTaken(held[$0]) }.map { removeHeld(at: $0) }.reversed()
    }

    /// Holds waiting stanzas, after those that are held already.
    mutating func hold(where isHeld: (OutgoingStanza) -> Bool) {
        for stanza in take(after: sentCount, isHeld) { appendHeld(stanza) }
    }

    /// Lets the held stanzas wait again, each before the waiting ones that were accepted after it.
    mutating func mergeHeld() {
        if held.isEmpty { return }
        var merged = Array(stanzas[..<sentCount])
        var rest = stanzas[sentCount...]
        for stanza in held {
            while let first = rest.first, first.number < stanza.number { merged.append(rest.removeFirst()) }
            merged.append(stanza)
        }
        stanzas = Deque(merged + rest)
        held = []
    }

    /// Lets held stanzas wait after all others, and returns their numbers.
    mutating func release(where isReleased: (OutgoingStanza) -> Bool) -> [OutgoingNumber] {
        let released = takeHeld(isReleased)
        for stanza in released { append(stanza) }
        return released.map(\.number)
    }

    // MARK: Sessions

    /// Replaces all stanzas by those of a new session, or the stored ones of an old session. Sent stanzas come first.
    ///
    /// - Parameter held: The held stanzas; `nil` for the present ones.
    mutating func reset(
        _ stanzas: some Sequence<OutgoingStanza>, acknowledged: StanzaCounter, held: [OutgoingStanza]? = nil
    ) {
        self.stanzas = Deque(stanzas)
        if let held { self.held = Deque(held) }
        weight = self.stanzas.reduce(0) { $0 + $1.weight } + self.held.reduce(0) { $0 + $1.weight }
        self.acknowledged = acknowledged
        sentCount = self.stanzas.firstIndex { !$0.isSent } ?? self.stanzas.count
        uncountedCount = 0
        writtenCount = 0
    }
}
