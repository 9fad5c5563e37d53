// The queues of sent stanzas: their counts match their content, suspects go alone, and errors find a bounded number.

import Foundation
import Simulators
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct OutgoingQueueTests {
    private static func stanza(_ number: Int, isSent: Bool = false, losses: Int = 0) -> OutgoingStanza {
        OutgoingStanza(
            number: OutgoingNumber(rawValue: UInt64(number)), id: nil, element: element("<message/>"), firstSent: nil,
            isSent: isSent, losses: losses)
    }

    private static func numbers(_ queue: OutgoingQueue) -> [UInt64] { queue.stanzas.map(\.number.rawValue) }

    @Test("Taking out a stanza also removes it from the uncounted and the written stanzas", arguments: 1...5)
    func takingOut(number: UInt64) {
        // Two that are written and do not count, one that only does not count, one that counts, one that waits.
        var queue = OutgoingQueue()
        for number in 1...4 { queue.append(Self.stanza(number, isSent: number < 4)) }
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
        #expect(queue.withdraw(OutgoingNumber(rawValue: 4)) == nil)
        #expect(queue.withdraw(OutgoingNumber(rawValue: 5))?.number.rawValue == (number == 5 ? nil : 5))
    }

    @Test("A suspect is always alone in flight, and a batch leaves as a whole")
    func suspects() {
        let date = Date(timeIntervalSince1970: 0)
        var queue = OutgoingQueue()
        for number in 1...6 { queue.append(Self.stanza(number, losses: [3, 4].contains(number) ? 1 : 0)) }
        var batches: [[UInt64]] = []
        while queue.count > 0 {
            batches.append(queue.sendBatch(at: date).map(\.number.rawValue))
            #expect(queue.sentCount > 0)
            for _ in 0..<queue.sentCount {
                let next = queue.sendBatch(at: date)
                #expect(next.isEmpty)
                _ = queue.acknowledgeFirst()
            }
        }
        #expect(batches == [[1, 2], [3], [4], [5, 6]])
        // A disk can hold the largest number of losses: another loss does not overflow it.
        queue.reset([Self.stanza(1, isSent: true, losses: .max)], acknowledged: .zero)
        let isBlamed = queue.blame()
        #expect(isBlamed && queue.stanzas[0].losses == .max)
        queue.recall()
        let isNoneBlamed = !queue.blame()
        #expect(isNoneBlamed && queue.sentCount == 0)
    }

    @Test("At least two losses make a dead letter, and none where the bound is 0")
    func deadLetters() {
        let losses = { (maximum: Int) in (0...6).first { Self.stanza(1, losses: $0).isDeadLetter(after: maximum) } }
        #expect([0, 1, 2, 5].map(losses) == [nil, 2, 2, 5])
    }

    @Test("D50 One stanza of a thousand is found in five sessions", arguments: [1, 2, 500, 999, 1000])
    func manyInnocent(large: Int) {
        let core = TestCore()
        for number in 1...1000 { core.send(number == large ? message("large") : "<message id='m\(number)'/>") }
        var (sessions, transmissions) = (0, 0)
        var deadLetters: [String] = []
        while !core.unacknowledged.isEmpty, sessions < 20 {
            sessions += 1
            // The server answers requests, and ends the stream at the large stanza.
            var handled = 0
            var todo = core.text(.enable(resumption: true, maximum: nil, address: nil))
            todo += core.receive("<sm:enabled id='s\(sessions)' resume='true'/>")
            var isRefused = false
            while !todo.isEmpty, !isRefused {
                let action = todo.removeFirst()
                isRefused = action.hasPrefix("transmit #\(large) ")
                if action.hasPrefix("transmit ") { handled += 1 }
                if action == "send <r/>" { todo += core.receive("<sm:a h='\(handled)'/>") }
            }
            if isRefused {
                transmissions += 1
                core.receive("<stream:error><err:policy-violation/></stream:error>")
                core.handle(.resume)
                deadLetters += core.receive("<sm:failed/>").filter { $0.hasPrefix("notify deadLettered") }
            } else {
                core.receive("<sm:a h='\(handled)'/>")
            }
        }
        #expect(deadLetters == ["notify deadLettered #\(large) losses(5)"])
        #expect(core.unacknowledged.isEmpty && transmissions == 5 && sessions <= 6, "\(sessions)")
    }

    @Test("R30 The core remembers a bounded number of stanzas, and a bounded number of bytes, for errors")
    func rememberedStanzas() {
        let core = TestCore.enabled()
        let limit = AcknowledgedStanzas.maximumCount
        for number in 1...2 * limit {
            core.send("<message id='m\(number)'/>")
            core.receive("<sm:a h='\(number)'/>")
        }
        #expect(core.copy.acknowledged.count == limit)
        for (number, isFound) in [(limit, false), (limit + 1, true), (2 * limit, true)] {
            #expect(core.receive(bounce(of: "m\(number)")).contains { $0.hasPrefix("report #\(number) ") } == isFound)
        }
        var remembered = AcknowledgedStanzas()
        for number in 1...10 {
            remembered.append(
                OutgoingStanza(
                    number: OutgoingNumber(rawValue: UInt64(number)), id: nil,
                    element: element(message("m\(number)", bytes: AcknowledgedStanzas.maximumBytes / 4)),
                    firstSent: nil, isSent: true))
        }
        #expect(remembered.count == 3)
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
