// A storage that cannot store anything for a while, such as one on a full disk (D51).

import Locking
import StreamManagement
import StreamSimulator
import TestSupport
import Testing
import XMLTree
import XMPPCore

@Suite struct FullStorageTests {
    private static let account: JID = "juliet@example.org"

    /// A session that connects again and again, and its servers.
    private final class Line: StreamSessionDelegate, Changing {
        let changes = Changes()
        let session: StreamSession
        let storage = CountingStorage()
        let clock = ManualClock()
        private let failures = Lock<[ConnectionFailure]>([])
        /// The count with which the server resumes the session.
        private let h: Int
        private let servers = Lock<[ScriptedTransport]>([])
        private let running = Lock<Task<StreamEnd, any Error>?>(nil)

        init(
            handling: HandlingPolicy = .deciding { _ in .pending(id: nil) }, resumedWith h: Int = 0
        ) async throws {
            session = try await StreamSession.quiet(storage, resumes: true, handling: handling, clock: clock)
            self.h = h
            await session.setDelegate(self)
        }

        func session(_ session: StreamSession, didReceive event: SessionEvent) {
            if case .notConnected(let failure) = event { failures.withLock { $0.append(failure) } }
            changes.note()
        }

        /// The attempts to connect that the session has reported as failed.
        var failedAttempts: [ConnectionFailure] { failures.withLock(\.self) }

        func start() {
            let connector = ConnectorOf { [self] _, _ in
                let server = ScriptedTransport.server(resumedWith: h)
                servers.withLock { $0.append(server) }
                changes.note()
                return ConnectedStream(server)
            }
            let run = Task { [session] in try await session.run(connecting: connector, policy: .impatient) }
            running.withLock { $0 = run }
        }

        var connections: [ScriptedTransport] { servers.withLock(\.self) }

        /// Runs the session until it is enabled.
        func enabled() async throws {
            if running.withLock({ $0 == nil }) { start() }
            try await self.session.until { $0.state == .enabled }
        }

        /// The server of the current connection.
        var server: ScriptedTransport {
            get throws { try #require(connections.last) }
        }

        /// Receives a stanza, and takes it.
        func take(_ id: String) async throws -> ReceivedStanza {
            try server.say("<message id='\(id)'/>")
            return try #require(await session.takeStanzas(atMost: 1, bytes: .max).first?.stanza)
        }

        /// Waits until more attempts have failed than the run allows for other errors of the storage. None connects.
        func failOften() async throws {
            let (connected, failed) = (connections.count, failedAttempts.count)
            try await until { $0.failedAttempts.count > failed + 11 }
            #expect(connections.count == connected)
            #expect(failedAttempts.allSatisfy { $0 == ConnectionFailure(error: Full()) })
        }

        /// The elements that the session sends first when the storage works again.
        func continued(_ count: Int) async throws -> [String] {
            let connected = connections.count
            storage.fail(nil)
            try await until { $0.connections.count > connected }
            try await server.until { $0.heard.count >= count }
            return try Array(server.heard.prefix(count))
        }

        /// Closes the session, and expects that the run has lasted until then.
        func close() async throws {
            await session.close()
            #expect(try await running.withLock(\.self)?.value == .closed)
        }
    }

    private static func message(_ id: String) -> Element { element("<message id='\(id)'/>") }

    // MARK: Requests of the app

    @Test("D51 A stanza that cannot be stored is not sent, and its sender gets the error")
    func sending() async throws {
        let line = try await Line()
        try await line.enabled()
        let first = try await line.session.send(Self.message("m1"))
        line.storage.fail(Full())
        for _ in 1...3 {
            await #expect(throws: Full()) { try await line.session.send(Self.message("never")) }
            await #expect(throws: Full()) {
                try await line.session.send(contentsOf: [Self.message("never"), Self.message("never")])
            }
        }
        #expect(await line.session.unacknowledged.map(\.number) == [first.number])
        line.storage.fail(nil)
        let second = try await line.session.send(Self.message("m2"))
        try await second.becomes(.sent)
        // The same stream.
        #expect(line.connections.count == 1)
        #expect(
            try line.server.heard.filter { $0.hasPrefix("<message") } == ["<message id='m1'/>", "<message id='m2'/>"])
        #expect(try line.storage.load()?.pending.map(\.number) == [first.number, second.number])
        try line.server.say("<sm:a h='2'/>")
        #expect(await second.outcome() == .acknowledged)
        try await line.close()
    }

    /// The clock does not move, so no attempt comes by itself.
    @Test("D51 A call that changes nothing waits for no later attempt to store")
    func withdrawing() async throws {
        let line = try await Line()
        try await line.enabled()
        let sent = try await line.session.send(Self.message("m1"))
        try await sent.becomes(.sent)
        line.storage.fail(Full())
        await #expect(throws: Full()) { try await line.session.send(Self.message("never")) }
        await #expect(throws: Full()) { try await line.session.withdraw(sent) }
        line.storage.fail(nil)
        try await line.session.withdraw(sent)
        #expect(await line.session.unacknowledged.map(\.number) == [sent.number])
        try await line.close()
    }

    @Test("D51 A transaction that cannot commit handles and sends nothing, and can be tried again")
    func committing() async throws {
        let line = try await Line()
        try await line.enabled()
        let stanza = try await line.take("in1")
        line.storage.fail(Full())
        for _ in 1...3 {
            await #expect(throws: Full()) {
                try await line.session.commit(
                    stanza, with: NoEffects(), sending: [Self.message("reply")])
            }
        }
        try line.server.say("<sm:r/>")
        try await line.server.until { $0.heard.contains("<a h='0'/>") }
        line.storage.fail(nil)
        let sent = try await line.session.commit(
            stanza, with: NoEffects(), sending: [Self.message("reply")])
        try await sent[0].becomes(.sent)
        try line.server.say("<sm:r/>")
        try await line.server.until { $0.heard.last == "<a h='1'/>" }
        #expect(line.connections.count == 1)
        try await line.close()
    }

    @Test("D51 Withdrawals and names that cannot be stored now are stored later, and reported then")
    func otherRequests() async throws {
        let storage = CountingStorage()
        let session = try await StreamSession.quiet(storage)
        let (first, second) = (
            try await session.send(Self.message("m1")), try await session.send(Self.message("m2"))
        )
        storage.fail(Full())
        await #expect(throws: Full()) { try await session.withdraw(first) }
        await #expect(throws: Full()) { try await session.identify(second, as: "late") }
        #expect(first.state == .queued)
        storage.fail(nil)
        try await session.flush()
        #expect(first.state == .failed)
        #expect(try storage.load()?.pending.map(\.id) == ["late"])
        await session.close()
    }

    @Test("D51 A decision that cannot be stored now is stored later") func deciding() async throws {
        let storage = CountingStorage()
        let stanza = OutgoingStanza(
            number: OutgoingNumber(rawValue: 1), id: "m1", element: Self.message("m1"), firstSent: TestCore.start,
            isSent: false)
        try storage.write([.replace(StoredSession(undecided: [stanza]))])
        let session = try await StreamSession.quiet(storage)
        let tracked = try #require(await session.tracking(stanza.number))
        storage.fail(Full())
        await #expect(throws: Full()) { try await session.decide(resend: [stanza.number]) }
        #expect(try storage.load()?.undecided.count == 1)
        storage.fail(nil)
        try await session.flush()
        #expect(try storage.load()?.pending.map(\.number) == [stanza.number])
        #expect(tracked.state == .queued)
        await session.close()
    }

    @Test("D51 A flush that fails for now loses nothing, and ends no stream") func flushing() async throws {
        let line = try await Line(handling: .onArrival)
        try await line.enabled()
        try line.server.say("<message id='in1'/>")
        _ = await line.session.takeStanzas(atMost: 1, bytes: .max)
        line.storage.fail(Full())
        await #expect(throws: Full()) { try await line.session.flush() }
        line.storage.fail(nil)
        try await line.session.flush()
        #expect(try line.storage.load()?.handledByClient.rawValue == 1)
        #expect(line.connections.count == 1)
        try await line.close()
    }

    // MARK: Events of the stream

    /// Lets the storage work again, and the time pass after which the session tries.
    private static func recover(_ line: Line) {
        line.storage.fail(nil)
        line.clock.advance(by: .seconds(1))
    }

    @Test("D51 A count that cannot be stored is sent when the storage has room, and the stream continues")
    func counting() async throws {
        let line = try await Line()
        try await line.enabled()
        _ = try await line.session.send(Self.message("m1"))
        for id in ["in1", "in2"] { try await line.session.markHandled(try await line.take(id)) }
        line.storage.fail(Full())
        try line.server.say("<sm:r/>")
        try await line.storage.until { $0.failedWriteCount > 0 }
        try await line.clock.until { $0.sleeperCount > 0 }
        #expect(try !line.server.heard.contains { $0.hasPrefix("<a ") })
        Self.recover(line)
        try await line.server.until { $0.heard.last == "<a h='2'/>" }
        #expect(try line.storage.load()?.handledByClient.rawValue == 2)
        #expect(line.connections.count == 1)
        try await line.close()
    }

    @Test("D51 A stream that is lost while the storage fails is resumed with everything that was handled and sent")
    func losing() async throws {
        let line = try await Line(handling: .onArrival)
        try await line.enabled()
        _ = try await line.session.send(element("<iq id='i1'/>"))
        line.storage.fail(Full())
        // The count is stored late.
        try line.server.say("<message id='in1'/>")
        #expect(await line.session.takeStanzas(atMost: 1, bytes: .max).count == 1)
        try line.server.cut()
        try await line.failOften()
        await #expect(throws: Full()) { try await line.session.send(element("<iq id='never'/>")) }
        #expect(try await line.continued(2) == ["<resume previd='s1' h='1'/>", "<iq id='i1'/>"])
        try await line.enabled()
        // The server numbers this one 2.
        try line.server.say("<message id='in2'/>")
        #expect(await line.session.takeStanzas(atMost: 1, bytes: .max).first?.stanza.element["id"] == "in2")
        try line.server.say("<sm:r/>")
        try await line.server.until { $0.heard.last == "<a h='2'/>" }
        try await line.close()
    }

    @Test("D51 A session that the server has enabled is stored when the storage has room, and reported then")
    func enabling() async throws {
        let line = try await Line()
        // The changes before connecting and for `<enable/>` are stored.
        line.storage.fail(Full(), after: 2)
        line.start()
        try await line.storage.until { $0.failedWriteCount > 0 }
        try await line.clock.until { $0.sleeperCount > 0 }
        #expect(try line.storage.load()?.resumption == nil)
        Self.recover(line)
        try await line.storage.until { (try? $0.load()?.resumption?.id.rawValue) == "s1" }
        try await line.enabled()
        #expect(line.connections.count == 1)
        try await line.close()
    }

    @Test("D51 Without room for its changes, no stream begins, and stanzas wait") func beginning() async throws {
        let line = try await Line()
        let sent = try await line.session.send(Self.message("m1"))
        line.storage.fail(Full())
        line.start()
        try await line.failOften()
        #expect(line.connections.isEmpty && sent.state == .queued)
        line.storage.fail(nil)
        try await line.enabled()
        try await sent.becomes(.sent)
        try await line.close()
    }

    @Test("D51 A full disk ends no stream because of the time of the last disconnect (rule R47)")
    func refreshing() async throws {
        let line = try await Line()
        await line.session.configure { $0.disconnectRefreshInterval = .seconds(30) }
        try await line.enabled()
        line.storage.fail(Full())
        for count in 1...3 {
            line.clock.advance(by: .seconds(30))
            try await line.storage.until { $0.failedWriteCount >= count }
        }
        let last = line.clock.now.date
        line.storage.fail(nil)
        // A write may still fail that began before.
        while (try? await line.session.flush()) == nil {}
        #expect(try line.storage.load()?.lastDisconnect == last)
        #expect(await line.session.state == .enabled)
        #expect(line.connections.count == 1)
        try await line.close()
    }

    @Test("D51 A failed attempt counts, and a stanza is given up, even if the storage fails") func attempts()
        async throws
    {
        let line = try await Line()
        await line.session.configure { $0.maximumHandlingAttempts = 2 }
        try await line.enabled()
        let stanza = try await line.take("in1")
        line.storage.fail(Full())
        #expect(try await line.session.countFailure(of: stanza, because: nil) == .again)
        #expect(try await line.session.countFailure(of: stanza, because: nil) == .deadLettered)
        line.storage.fail(nil)
        try await line.session.flush()
        let stored = try line.storage.load()
        #expect(stored?.handlingAttempts == 0 && stored?.handledByClient.rawValue == 1)
        try await line.close()
    }

    @Test("D51 A suspension reports that it could not store, and the next run begins with the stored state")
    func suspending() async throws {
        let line = try await Line(handling: .onArrival)
        try await line.enabled()
        try line.server.say("<message id='in1'/>")
        _ = await line.session.takeStanzas(atMost: 1, bytes: .max)
        line.storage.fail(Full())
        await #expect(throws: Full()) { try await line.session.suspend() }
        #expect(try line.server.heard.allSatisfy { !$0.hasPrefix("<a ") })
        line.storage.fail(nil)
        let server = ScriptedTransport.server()
        let run = Task { try await line.session.run(on: server, features: ScriptedTransport.features) }
        try await server.until { $0.heard == ["<resume previd='s1' h='0'/>"] }
        await line.session.close()
        _ = try await run.value
    }

    @Test("D51 A session that is closed while the storage fails stays stored for the next process (rule D34)")
    func closing() async throws {
        let line = try await Line()
        try await line.enabled()
        let sent = try await line.session.send(Self.message("m1"))
        line.storage.fail(Full())
        try await line.close()
        #expect(try line.server.heard.last == "close")
        #expect(sent.state == .unknown)
        line.storage.fail(nil)
        let next = try await StreamSession.quiet(line.storage)
        #expect(await next.canResume)
        #expect(await next.unacknowledged.map(\.number) == [sent.number])
        await next.close()
        #expect(try line.storage.load() == nil)
    }

    @Test("D51 R17 A session closes its stream without a count that it cannot store", arguments: [true, false])
    func closingUncounted(isTemporary: Bool) async throws {
        let line = try await Line(handling: .onArrival)
        try await line.enabled()
        try line.server.say("<message id='in1'/>")
        _ = await line.session.takeStanzas(atMost: 1, bytes: .max)
        line.storage.fail(isTemporary ? Full() : Unexpected())
        try await line.close()
        #expect(try line.server.heard.last == "close" && !line.server.heard.contains { $0.hasPrefix("<a ") })
    }

    @Test("D51 A redirected session waits between attempts, and can be closed, while its storage is full")
    func redirecting() async throws {
        let (storage, clock) = (CountingStorage(), ManualClock())
        let session = try await StreamSession.quiet(storage, clock: clock)
        let connector = TestConnector(isEncrypted: true)
        let run = Task { try await session.run(connecting: connector) }
        let server = try await connector.server(1)
        try await session.until { $0.state == .enabled }
        storage.fail(Full())
        server.say("<stream:error><err:see-other-host>far.example.org</err:see-other-host></stream:error>")
        try await storage.until { $0.failedWriteCount > 0 }
        // It waits for the clock, and does not hold up the session.
        #expect(await session.state != .enabled)
        #expect(connector.places == [nil])
        storage.fail(nil)
        try await clock.until { $0.sleeperCount > 0 }
        clock.advance(by: .seconds(10))
        _ = try await connector.server(2)
        #expect(connector.places == [nil, "far.example.org"])
        await session.close()
        _ = try await run.value
    }
}
