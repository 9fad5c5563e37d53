// A storage that cannot store anything for a while, such as one on a full disk (D51).

import Locking
import Simulators
import StreamManagement
import TestSupport
import Testing
import XMLTree
import XMPPCore

@Suite struct FullStorageTests {
    /// A session that connects again and again, and its servers.
    private final class Line: StreamSessionDelegate, Changing {
        let changes = Changes()
        let session: StreamSession
        let storage: CountingStorage
        let clock = ManualClock()
        let connector = TestConnector { _ in .server() }
        private let failures = Lock<[ConnectionFailure]>([])
        private let running = Lock<Task<StreamEnd, any Error>?>(nil)

        /// - Parameter handling: `.onArrival`, or `nil` for pending stanzas.
        init(
            handling: HandlingPolicy? = nil, storage: CountingStorage = CountingStorage(),
            _ change: (inout StreamManagementConfiguration) -> Void = { _ in }
        ) async throws {
            self.storage = storage
            session = try await StreamSession.quiet(
                storage, resumes: true, handling: handling ?? .deciding { _ in .pending(id: nil) }, clock: clock, change
            )
            await session.setDelegate(self)
        }

        func session(_ session: StreamSession, didReceive event: SessionEvent) {
            if case .notConnected(let failure) = event { failures.withLock { $0.append(failure) } }
            changes.note()
        }

        func start(_ policy: ReconnectionPolicy = .impatient) {
            running.withLock { $0 = session.begin(connector, policy) }
        }

        var connections: Int { connector.places.count }

        /// Runs the session until it is enabled.
        func enabled() async throws {
            if running.withLock({ $0 == nil }) { start() }
            try await session.until { $0.state == .enabled }
        }

        /// The server of the only connection.
        var server: ScriptedTransport { get async throws { try await connector.server(1) } }

        /// Receives a stanza, and takes it.
        func take(_ id: String) async throws -> ReceivedStanza {
            try await server.say("<message id='\(id)'/>")
            return try await session.take()
        }

        /// Waits until more attempts have failed than the run allows for other errors of the storage. None connects.
        func failOften() async throws {
            let (connected, failed) = (connections, failures.withLock(\.count))
            try await until { $0.failures.withLock(\.count) > failed + 11 }
            #expect(connections == connected)
            #expect(failures.withLock(\.self).allSatisfy { $0 == ConnectionFailure(error: Full()) })
        }

        /// Lets the storage work again, and the time pass after which the session tries.
        func recover() {
            storage.fail(nil)
            clock.advance(by: .seconds(1))
        }

        /// Closes the session, and expects that the run has lasted until then.
        func close() async throws {
            try await session.close(ending: #require(running.withLock(\.self)))
        }
    }

    private static func message(_ id: String) -> Element { element("<message id='\(id)'/>") }

    // MARK: Requests of the app

    @Test("D51 A request that cannot be stored gets the error and changes nothing, and the stream continues")
    func requests() async throws {
        let line = try await Line()
        try await line.enabled()
        let server = try await line.server
        let first = try await line.session.send(Self.message("m1"))
        try await first.becomes(.sent)
        let stanza = try await line.take("in1")
        line.storage.fail(Full())
        for _ in 1...3 {
            await #expect(throws: Full()) { try await line.session.send(Self.message("never")) }
            await #expect(throws: Full()) {
                try await line.session.send(contentsOf: [Self.message("never"), Self.message("never")])
            }
            // It changes nothing, but earlier changes wait.
            await #expect(throws: Full()) { try await line.session.withdraw(first) }
            await #expect(throws: Full()) {
                try await line.session.commit(stanza, with: NoEffects(), sending: [Self.message("never")])
            }
        }
        #expect(await line.session.unacknowledged.map(\.number) == [first.number])
        server.say("<sm:r/>")
        try await server.until { $0.heard.contains("<a h='0'/>") }
        // The clock does not move, so no attempt comes by itself.
        line.storage.fail(nil)
        try await line.session.withdraw(first)
        let second = try await line.session.send(Self.message("m2"))
        let reply = try await line.session.commit(stanza, with: NoEffects(), sending: [Self.message("reply")])[0]
        try await reply.becomes(.sent)
        #expect(
            server.heard.filter { $0.hasPrefix("<message") } == ["m1", "m2", "reply"].map { "<message id='\($0)'/>" })
        #expect(try line.storage.load()?.pending.map(\.number) == [first, second, reply].map(\.number))
        server.say("<sm:r/>")
        try await server.until { $0.heard.last == "<a h='1'/>" }
        server.say("<sm:a h='3'/>")
        #expect(await reply.outcome() == .acknowledged)
        #expect(line.connections == 1)
        try await line.close()
    }

    @Test("D51 Withdrawals, names and decisions that cannot be stored now are stored later, and reported then")
    func laterRequests() async throws {
        let storage = CountingStorage()
        let undecided = OutgoingStanza(
            number: OutgoingNumber(rawValue: 1), id: "m1", element: Self.message("m1"), firstSent: TestCore.start,
            isSent: false)
        try storage.write([.replace(StoredSession(undecided: [undecided]))])
        let session = try await StreamSession.quiet(storage)
        let first = try await session.send(Self.message("m2"))
        let second = try await session.send(Self.message("m3"))
        let tracked = try #require(await session.tracking(undecided.number))
        storage.fail(Full())
        await #expect(throws: Full()) { try await session.withdraw(first) }
        await #expect(throws: Full()) { try await session.identify(second, as: "late") }
        await #expect(throws: Full()) { try await session.decide(resend: [undecided.number]) }
        #expect(first.state == .queued)
        #expect(try storage.load()?.undecided.count == 1)
        storage.fail(nil)
        try await session.flush()
        #expect(first.state == .failed && tracked.state == .queued)
        #expect(try storage.load()?.pending.map(\.id) == ["late", "m1"])
        await session.close()
    }

    @Test("D51 A failed attempt counts, and a stanza is given up, even if the storage fails")
    func attempts() async throws {
        let line = try await Line { $0.maximumHandlingAttempts = 2 }
        try await line.enabled()
        let stanza = try await line.take("in1")
        line.storage.fail(Full())
        #expect(try await line.session.countFailure(of: stanza, because: nil) == .again)
        #expect(try await line.session.countFailure(of: stanza, because: nil) == .deadLettered)
        await #expect(throws: Full()) { try await line.session.flush() }
        line.storage.fail(nil)
        try await line.session.flush()
        let stored = try line.storage.load()
        #expect(stored?.handlingAttempts == 0 && stored?.handledByClient.rawValue == 1 && line.connections == 1)
        try await line.close()
    }

    // MARK: Events of the stream

    @Test("D51 A count that cannot be stored is sent when the storage has room, and the stream continues")
    func counting() async throws {
        let line = try await Line()
        try await line.enabled()
        let server = try await line.server
        _ = try await line.session.send(Self.message("m1"))
        for id in ["in1", "in2"] { try await line.session.markHandled(line.take(id)) }
        line.storage.fail(Full())
        server.say("<sm:r/>")
        try await line.storage.until { $0.failedWriteCount > 0 }
        try await line.clock.until { $0.sleeperCount > 0 }
        #expect(!server.heard.contains { $0.hasPrefix("<a ") })
        line.recover()
        try await server.until { $0.heard.last == "<a h='2'/>" }
        #expect(try line.storage.load()?.handledByClient.rawValue == 2)
        #expect(line.connections == 1)
        try await line.close()
    }

    @Test("D51 A stream that is lost while the storage fails is resumed with everything that was handled and sent")
    func losing() async throws {
        let line = try await Line(handling: .onArrival)
        try await line.enabled()
        _ = try await line.session.send(element("<iq id='i1'/>"))
        line.storage.fail(Full())
        // The count is stored late.
        _ = try await line.take("in1")
        try await line.server.cut()
        try await line.failOften()
        await #expect(throws: Full()) { try await line.session.send(element("<iq id='never'/>")) }
        line.storage.fail(nil)
        let second = try await line.connector.server(2)
        try await second.until { $0.heard == ["<resume previd='s1' h='1'/>", "<iq id='i1'/>"] }
        // The server numbers this one 2.
        second.say("<message id='in2'/>")
        #expect(try await line.session.take().element["id"] == "in2")
        second.say("<sm:r/>")
        try await second.until { $0.heard.last == "<a h='2'/>" }
        try await line.close()
    }

    @Test("D51 Without room for its changes, no stream begins, and one that was enabled is reported when it is stored")
    func beginning() async throws {
        let line = try await Line()
        let sent = try await line.session.send(Self.message("m1"))
        line.storage.fail(Full())
        line.start()
        try await line.failOften()
        #expect(line.connections == 0 && sent.state == .queued)
        // The changes before connecting and for `<enable/>` can be stored.
        line.storage.fail(Full(), after: 2)
        try await line.storage.until { $0.writeCount >= 3 }
        try await line.clock.until { $0.sleeperCount > 0 }
        #expect(try line.storage.load()?.resumption == nil)
        line.recover()
        try await line.storage.until { (try? $0.load()?.resumption?.id.rawValue) == "s1" }
        try await line.enabled()
        try await sent.becomes(.sent)
        #expect(line.connections == 1)
        try await line.close()
    }

    @Test("D51 A full disk ends no stream because of the time of the last disconnect (rule R47)")
    func refreshing() async throws {
        let line = try await Line { $0.disconnectRefreshInterval = .seconds(30) }
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
        try await line.close()
    }

    @Test(
        "D51 A redirected session waits between attempts, and does not hold up the session, while its storage is full")
    func redirecting() async throws {
        let line = try await Line()
        line.start(ReconnectionPolicy())
        try await line.enabled()
        line.storage.fail(Full())
        try await line.server.say(
            "<stream:error><err:see-other-host>far.example.org</err:see-other-host></stream:error>")
        try await line.storage.until { $0.failedWriteCount > 0 }
        #expect(await line.session.state != .enabled)
        #expect(line.connector.places == [nil])
        line.storage.fail(nil)
        try await line.clock.until { $0.sleeperCount > 0 }
        line.clock.advance(by: .seconds(10))
        _ = try await line.connector.server(2)
        #expect(line.connector.places == [nil, "far.example.org"])
        try await line.close()
    }

    // MARK: Ends

    @Test("D51 A suspension reports that it could not store, and the next run begins with the stored state")
    func suspending() async throws {
        let line = try await Line(handling: .onArrival)
        try await line.enabled()
        _ = try await line.take("in1")
        line.storage.fail(Full())
        await #expect(throws: Full()) { try await line.session.suspend() }
        #expect(try await line.server.heard.allSatisfy { !$0.hasPrefix("<a ") })
        line.storage.fail(nil)
        let server = ScriptedTransport.server()
        let run = line.session.begin(on: server)
        try await server.until { $0.heard == ["<resume previd='s1' h='0'/>"] }
        try await line.session.close(ending: run)
    }

    @Test(
        "D51 R17 A session that is closed while the storage fails sends no count, and stays stored (rule D34)",
        arguments: [true, false])
    func closing(isTemporary: Bool) async throws {
        let line = try await Line(handling: .onArrival)
        try await line.enabled()
        let sent = try await line.session.send(Self.message("m1"))
        _ = try await line.take("in1")
        line.storage.fail(isTemporary ? Full() : Unexpected())
        try await line.close()
        #expect(try await line.server.heard.last == "close" && sent.state == .unknown)
        #expect(try await !line.server.heard.contains { $0.hasPrefix("<a ") })
        line.storage.fail(nil)
        let next = try await Line(storage: line.storage)
        #expect(await next.session.canResume)
        #expect(await next.session.unacknowledged.map(\.number) == [sent.number])
        await next.session.close()
        #expect(try line.storage.load() == nil)
    }
}
