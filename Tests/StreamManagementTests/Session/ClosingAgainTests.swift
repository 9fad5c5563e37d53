// Closing a session twice, or from a callback: it ends, and no caller hangs.

import StreamSimulator
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct ClosingAgainTests {
    private static func running(
        on server: ScriptedTransport
    ) async throws -> (session: StreamSession, run: Task<StreamEnd, any Error>) {
        let session = try await InlineResumptionTests.session { $0.closingTimeout = .seconds(3600) }
        let run = try await session.enabled(on: server)
        return (session, run)
    }

    @Test("A second call to close waits for the same connection") func twice() async throws {
        let server = ScriptedTransport.server()
        let (session, run) = try await Self.running(on: server)
        server.holdWrites(true)
        try await session.send(element("<message/>"))
        let closed = Counter()
        let first = Task {
            await session.close()
            closed.next()
        }
        try await session.until { $0.isClosed }
        let second = Task {
            await session.close()
            closed.next()
        }
        for _ in 1...100 { await Task.yield() }
        #expect(closed.value == 0)
        server.holdWrites(false)
        await first.value
        await second.value
        #expect(try await run.value == .closed)
        #expect(server.heard.filter { $0 == "close" }.count == 1)
        await session.close()
    }

    @Test("Closing without a wait for acknowledgements also ends the wait of earlier calls")
    func impatience() async throws {
        let server = ScriptedTransport.server()
        let (session, run) = try await Self.running(on: server)
        try await session.send(element("<message/>"))
        let patient = Task { await session.close(waiting: .seconds(3600)) }
        try await server.until { $0.heard.contains("<r/>") }
        await session.close()
        await patient.value
        #expect(try await run.value == .closed)
    }

    @Test("A listener may close the session at any event", arguments: ["bound", "enabled", "notConnected"])
    func listening(word: String) async throws {
        let session = try await InlineResumptionTests.session()
        let events = await session.events()
        let connector = TestConnector(errors: [.init(isFinal: false)])
        let run = Task { try await session.run(connecting: connector, policy: .impatient) }
        for await event in events {
            if "\(event)".hasPrefix(word) { await session.close() }
        }
        #expect(try await run.value == .closed)
    }

    @Test("A connector may close the session, before it asks what to resume and after it")
    func connecting() async throws {
        for asksFirst in [true, false] {
            let session = try await InlineResumptionTests.session()
            try await InlineResumptionTests.begin(session)
            let connector = ConnectorOf { _, inline in
                if asksFirst { _ = try await inline(.inline) }
                await session.close()
                _ = try await inline(.inline)
                return ConnectedStream(ScriptedTransport.server())
            }
            let end = try await session.run(connecting: connector, policy: .impatient)
            #expect(end == .closed)
        }
    }
}
