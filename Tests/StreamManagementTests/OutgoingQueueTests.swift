// The queue of outgoing stanzas: its counts match its content after each removal.

import Foundation
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct OutgoingQueueTests {
    private static func queue(sent: Int, waiting: Int = 0) -> OutgoingQueue {
        var queue = OutgoingQueue()
        for number in 1...(sent + waiting) {
            queue.append(
                OutgoingStanza(
                    number: OutgoingNumber(rawValue: UInt64(number)), id: nil, element: element("<message/>"),
                    firstSent: nil, isSent: number <= sent))
        }
        return queue
    }

    private static func numbers(_ queue: OutgoingQueue) -> [UInt64] { queue.stanzas.map(\.number.rawValue) }

    @Test("Taking out a stanza also removes it from the uncounted and the written stanzas", arguments: 1...5)
    func takingOut(number: UInt64) {
        // Two that are written and do not count, one that only does not count, one that counts, one that waits.
        var queue = Self.queue(sent: 3, waiting: 2)
        queue.stopCounting()
        queue.markWritten(through: OutgoingNumber(rawValue: 2))
        queue.sendWaiting(at: Date(timeIntervalSince1970: 0), atMost: 1)
        let weight = queue.weight
        let taken = queue.takeAll { $0.number.rawValue == number }
        #expect(taken.map(\.number.rawValue) == [number])
        #expect(queue.weight == weight - taken[0].weight)
        #expect(queue.sentCount == (number <= 4 ? 3 : 4))
        #expect(queue.sent == StanzaCounter(rawValue: number == 4 ? 0 : 1))
        // `takeWritten` returns only written stanzas.
        var written: [UInt64] = []
        while let stanza = queue.takeWritten() { written.append(stanza.number.rawValue) }
        #expect(written == [1, 2].filter { $0 != number })
        #expect(Self.numbers(queue) == [3, 4, 5].filter { $0 != number })
        queue.markUncountedWritten()
        #expect(queue.takeWritten()?.number.rawValue == (number == 3 ? nil : 3))
        #expect(queue.takeWritten() == nil)
        #expect(queue.count(acknowledgedBy: StanzaCounter(rawValue: 1)) == (number == 4 ? nil : 1))
    }

    @Test("Only a waiting stanza can be withdrawn")
    func withdrawing() {
        var queue = Self.queue(sent: 1, waiting: 2)
        #expect(queue.withdraw(OutgoingNumber(rawValue: 1)) == nil)
        #expect(queue.withdraw(OutgoingNumber(rawValue: 2))?.number.rawValue == 2)
        #expect(Self.numbers(queue) == [1, 3])
        #expect(queue.sentCount == 1 && queue.sent == StanzaCounter(rawValue: 1))
    }
}
