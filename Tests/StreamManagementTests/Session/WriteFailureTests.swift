// The session reads while it writes a large stanza, and after a write has failed.

import StreamManagement
import TestSupport
import Testing
import XMLTree

@Suite struct WriteFailureTests {
    private static let complaint = "<stream:error><err:policy-violation/></stream:error>"

    private static func isComplaint(_ end: StreamEnd) -> Bool {
        if case .abandoned(.streamError) = end { true } else { false }
    }

    @Test("D50 The session reads a stream error while it writes a large stanza")
    func readingWhileWriting() async throws {
        let (session, server, run) = try await StreamSession.running()
        server.holdWrites(true)
        try await session.send(element("<message><body>\(String(repeating: "x", count: 300_000))</body></message>"))
        server.say(Self.complaint)
        #expect(Self.isComplaint(try await run.value))
        #expect(await session.unacknowledged.map(\.losses) == [1])
    }

    @Test("D50 A failed write does not hide the stream error that explains it")
    func errorAfterFailure() async throws {
        let (session, server, run) = try await StreamSession.running()
        server.failWrites()
        try await session.send(element("<message id='m1'/>"))
        try await server.until { $0.failedWrites == 1 }
        // Nothing more is written.
        try await session.send(element("<message id='m2'/>"))
        server.say(Self.complaint)
        #expect(Self.isComplaint(try await run.value))
        #expect(server.failedWrites == 1)
    }

    @Test("D50 A full outbox does not hide the stream error that explains a failed write")
    func errorAfterFailureWithAFullOutbox() async throws {
        let (session, server, run) = try await StreamSession.running()
        let large = "<message><body>\(String(repeating: "x", count: 300_000))</body></message>"
        server.holdWrites(true)
        // The transport holds the first one. The second one fills the outbox, so the reader pauses after a stanza.
        for _ in 1...2 { try await session.send(element(large)) }
        server.say("<message id='in'/>")
        try await server.until { $0.unreadCount == 0 }
        server.say(Self.complaint)
        server.failWrites()
        server.holdWrites(false)
        #expect(Self.isComplaint(try await run.value))
    }

    @Test("A failed write ends the stream after the closing timeout if nothing arrives")
    func nothingAfterFailure() async throws {
        let clock = ManualClock()
        let (session, server, run) = try await StreamSession.running(clock: clock)
        server.failWrites()
        try await session.send(element("<message id='m1'/>"))
        try await server.until { $0.failedWrites == 1 }
        try await clock.until { $0.sleeperCount > 0 }
        clock.advance(by: StreamManagementConfiguration().closingTimeout)
        let end = try await run.value
        #expect(end == .lost(ScriptedTransport.Gone()))
        #expect(await session.unacknowledged.map(\.losses) == [0])
    }
}
