// The rules about storage: R38 to R40, R45 to R47, D49.

import Foundation
import Locking
import StreamManagement
import StreamSimulator
import TestSupport
import Testing
import XMLTree

@Suite struct StorageRules {
    @Test("R38 A stanza is stored before it is sent, and sent on resumption if it was not")
    func storedBeforeSent() {
        let core = TestCore.enabled()
        #expect(core.send("<message id='m1'/>") == ["store append #1", "transmit #1 <message id='m1'/>"])
        // Killed between the two: the next process sends the stored stanza.
        let stored = StoredSession(
            resumption: core.resumption, lastDisconnect: TestCore.start, pending: core.unacknowledged)
        let next = TestCore(restoring: stored)
        #expect(TestCore.sent(next.resume(h: 0)).first?.hasPrefix("transmit #1 <message id='m1'>") == true)
    }

    @Test("R39 The core stores h before it sends h, and never ahead of the handled stanzas")
    func handledBeforeReported() {
        let core = TestCore.enabled()
        core.receiveMessage("1", handled: false)
        #expect(core.receive("<sm:r/>") == ["send <a h='0'/>"])
        let number = core.receiveMessage("2", handled: false)
        if let number { #expect(core.text(.markHandled(number)) == []) }
        #expect(core.text(.markHandled(IncomingNumber(rawValue: 1))) == ["store later handled 2"])
        #expect(core.receive("<sm:r/>") == ["store handled 2", "send <a h='2'/>"])
    }

    @Test("R40 A stanza ends one process more than the attempts that are counted", arguments: [1, 3, 5])
    func poison(limit: Int) {
        let storage = MemoryStorage()
        var delivered = 0
        var actions: [String] = []
        for start in 1...10 {
            let core = TestCore(
                .quiet { $0.maximumHandlingAttempts = limit },
                restoring: start == 1 ? nil : storage.session(of: "juliet@example.org"))
            if start == 1 {
                storage.perform(core.handle(.enable(resumption: true, maximum: nil, address: nil)))
                storage.perform(core.handle(.received(element("<sm:enabled id='s1' resume='true'/>"))))
            } else {
                core.handle(.resume)
                storage.perform(core.handle(.received(element("<sm:resumed previd='s1' h='0'/>"))))
            }
            let received = core.handle(.received(element("<message id='poison'/>")))
            storage.perform(received)
            actions = received.map(\.text)
            if actions.contains(where: { $0.hasPrefix("deliver") }) { delivered += 1 } else { break }
            // Handling it kills the process.
        }
        // Once on the live stream, which is not counted, and then once for each counted attempt.
        #expect(delivered == limit + 1)
        #expect(
            actions == [
                "notify incomingDeadLetter <message id='poison'/> after \(limit)", "store handled 1",
                "store handlingAttempts 0",
            ])
    }

    @Test(
        "R40 The core dead-letters a stanza that ends the process after others, and none of the others",
        arguments: [WritePolicy.durable, .relaxed])
    func poisonAfterOthers(policy: WritePolicy) throws {
        let storage = MemoryStorage()
        var (handled, deadLetters): ([String], [String]) = ([], [])
        for process in 1...20 {
            let stored = try storage.open("juliet@example.org")
            let store = QueuedStore(stored, policy: policy)
            // Killed at the end of this round: the held-back changes are lost.
            defer { store.close() }
            let core = TestCore(.quiet { $0.maximumHandlingAttempts = 3 }, restoring: try stored.load())
            func perform(_ event: TestCore.Core.Event) throws -> [TestCore.Core.Action] {
                let actions = core.handle(event)
                try store.perform(actions)
                for case .notify(.incomingDeadLetter(let element, _)) in actions {
                    deadLetters.append(element["id"] ?? "")
                }
                return actions
            }
            _ = try perform(process == 1 ? .enable(resumption: true, maximum: nil, address: nil) : .resume)
            let told = Int(core.handled)
            let answer = process == 1 ? "<sm:enabled id='s1' resume='true'/>" : "<sm:resumed previd='s1' h='0'/>"
            _ = try perform(.received(element(answer)))
            var isAlive = true
            for id in ["a", "b", "poison", "c"].dropFirst(told) where isAlive {
                for case .deliver(let stanza) in try perform(.received(element("<message id='\(id)'/>"))) {
                    if id == "poison" {
                        isAlive = false
                    } else if let number = stanza.number {
                        handled.append(id)
                        _ = try perform(.markHandled(number))
                    }
                }
            }
            if isAlive { break }
        }
        #expect(deadLetters == ["poison"])
        #expect(handled.last == "c")
    }

    /// A core that resumes a session whose process ended once while it handled a stanza.
    private static func recovering() -> TestCore {
        let session = StoredSession(
            resumption: ResumptionID("s1").map { Resumption(id: $0) }, lastDisconnect: TestCore.start,
            handlingAttempts: 1)
        let core = TestCore(restoring: session)
        core.resume(h: 0)
        return core
    }

    @Test("R40 The core stores counts late again after the server has delivered all earlier stanzas")
    func recovered() {
        let core = Self.recovering()
        #expect(core.receive("<message id='1'/>") == ["store handlingAttempts 2", "deliver @1 <message id='1'/>"])
        #expect(
            core.text(.markHandled(IncomingNumber(rawValue: 1))) == ["store handled 1", "store handlingAttempts 0"])
        core.receive("<sm:a h='0'/>")
        core.receive("<message id='2'/>")
        #expect(core.text(.markHandled(IncomingNumber(rawValue: 2))) == ["store later handled 2"])
    }

    @Test("R40 Counts are stored at once until all redelivered stanzas are handled, even after the server's answer")
    func answerBeforeHandling() {
        let core = Self.recovering()
        core.receive("<message id='1'/>")
        core.receive("<message id='2'/>")
        core.receive("<sm:a h='0'/>")
        core.receive("<message id='3'/>")
        for number: UInt64 in [1, 2] {
            #expect(
                core.text(.markHandled(IncomingNumber(rawValue: number))) == [
                    "store handled \(number)", "store handlingAttempts 0",
                ])
        }
        #expect(core.text(.markHandled(IncomingNumber(rawValue: 3))) == ["store later handled 3"])
    }

    @Test("R40 The core gives up a stanza that ends the process after a stanza beyond a limit")
    func poisonAfterRejected() throws {
        let storage = MemoryStorage()
        var deliveries = 0
        for process in 1...10 {
            let stored = try storage.open("juliet@example.org")
            let store = QueuedStore(stored, policy: .relaxed)
            defer { store.close() }
            let core = TestCore(.quiet { $0.maximumHandlingAttempts = 3 }, restoring: try stored.load())
            func perform(_ event: TestCore.Core.Event) throws -> [TestCore.Core.Action] {
                let actions = core.handle(event)
                try store.perform(actions)
                return actions
            }
            _ = try perform(process == 1 ? .enable(resumption: true, maximum: nil, address: nil) : .resume)
            let told = Int(core.handled)
            let answer = process == 1 ? "<sm:enabled id='s1' resume='true'/>" : "<sm:resumed previd='s1' h='0'/>"
            _ = try perform(.received(element(answer)))
            if told < 1 { _ = try perform(.rejected(rejected("<message id='large'><a><b/></a></message>"))) }
            let actions = try perform(.received(element("<message id='poison'/>")))
            guard actions.contains(where: { $0.text.hasPrefix("deliver") }) else { break }
            // Handling it kills the process.
            deliveries += 1
        }
        // Once on the live stream, and three times for processes that found it unhandled.
        #expect(deliveries == 4)
    }

    @Test("R40 The core delivers a failed stanza again, and gives it up at last")
    func failing() throws {
        let core = TestCore.enabled(.quiet { $0.maximumHandlingAttempts = 3 })
        guard case .deliver(let stanza)? = core.handle(.received(element("<message id='p'/>"))).first
        else { throw Unexpected() }
        #expect(core.text(.handlingFailed(stanza)) == ["store handlingAttempts 1", "deliver @1 <message id='p'/>"])
        #expect(core.text(.handlingFailed(stanza)) == ["store handlingAttempts 2", "deliver @1 <message id='p'/>"])
        #expect(
            core.text(.handlingFailed(stanza)) == [
                "notify incomingDeadLetter <message id='p'/> after 3", "store handled 1", "store handlingAttempts 0",
            ])
        #expect(core.text(.handlingFailed(stanza)) == [])
        #expect(core.handled == 1)
    }

    @Test("R40 Successful handling restarts the count of attempts")
    func success() {
        let session = StoredSession(resumption: Resumption(id: ResumptionID("s1")!), handlingAttempts: 2)
        #expect(StoredSession.applying(.handled(StanzaCounter(rawValue: 1)), to: session)?.handlingAttempts == 0)
    }

    @Test("R45 Storing a new resumption id clears the counters and stanzas of the account")
    func replaced() {
        let storage = MemoryStorage()
        let core = TestCore.enabled()
        for _ in 1...3 {
            storage.perform(core.handle(.send(element("<iq/>"), id: nil)))
            core.receiveMessage("in")
        }
        storage.perform(core.handle(.sendAcknowledgement))
        storage.perform(core.handle(.transportLost))
        #expect(storage.session(of: "juliet@example.org")?.handledByClient.rawValue == 3)
        storage.perform(core.handle(.enable(resumption: true, maximum: nil, address: nil)))
        storage.perform(core.handle(.received(element("<sm:enabled id='s2' resume='true'/>"))))
        let session = storage.session(of: "juliet@example.org")
        #expect(session?.resumption?.id.rawValue == "s2")
        #expect(session?.handledByClient == .zero)
        #expect(session?.handledByServer == .zero)
        #expect(session?.pending == [])
    }

    @Test("R46 Stanzas handled or identified after the disconnect are stored, and count in the next <resume/>")
    func late() {
        let core = TestCore.enabled()
        let number = core.receiveMessage("1", handled: false)
        core.send("<message/>")
        core.handle(.transportLost)
        if let number { #expect(core.text(.markHandled(number)) == ["store handled 1"]) }
        #expect(core.text(.identify(OutgoingNumber(rawValue: 1), as: "late")) == ["store identify #1 as late"])
        #expect(core.text(.resume) == ["send <resume previd='s1' h='1'/>"])
        #expect(core.receive("<sm:resumed previd='s1' h='1'/>").contains("report #1 acknowledged id=late"))
        #expect(core.refusal(of: .identify(OutgoingNumber(rawValue: 7), as: "x")) == .unknownStanza)
        #expect(core.text(.identify(OutgoingNumber(rawValue: 1), as: "too late")) == [])
    }

    @Test("R46 The next ack counts stanzas handled between <resume/> and <resumed/>, and the core delivers no replays")
    func meanwhile() {
        let core = TestCore.enabled(.quiet { $0.acknowledgements.count = 1 })
        let numbers = (1...3).compactMap { core.receiveMessage("\($0)", handled: false) }
        core.handle(.transportLost)
        core.handle(.resume)
        #expect(core.text(.markHandled(numbers[0])) == ["store handled 1"])
        #expect(TestCore.sent(core.receive("<sm:resumed previd='s1' h='0'/>")) == ["send <a h='1'/>"])
        // The server replays the unacknowledged stanzas; the application has all of them already.
        for id in 1...3 { #expect(core.receive("<message id='\(id)'/>") == []) }
        #expect(core.receive("<message id='4'/>") == ["deliver @4 <message id='4'/>"])
        core.handle(.markHandled(numbers[2]))
        #expect(TestCore.sent(core.text(.markHandled(numbers[1]))) == ["send <a h='3'/>"])
    }

    @Test("R47 The time of the last disconnect is refreshed while connected")
    func refreshed() {
        let core = TestCore.enabled(.quiet { $0.disconnectRefreshInterval = .seconds(30) })
        for count in 1...3 {
            core.wait(.seconds(30))
            #expect(
                core.text(.deadline(.refresh)) == [
                    "store if possible lastDisconnect \(1_000_000.0 + Double(count) * 30)",
                    "arm refresh at \(30.0 + Double(count) * 30)",
                ])
        }
        #expect(core.text(.transportLost) == ["cancel refresh", "store lastDisconnect 1000090.0"])
    }

    private static let stanza = OutgoingStanza(
        number: OutgoingNumber(rawValue: 1), id: nil, element: element("<iq/>"), firstSent: nil, isSent: true)

    private static func handled(_ count: UInt32) -> StorageChange { .handled(StanzaCounter(rawValue: count)) }

    private static func acknowledged(_ counter: UInt32, _ count: Int) -> StorageChange {
        .acknowledge(StanzaCounter(rawValue: counter), count: count)
    }

    @Test("D49 Deferrable changes wait for the next write; sent stanzas and counts are durable before")
    func urgency() throws {
        let writes = RecordingStore()
        let store = QueuedStore(writes)
        try store.perform(Self.acknowledged(2, 2), .deferrable)
        try store.perform(Self.handled(1), .deferrable)
        try store.perform(Self.handled(2), .deferrable)
        try store.perform(Self.acknowledged(5, 3), .deferrable)
        #expect(writes.batches.isEmpty)
        try store.perform(.append(Self.stanza), .immediate)
        #expect(writes.batches == [[.append(Self.stanza), Self.acknowledged(5, 5), Self.handled(2)]])
        try store.perform(Self.handled(3), .immediate)
        #expect(writes.batches.count == 2)
        try store.perform(.lastDisconnect(TestCore.start), .deferrable)
        try store.flush()
        #expect(writes.batches.last == [.lastDisconnect(TestCore.start)])
        try store.flush()
        #expect(writes.batches.count == 3)
    }

    @Test("D51 A write that fails changes nothing, and its changes wait for the next one")
    func held() throws {
        let storage = CountingStorage()
        let store = QueuedStore(storage)
        try store.perform(Self.handled(1), .deferrable)
        storage.fail(Full())
        #expect(throws: Full.self) { try store.perform(.unansweredResumptions(1), .prompt) }
        #expect(throws: Full.self) { try store.flush() }
        try store.perform(.lastDisconnect(TestCore.start), .deferrable)
        storage.fail(nil)
        try store.flush()
        let expected = StoredSession(
            lastDisconnect: TestCore.start, handledByClient: StanzaCounter(rawValue: 1), unansweredResumptions: 1)
        #expect(try storage.load() == expected)
        #expect(storage.writeCount == 1)
    }

    @Test("D51 A storage that fails is asked again after as many further changes as the policy holds back")
    func heldLong() throws {
        let storage = CountingStorage()
        storage.fail(Full())
        let store = QueuedStore(storage)
        for count in UInt32(1)...300 { try? store.perform(Self.handled(count), .deferrable) }
        #expect(storage.failedWriteCount == 3)
        storage.fail(nil)
        try store.flush()
        #expect(try storage.load()?.handledByClient.rawValue == 300)
    }

    @Test("D49 A laxer policy holds back more, up to a bound, and never a change that replaces a session")
    func relaxed() throws {
        let writes = RecordingStore()
        let store = QueuedStore(writes, policy: .relaxed)
        for count in UInt32(1)...99 { try store.perform(Self.handled(count), .immediate) }
        #expect(writes.batches.isEmpty)
        try store.perform(Self.handled(100), .immediate)
        #expect(writes.batches == [[Self.handled(100)]])
        try store.perform(Self.acknowledged(0, 1), .deferrable)
        try store.perform(.replace(StoredSession()), .immediate)
        #expect(writes.batches.last == [.replace(StoredSession())])
    }

    // MARK: Stanzas that are not stored

    @Test("D51 Stanzas that are taken back leave the counts, and later ones are sent with the next count")
    func revoked() throws {
        let test = TestCore.enabled(.quiet { $0.acknowledgementRequests = .init(count: 1, interval: .zero) })
        for id in ["1", "2", "3"] { test.send("<iq id='\(id)'/>") }
        #expect(test.revoke([OutgoingNumber(rawValue: 2)]).first?.hasPrefix("store replace") == true)
        #expect(test.unacknowledged.map(\.id) == ["1", "3"])
        test.receive("<sm:a h='2'/>")
        #expect(test.unacknowledged.isEmpty && test.acknowledged == 2)
        #expect(test.revoke([OutgoingNumber(rawValue: 2)]).isEmpty)
    }

    @Test("D49 A handled count that a transaction has stored is not stored again, nor replaced by an earlier one")
    func handledInTransaction() throws {
        let test = TestCore.enabled(.quiet)
        let numbers = (1...3).compactMap { test.receiveMessage("\($0)", handled: false) }
        let (actions, isStored) = test.markHandled(Array(numbers.prefix(2)), stored: 2)
        #expect(isStored && actions.isEmpty)
        #expect(test.text(.sendAcknowledgement) == ["send <a h='2'/>"])
        // A later stanza was handled before.
        #expect(test.text(.markHandled(numbers[2])) == ["store later handled 3"])
        var commits = CommitQueue()
        var event = CommitQueue.EventState()
        _ = commits.pass(.store(Self.handled(1), .immediate), of: &event)
        commits.handledCountIsStored(StanzaCounter(rawValue: 2))
        #expect(commits.begin() == [])
    }

    /// The stanza of the report, which was rejected, may be among those that it counts.
    @Test("R39 An acknowledgement waits for the reports before it, and the last one covers the others")
    func acknowledgedAfterReports() {
        var commits = CommitQueue()
        func pass(_ actions: StreamManagementCore.Action...) {
            var event = CommitQueue.EventState()
            for action in actions { _ = commits.pass(action, of: &event) }
        }
        func released() -> [String] {
            var texts: [String] = []
            while case .action(let action, _)? = commits.next() { texts.append(action.text) }
            return texts
        }
        pass(.store(.append(Self.stanza), .immediate), .pass(element("<a/>")))
        #expect(commits.begin()?.count == 1)
        pass(.store(.hold(Self.stanza), .immediate), .pass(element("<b/>")))
        for count in UInt32(1)...2 { pass(.send(.acknowledgement(StanzaCounter(rawValue: count)))) }
        commits.wasWritten()
        #expect(released() == ["pass <a/>"])
        #expect(commits.begin()?.count == 1 && commits.holdsBack)
        commits.wasWritten()
        #expect(released() == ["pass <b/>", "send <a h='2'/>"])
        #expect(!commits.holdsBack)
    }
}

/// Notes each write.
final class RecordingStore: SessionStore {
    private let written = Lock<[[StorageChange]]>([])

    var batches: [[StorageChange]] { written.withLock { $0 } }

    func load() throws -> StoredSession? { nil }
    func write(_ changes: [StorageChange]) throws {
        written.withLock { $0.append(changes) }
    }
    func close() {}
}

extension MemoryStorage {
    /// Performs a core's changes to the storage, for one account.
    func perform(_ actions: [StreamManagementCore.Action]) {
        for case .store(let change, _) in actions {
            do {
                let store = try open("juliet@example.org")
                defer { store.close() }
                try store.write([change])
            } catch {
                Issue.record(error)
            }
        }
    }
}
