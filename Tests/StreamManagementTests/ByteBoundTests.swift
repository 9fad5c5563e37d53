// Bounds in bytes of the queues.

import StreamManagement
import StreamSimulator
import Testing
import XMLTree

@Suite struct ByteBoundTests {
    @Test("D23 The queue is bounded in bytes, too, and asks when it is full")
    func unacknowledgedBytes() {
        let core = TestCore.enabled(.quiet { $0.maximumUnacknowledgedBytes = 10_000 })
        var count = 0
        while core.hasRoom, count < 100 {
            count += 1
            core.send(message("m\(count)"))
        }
        #expect((4...5).contains(count))
        // Senders wait for room; the core takes the stanzas of a transaction that had room.
        #expect(core.refusal(of: .send(element(message("last")), id: nil)) == nil)
        count += 1
        core.receive("<sm:a h='2'/>")
        #expect(core.hasRoom)
        // One stanza that is larger than the bound is sent alone.
        core.receive("<sm:a h='\(count)'/>")
        core.send(message("m", bytes: 20_000))
        #expect(!core.hasRoom)
    }

    @Test("The unhandled stanzas are bounded in bytes, too")
    func unhandledBytes() {
        let core = TestCore.enabled(.quiet { $0.maximumUnhandledBytes = 10_000 })
        var stanzas: [ReceivedStanza] = []
        while core.wantsInput, stanzas.count < 100 {
            for case .deliver(let stanza) in core.handle(.received(element(message("in")))) {
                stanzas.append(stanza)
            }
        }
        #expect((4...5).contains(stanzas.count))
        for stanza in stanzas { if let number = stanza.number { core.handle(.markHandled(number)) } }
        #expect(core.wantsInput)
    }
}
