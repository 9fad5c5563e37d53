// The session's owner during the loop of connections: errors that end the loop, and errors after which it tries again.

import StreamManagement
import StreamSimulator
import TestSupport
import Testing
import XMLTree
import XMPPCore

@Suite struct OwnershipTests {
    private static let account: JID = "juliet@example.org"

    @Test("A takeover that is noticed while the stream ends for another reason ends the loop")
    func takeoverWhileClosing() async throws {
        let storage = MemoryStorage()
        let session = try await StreamSession(account: Self.account, storage: storage, clock: ManualClock())
        let connector = TestConnector()
        let run = Task { try await session.run(connecting: connector, policy: .impatient) }
        let server = try await connector.server(1)
        try await session.until { $0.state == .enabled }
        // The stream closes after the outbox, which cannot be written now.
        server.holdWrites(true)
        try await session.send(element("<iq/>"))
        server.say("<sm:a h='7'/>")
        try await session.until { $0.state == .ended }
        let other = try await StreamSession(account: Self.account, storage: storage, takingOver: true)
        await #expect(throws: StorageError.takenOver(account: Self.account)) {
            try await session.send(element("<message/>"))
        }
        server.holdWrites(false)
        #expect("\(try await run.value)" == "takenOver")
        #expect(connector.places.count == 1)
        await other.close()
    }

    /// The end tag of the stream would end the session for its new owner.
    @Test("D34 A session that is closed after another owner took it cuts its stream", arguments: [false, true])
    func closingTaken(hasUnstoredCount: Bool) async throws {
        let storage = MemoryStorage()
        let session = try await StreamSession.quiet(storage)
        let server = ScriptedTransport.server()
        let run = try await session.enabled(on: server)
        if hasUnstoredCount {
            server.say("<message id='in1'/>")
            _ = await session.takeStanzas(atMost: 1, bytes: .max)
        }
        let other = try await StreamSession(account: Self.account, storage: storage, takingOver: true)
        await session.close()
        #expect("\(try await run.value)" == "takenOver")
        #expect(server.heard.contains("abort") && !server.heard.contains("close"))
        #expect(await other.canResume)
        await other.close()
    }

    @Test("Effects in a storage that does not keep the session change nothing: with a stream, and without")
    func foreignEffects() async throws {
        let clock = ManualClock()
        let session = try await StreamSession(account: Self.account, storage: MemoryStorage(), clock: clock)
        let connector = TestConnector(errors: [.init(isFinal: false)])
        var policy = ReconnectionPolicy.impatient
        policy.first = .seconds(1)
        policy.jitter = 0
        let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
        try await connector.until { $0.places.count == 1 }
        try await clock.until { $0.sleeperCount == 1 }
        await #expect(throws: StorageError.takesNoEffects) {
            try await session.commit(nil, with: NoEffects(storage: CountingStorage()))
        }
        clock.advance(by: .seconds(1))
        // The session connects again, and continues.
        let server = try await connector.server(1)
        try await session.until { $0.state == .enabled }
        await #expect(throws: StorageError.takesNoEffects) {
            try await session.commit(nil, with: NoEffects(storage: CountingStorage()))
        }
        let sent = try await session.send(element("<message/>"))
        try await sent.becomes(.sent)
        #expect(server.heard.last == "<message/>")
        await session.close()
        #expect("\(try await run.value)" == "closed")
    }

    /// Runs the session; when the body is done, it is closed.
    private func run(
        _ session: StreamSession, _ connector: TestConnector, _ body: () async throws -> Void
    ) async throws {
        let run = Task { try await session.run(connecting: connector, policy: .impatient) }
        try await session.until { $0.state == .enabled }
        try await body()
        await session.close()
        #expect("\(try await run.value)" == "closed")
    }

    @Test("A storage that cannot be opened for now only fails an attempt", arguments: [false, true])
    func busyOpening(asksInline: Bool) async throws {
        let storage = CountingStorage()
        let session = try await StreamSession(account: Self.account, storage: storage, clock: ManualClock())
        try await session.suspend()
        storage.failOpening([Full(), Full()])
        let connector = TestConnector(asksInline: asksInline)
        try await run(session, connector) { #expect(connector.places.count == 3) }
    }

    @Test("Taking the session back ends the loop of the old owner: the app has to connect again")
    func takenBack() async throws {
        let storage = MemoryStorage()
        let session = try await StreamSession(account: Self.account, storage: storage, clock: ManualClock())
        let connector = TestConnector(errors: [.init(isFinal: false)])
        var policy = ReconnectionPolicy.impatient
        policy.first = .seconds(3600)
        policy.maximum = .seconds(3600)
        policy.jitter = 0
        let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
        try await connector.until { $0.places.count == 1 }
        let other = try await StreamSession(account: Self.account, storage: storage, takingOver: true)
        try await session.claim(takingOver: true)
        #expect("\(try await run.value)" == "takenOver")
        await #expect(throws: StorageError.takenOver(account: Self.account)) {
            try await other.send(element("<message/>"))
        }
        let again = Task { try await session.run(connecting: connector, policy: policy) }
        _ = try await connector.server(1)
        await session.close()
        #expect("\(try await again.value)" == "closed")
    }
}
