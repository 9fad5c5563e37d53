// The queue of commits, the storage in memory, and stanzas that end processes (rules M36, D49, D51 and R40).

import Foundation
import Locking
import Simulators
import StreamManagement
import TestSupport
import Testing
import XMLTree

@Suite struct StoringTests {
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
        for change in [Self.acknowledged(2, 2), Self.handled(1), Self.handled(2), Self.acknowledged(5, 3)] {
            try store.perform(change, .deferrable)
        }
        #expect(writes.batches.isEmpty)
        try store.perform(.append(Self.stanza), .immediate)
        try store.perform(Self.handled(3), .immediate)
        try store.perform(.lastDisconnect(TestCore.start), .deferrable)
        try store.flush()
        try store.flush()
        #expect(
            writes.batches == [
                [.append(Self.stanza), Self.acknowledged(5, 5), Self.handled(2)], [Self.handled(3)],
                [.lastDisconnect(TestCore.start)],
            ])
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

    @Test("D51 Changes of a write that fails wait for the next one, and for as many changes as the policy holds back")
    func held() throws {
        let storage = CountingStorage()
        let store = QueuedStore(storage)
        storage.fail(Full())
        #expect(throws: Full.self) { try store.perform(.unansweredResumptions(1), .prompt) }
        #expect(throws: Full.self) { try store.flush() }
        for count in UInt32(1)...300 { try? store.perform(Self.handled(count), .deferrable) }
        #expect(storage.failedWriteCount == 5)
        storage.fail(nil)
        try store.flush()
        let expected = StoredSession(handledByClient: StanzaCounter(rawValue: 300), unansweredResumptions: 1)
        #expect(try storage.load() == expected)
        #expect(storage.writeCount == 1)
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

    @Test("M36 One of two owners of a stored session gets an error, and a released store owns nothing")
    func oneOwner() throws {
        let storage = MemoryStorage()
        do {
            let first = try storage.open("juliet@example.org")
            #expect(throws: StorageError.inUse(account: "juliet@example.org")) {
                try storage.open("juliet@example.org")
            }
            let second = try storage.open("juliet@example.org", takingOver: true)
            for access in [{ try first.write([Self.handled(0)]) }, { _ = try first.load() }] {
                #expect(throws: StorageError.takenOver(account: "juliet@example.org")) { try access() }
            }
            try second.write([.replace(StoredSession(address: "a"))])
            // Closing the old owner's store changes nothing for the new owner.
            first.close()
            #expect(throws: StorageError.inUse(account: "juliet@example.org")) {
                try storage.open("juliet@example.org")
            }
            second.close()
            _ = try storage.open("juliet@example.org")
        }
        #expect(try storage.open("juliet@example.org").load()?.address == "a")
    }

    @Test(
        "R40 A stanza ends one process more than the attempts that are counted, and is dead-lettered alone",
        arguments: [WritePolicy.durable, .relaxed], [["poison"], ["large", "poison"], ["a", "b", "poison", "c"]])
    func poison(policy: WritePolicy, ids: [String]) throws {
        let limit = 3
        let storage = MemoryStorage()
        var (handled, deadLetters): ([String], [String]) = ([], [])
        var deaths = 0
        for process in 1...20 {
            let stored = try storage.open("juliet@example.org")
            let store = QueuedStore(stored, policy: policy)
            // Killed at the end of this round: the held-back changes are lost.
            defer { store.close() }
            let core = TestCore(.quiet { $0.maximumHandlingAttempts = limit }, restoring: try stored.load())
            func perform(_ event: TestCore.Core.Event) throws -> [TestCore.Core.Action] {
                let actions = core.handle(event)
                try store.perform(actions)
                for case .notify(.incomingDeadLetter(let element, let attempts)) in actions {
                    deadLetters.append("\(element["id"] ?? "") after \(attempts)")
                }
                return actions
            }
            _ = try perform(process == 1 ? .enable(resumption: true, maximum: nil, address: nil) : .resume)
            let told = Int(core.handled)
            let answer = process == 1 ? "<sm:enabled id='s1' resume='true'/>" : "<sm:resumed previd='s1' h='0'/>"
            _ = try perform(.received(element(answer)))
            var isAlive = true
            for id in ids.dropFirst(told) where isAlive {
                if id == "large" { _ = try perform(.rejected(rejected("<message id='large'><a><b/></a></message>"))) }
                guard id != "large" else { continue }
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
            deaths += 1
        }
        #expect(deadLetters == ["poison after \(limit)"])
        if ids.count < 4 { #expect(deaths == limit + 1) } else { #expect(handled.last == "c") }
    }
}
