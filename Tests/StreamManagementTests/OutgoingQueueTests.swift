// The queue of outgoing stanzas: its counts match its content after each removal.

import Foundation
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct OutgoingQueueTests {
    private static func queue(sent: Int, waiting: Int = 0) -> OutgoingQueue {
        var queue = OutgoingQueue()
        for number in 1...(sent + waiting) {
            queue.append(stanza(number, isSent: number <= sent))
        }
        return queue
    }

    private static func stanza(_ number: Int, isSent: Bool = false, losses: Int = 0) -> OutgoingStanza {
        OutgoingStanza(
            number: OutgoingNumber(rawValue: UInt64(number)), id: nil, element: element("<message/>"), firstSent: nil,
            isSent: isSent, losses: losses)
    }

    private static func numbers(_ queue: OutgoingQueue) -> [UInt64] { queue.stanzas.map(\.number.rawValue) }

    @Test("Taking out a stanza also removes it from the uncounted and the written stanzas", arguments: 1...5)
    func takingOut(number: UInt64) {
        // Two that are written and do not count, one that only does not count, one that counts, one that waits.
        var queue = Self.queue(sent: 3, waiting: 1)
        queue.stopCounting()
        queue.markWritten(through: OutgoingNumber(rawValue: 2))
        #expect(queue.sendBatch(at: Date(timeIntervalSince1970: 0)).count == 1)
        queue.append(Self.stanza(5))
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

    /// The tables of `OutgoingQueue`.
    @Test("A suspect is always alone in flight")
    func suspects() {
        let date = Date(timeIntervalSince1970: 0)
        var queue = OutgoingQueue()
        for number in 1...6 { queue.append(Self.stanza(number, losses: [3, 4].contains(number) ? 1 : 0)) }
        var batches: [[UInt64]] = []
        while queue.count > 0 {
            batches.append(queue.sendBatch(at: date).map(\.number.rawValue))
            #expect(queue.sentCount > 0)
            for _ in 0..<queue.sentCount {
                // A batch has to leave as a whole.
                let next = queue.sendBatch(at: date)
                #expect(next.isEmpty)
                _ = queue.acknowledgeFirst()
            }
        }
        #expect(batches == [[1, 2], [3], [4], [5, 6]])
    }

    @Test("A complaint blames the stanzas in flight, which then wait again and go alone")
    func blaming() {
        let date = Date(timeIntervalSince1970: 0)
        var queue = Self.queue(sent: 2, waiting: 1)
        let isBlamed = queue.blame()
        #expect(isBlamed)
        #expect(queue.stanzas.map(\.losses) == [1, 1, 0])
        queue.recall()
        #expect(queue.sentCount == 0 && queue.stanzas.allSatisfy { !$0.isSent })
        let isNoneBlamed = !queue.blame()
        #expect(isNoneBlamed)
        #expect(queue.sendBatch(at: date).map(\.number.rawValue) == [1])
        #expect(queue.holdsBack && queue.sentCount == 1)
        // A disk can hold the largest number of losses: another loss does not overflow it.
        queue.reset([Self.stanza(1, isSent: true, losses: .max)], acknowledged: .zero)
        let isBlamedAgain = queue.blame()
        #expect(isBlamedAgain && queue.stanzas[0].losses == .max)
    }

    @Test("At least two losses make a dead letter, and none where the bound is 0")
    func deadLetters() {
        let losses = { (maximum: Int) in (0...6).first { Self.stanza(1, losses: $0).isDeadLetter(after: maximum) } }
        #expect([0, 1, 2, 5].map(losses) == [nil, 2, 2, 5])
    }

    @Test("Only a waiting stanza can be withdrawn")
    func withdrawing() {
        var queue = Self.queue(sent: 1, waiting: 2)
        #expect(queue.withdraw(OutgoingNumber(rawValue: 1)) == nil)
        #expect(queue.withdraw(OutgoingNumber(rawValue: 2))?.number.rawValue == 2)
        #expect(Self.numbers(queue) == [1, 3])
        #expect(queue.sentCount == 1 && queue.sent == StanzaCounter(rawValue: 1))
    }

    @Test("Sending and handling stanzas copies no queue") func copiesNothing() throws {
        let test = TestCore.enabled()
        for id in 1...100 { test.send("<message id='\(id)'/>") }
        let numbers = (1...100).compactMap { test.receiveMessage("\($0)", handled: false) }
        var core = test.copy
        func places() -> [UnsafeRawPointer?] {
            [
                core.outgoing.stanzas.withContiguousStorageIfAvailable { UnsafeRawPointer($0.baseAddress) } ?? nil,
                core.incoming.entries.withContiguousStorageIfAvailable { UnsafeRawPointer($0.baseAddress) } ?? nil,
            ]
        }
        var former: [UnsafeRawPointer?] = []
        for round in 1...10 {
            _ = try core.handle(.send(element("<message/>"), id: nil), at: test.now)
            _ = try core.handle(.markHandled(numbers[50 + round]), at: test.now)
            // The copies for this test share the queues in the first round.
            if round > 1 { #expect(places() == former) }
            former = places()
        }
        #expect(former.allSatisfy { $0 != nil })
    }
}
