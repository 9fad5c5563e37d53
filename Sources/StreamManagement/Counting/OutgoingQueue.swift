// The stanzas that were given to be sent and are not acknowledged: first those that count, then those that still wait.
//
// Pure bookkeeping: nothing here sends, stores or reports. Who uses it: Core.

import DequeModule
import Foundation

/// A queue in the order of sending. The counts of a session are positions in it: what is sent is counted, so that no
/// second counter can come to disagree with the queue (M6).
struct OutgoingQueue {
    private(set) var stanzas: Deque<OutgoingStanza> = []
    /// How many stanzas from the front have been sent, or may have been.
    private(set) var sentCount = 0
    /// The `h` that was received last.
    private(set) var acknowledged: StanzaCounter = .zero
    /// How many stanzas have been acknowledged since the queue was made: the queue's front in a numbering without end.
    private(set) var acknowledgedTotal: UInt64 = 0

    /// The counter after everything that was sent.
    var sent: StanzaCounter { acknowledged.advanced(by: sentCount) }

    /// The same in a numbering without end.
    var sentTotal: UInt64 { acknowledgedTotal + UInt64(sentCount) }

    var count: Int { stanzas.count }

    /// Appends a stanza that waits, or, if nothing does, one that is about to be sent.
    mutating func append(_ stanza: OutgoingStanza) {
        stanzas.append(stanza)
        if stanza.isSent { sentCount += 1 }
    }

    /// How many stanzas an `h` acknowledges; `nil` if it covers more than were sent (D5).
    func count(acknowledgedBy counter: StanzaCounter) -> Int? {
        // On a machine of 32 bits a distance need not fit.
        guard let distance = Int(exactly: counter.distance(from: acknowledged)) else { return nil }
        return distance <= sentCount ? distance : nil
    }

    /// Takes out the oldest stanza, which was acknowledged.
    mutating func acknowledgeFirst() -> OutgoingStanza {
        sentCount -= 1
        acknowledged = acknowledged.advanced(by: 1)
        acknowledgedTotal += 1
        return stanzas.removeFirst()
    }

    /// Counts everything that waits as sent now.
    mutating func sendWaiting(at date: Date) {
        while sentCount < stanzas.count {
            stanzas[sentCount].markSent(at: date)
            sentCount += 1
        }
    }

    /// Gives a stanza another identifier. `false` if it is not here any more.
    mutating func identify(_ number: OutgoingNumber, as id: StanzaID) -> Bool {
        // Late identifiers belong to young stanzas.
        guard let position = stanzas.lastIndex(where: { $0.number == number }) else { return false }
        stanzas[position].id = id
        return true
    }

    /// Takes out a stanza that waits; `nil` if it does not.
    mutating func withdraw(_ number: OutgoingNumber) -> OutgoingStanza? {
        let position = stanzas.lastIndex { $0.number == number }
        guard let position, position >= sentCount else { return nil }
        return stanzas.remove(at: position)
    }

    /// Replaces everything: what a new session begins with, or what was stored of an old one. The first of the stanzas
    /// may have been sent, and none behind one that was not.
    mutating func reset(_ stanzas: some Sequence<OutgoingStanza>, acknowledged: StanzaCounter) {
        self.stanzas = Deque(stanzas)
        self.acknowledged = acknowledged
        sentCount = self.stanzas.firstIndex { !$0.isSent } ?? self.stanzas.count
    }
}
