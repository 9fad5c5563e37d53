// A server that resets the connection at a large stanza, so that its stream error gets lost.

import StreamManagement
import StreamSimulator
import Testing
import XMLTree

@Suite struct ResetTests {
    /// The smallest body that makes a stanza larger than every server accepts.
    private static let large = 10_000

    @Test(
        "D50 Four resets or closed streams in a row at a large stanza are a loss, and twenty make it a dead letter",
        arguments: [TestCore.Core.Event.connectionReset, .peerClosed])
    func deadLetter(end: TestCore.Core.Event) {
        let core = TestCore.enabled()
        core.send(message("large", bytes: Self.large))
        core.send("<message id='m2'/>")
        for number in 1...20 {
            core.handle(end)
            #expect(core.unacknowledged.map(\.losses) == [number / 4, 0])
            // After the first loss the stanza goes alone, with a request.
            guard number < 20 else { continue }
            let actions = core.resume(h: 0)
            #expect(TestCore.transmitted(actions) == (number < 4 ? ["#1", "#2"] : ["#1"]))
            #expect(actions.contains("send <r/>") == (number >= 4))
        }
        let actions = core.resume(h: 0)
        #expect(actions.contains("report #1 failed id=large losses(5)"))
        #expect(actions.contains("notify deadLettered #1 losses(5)"))
        #expect(TestCore.transmitted(actions) == ["#2"])
    }

    @Test(
        "D50 No number of resets or closed streams blames a stanza that every server accepts",
        arguments: [TestCore.Core.Event.connectionReset, .peerClosed])
    func small(end: TestCore.Core.Event) {
        let core = TestCore.enabled()
        core.send(message("m1", bytes: 9_900))
        for _ in 1...100 {
            core.handle(end)
            core.resume(h: 0)
        }
        #expect(core.unacknowledged.map(\.losses) == [0])
    }

    @Test("D50 Resets that are not in a row are a bad network", arguments: [true, false])
    func notInARow(isTimedOut: Bool) {
        let core = TestCore.enabled(.quiet { $0.acknowledgementTimeout = .seconds(10) })
        core.send(message("large", bytes: Self.large))
        for number in 1...100 {
            let isReset = !number.isMultiple(of: 4)
            if isReset {
                core.handle(.connectionReset)
            } else if isTimedOut {
                core.handle(.requestAcknowledgement)
                core.wait(.seconds(10))
                core.handle(.deadline(.missingAcknowledgement))
            } else {
                core.handle(.transportLost)
            }
            core.resume(h: 0)
        }
        #expect(core.unacknowledged.map(\.losses) == [0])
    }

    @Test("D50 A stream that the server closes counts like a reset, and without stream management, too")
    func closedInBetween() {
        let core = TestCore.enabled()
        core.send(message("large", bytes: Self.large))
        for _ in 1...3 {
            core.handle(.connectionReset)
            core.resume(h: 0)
        }
        core.handle(.peerClosed)
        #expect(core.unacknowledged.map(\.losses) == [1])
        core.resume(h: 0)
        core.handle(.connectionReset)
        #expect(core.unacknowledged.map(\.losses) == [1])
        let other = TestCore()
        other.send(message("large", bytes: Self.large))
        for number in 1...8 {
            other.handle(.bound(address: nil))
            other.handle(.peerClosed)
            other.handle(.transportLost)
            #expect(other.unacknowledged.map(\.losses) == [number / 4])
        }
    }

    @Test("D50 A connection that is reset before the session is resumed blames no stanza")
    func beforeResumption() {
        let core = TestCore.enabled()
        core.send(message("large", bytes: Self.large))
        for _ in 1...100 {
            core.handle(.transportLost)
            core.handle(.resume)
            core.handle(.connectionReset)
            core.resume(h: 0)
        }
        #expect(core.unacknowledged.map(\.losses) == [0])
    }

    @Test("D50 An acknowledgement acquits a stanza that resets have blamed, and the next one restarts")
    func acquittal() {
        let core = TestCore.enabled()
        for id in ["m1", "m2"] { core.send(message(id, bytes: Self.large)) }
        for _ in 1...3 {
            core.handle(.connectionReset)
            core.resume(h: 0)
        }
        core.receive("<sm:a h='1'/>")
        core.handle(.connectionReset)
        #expect(core.unacknowledged.map(\.losses) == [0])
    }

    @Test("D50 Resets blame a large stanza after small ones, which go before it")
    func smallOnesFirst() {
        let core = TestCore.enabled()
        core.send("<message id='m1'/>")
        core.send(message("large", bytes: Self.large))
        for _ in 1...4 {
            core.handle(.connectionReset)
            if core.canResume {
                core.handle(.resume)
                core.receive("<sm:failed/>")
            }
            core.handle(.enable(resumption: true, maximum: nil, address: nil))
        }
        #expect(core.unacknowledged.map(\.losses) == [0, 1])
        #expect(core.unacknowledged.map(\.isSent) == [true, false])
        #expect(core.receive("<sm:enabled id='s2' resume='true'/>").contains("send <r/>"))
        #expect(TestCore.transmitted(core.receive("<sm:a h='1'/>")) == ["#2"])
    }

    @Test("D50 Stanzas that take turns are found, too")
    func takingTurns() {
        func stanza(_ number: UInt64) -> OutgoingStanza {
            OutgoingStanza(
                number: OutgoingNumber(rawValue: number), id: nil,
                element: element(message("m\(number)", bytes: Self.large)), firstSent: TestCore.start,
                isSent: false, losses: 1)
        }
        // The application is asked about each suspect, and sends it again after the other one.
        let core = TestCore(
            .quiet { $0.failurePolicy = .ask }, restoring: StoredSession(pending: [stanza(1), stanza(2)]))
        for number in 1...8 {
            #expect(TestCore.transmitted(core.text(.bound(address: nil))) == ["#\(number.isMultiple(of: 2) ? 2 : 1)"])
            core.handle(.connectionReset)
            core.handle(.decide(resend: Set(core.undecided.map(\.number))))
        }
        #expect(core.unacknowledged.map(\.losses) == [2, 2])
    }

    @Test("D50 Losses by resets are stored, and count without stream management, too")
    func stored() {
        let storage = MemoryStorage()
        let core = TestCore()
        storage.perform(core.handle(.send(element(message("large", bytes: Self.large)), id: nil)))
        for _ in 1...8 {
            storage.perform(core.handle(.bound(address: nil)))
            storage.perform(core.handle(.connectionReset))
        }
        #expect(storage.session(of: "juliet@example.org")?.pending.map(\.losses) == [2])
        // The next process continues.
        let next = TestCore(restoring: storage.session(of: "juliet@example.org"))
        #expect(next.unacknowledged.map(\.losses) == [2])
    }

    @Test("D50 A violation before the session is resumed blames no stanza of it")
    func violationBeforeResumption() {
        let core = TestCore.enabled()
        core.send("<message id='m1'/>")
        core.handle(.transportLost)
        core.handle(.resume)
        core.receive("<sm:resumed previd='s1' h='7'/>")
        #expect(core.unacknowledged.map(\.losses) == [0])
    }

    @Test("D50 A violation without stream management blames the stanzas in flight")
    func violationWithoutStreamManagement() {
        let storage = MemoryStorage()
        let core = TestCore()
        storage.perform(core.handle(.send(element("<message id='m1'/>"), id: nil)))
        storage.perform(core.handle(.bound(address: nil)))
        storage.perform(core.handle(.received(element("<sm:a h='1'/>"))))
        storage.perform(core.handle(.transportLost))
        #expect(storage.session(of: "juliet@example.org")?.pending.map(\.losses) == [1])
    }

    @Test("D50 A server that breaks the protocol each time gets a stanza five times, and no more")
    func violations() {
        let core = TestCore()
        core.send("<message id='m1'/>")
        var transmissions = 0
        for number in 1...10 {
            let actions = core.text(.enable(resumption: true, maximum: nil, address: nil))
            transmissions += TestCore.transmitted(actions).count
            core.receive("<sm:enabled id='s\(number)' resume='true'/>")
            core.receive("<sm:a h='7'/>")
            core.handle(.transportLost)
        }
        #expect(transmissions == 5)
        #expect(core.unacknowledged.isEmpty)
    }
}
