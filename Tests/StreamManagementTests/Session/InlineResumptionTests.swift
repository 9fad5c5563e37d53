// Resuming within an authentication that takes long, fails, or does not answer the resumption.

import Locking
import StreamSimulator
import TestSupport
import Testing
import XMLTree
import XMPPCore

@testable import StreamManagement

@Suite struct InlineResumptionTests {
    /// The session gives up no stream because a task waits for its thread, unless a test sets other timeouts.
    static func session(
        clock: any MachineClock = SystemClock(),
        _ change: (inout StreamManagementConfiguration) -> Void = { _ in }
    ) async throws -> StreamSession {
        var configuration = StreamManagementConfiguration.quiet
        configuration.resumesAutomatically = true
        change(&configuration)
        return try await StreamSession(
            account: "juliet@example.org", storage: MemoryStorage(), configuration: configuration, clock: clock)
    }

    /// Begins a session, and loses the connection.
    static func begin(_ session: StreamSession) async throws {
        let server = ScriptedTransport.server()
        let run = try await session.enabled(on: server)
        try await server.cut(ending: run)
    }

    /// Runs a session on a server that gives this answer to an authentication with `<resume/>`.
    private static func run(
        _ session: StreamSession, on server: ScriptedTransport, success: String
    ) -> Task<StreamEnd, any Error> {
        let connector = ConnectorOf { _, inline in
            _ = try await inline(.inline)
            return ConnectedStream(server, success: success)
        }
        return Task { try await session.run(connecting: connector, policy: .impatient) }
    }

    private func isResuming(_ session: StreamSession) async -> Bool {
        if case .resuming = await session.state { true } else { false }
    }

    @Test("R37 An authentication that takes longer than resuming may does not lose the resumption")
    func slow() async throws {
        let clock = ManualClock()
        let session = try await Self.session(clock: clock) { $0.negotiationTimeout = .seconds(30) }
        try await Self.begin(session)
        let sent = try await session.send(element("<message id='m1'/>"))
        let server = ScriptedTransport()
        let connector = ConnectorOf { _, inline in
            let elements = try await inline(.inline)
            #expect(elements.first?["previd"] == "s1")
            for _ in 1...100 {
                clock.advance(by: .seconds(60))
                await Task.yield()
            }
            return ConnectedStream(server, success: "<sm:resumed previd='s1' h='0'/>")
        }
        let run = Task { try await session.run(connecting: connector, policy: .impatient) }
        try await sent.becomes(.sent)
        #expect(await session.didResume)
        #expect(server.heard == ["<message id='m1'/>"])
        await session.close()
        _ = try await run.value
    }

    @Test("R37 A server that says nothing to a resumption within the authentication is asked on the stream")
    func unanswered() async throws {
        let session = try await Self.session()
        try await Self.begin(session)
        let server = ScriptedTransport.server()
        let run = Self.run(session, on: server, success: "")
        try await session.until { $0.didResume }
        #expect(server.heard == ["<resume previd='s1' h='0'/>"])
        await session.close()
        _ = try await run.value
    }

    @Test("R37 A server that binds and says nothing to the resumption has begun a new session")
    func unansweredAndBound() async throws {
        let session = try await Self.session()
        try await Self.begin(session)
        let sent = try await session.send(element("<message id='m1'/>"))
        let server = ScriptedTransport()
        let run = Self.run(
            session, on: server,
            success: "<authorization-identifier>juliet@example.org/2</authorization-identifier>"
                + "<bound xmlns='urn:xmpp:bind:0'><sm:enabled id='s2' resume='true'/></bound>")
        try await sent.becomes(.sent)
        #expect(await session.address == "juliet@example.org/2")
        #expect(await session.state == .enabled)
        #expect(await !session.didResume)
        await session.close()
        _ = try await run.value
    }

    @Test("R42 Without automatic enabling, the session does not enable with the authentication either")
    func noEnabling() async throws {
        let session = try await Self.session { $0.enablesAutomatically = false }
        #expect(try await session.inlineElements(features: .inline) == [element("<bind xmlns='urn:xmpp:bind:0'/>")])
        await session.close()
    }

    @Test("A limit holds for the stream whose server has named it, and for one that resumes inline")
    func limitOfAStream() async throws {
        let session = try await Self.session()
        var limited = ScriptedTransport.features
        limited.limits.bytes = 10_000
        let large = element("<message id='m1'><body>\(String(repeating: "x", count: 10_000))</body></message>")
        let first = ScriptedTransport.server()
        var run = Task { [limited] in try await session.run(on: first, features: limited) }
        try await session.until { $0.state == .enabled }
        await #expect(throws: StreamManagementError.tooLarge(limit: 10_000)) { try await session.send(large) }
        try await first.cut(ending: run)
        // No features follow on an inline resumption.
        _ = try await session.inlineElements(features: .inline)
        let inline = InlineNegotiation.Result(
            success: element("<success xmlns='urn:xmpp:sasl:2'><sm:resumed previd='s1' h='0'/></success>"))
        let second = ScriptedTransport.server()
        run = Task { try await session.run(on: second, features: ScriptedTransport.features, inline: inline) }
        try await session.until { $0.state == .enabled }
        await #expect(throws: StreamManagementError.tooLarge(limit: 10_000)) { try await session.send(large) }
        try await second.cut(ending: run)
        let third = ScriptedTransport.server()
        run = Task { try await session.run(on: third, features: ScriptedTransport.features) }
        try await session.until { $0.state == .enabled }
        try await session.send(large)
        try await third.cut(ending: run)
    }

    @Test("R25 An authentication that fails after resumption was asked for loses nothing") func failing() async throws {
        let session = try await Self.session()
        try await Self.begin(session)
        let count = Lock(0)
        let server = ScriptedTransport()
        let connector = ConnectorOf { _, inline in
            let elements = try await inline(.inline)
            #expect(elements.first?["previd"] == "s1")
            let attempt = count.withLock { count in
                count += 1
                return count
            }
            if attempt < 3 { throw ScriptedTransport.Gone() }
            return ConnectedStream(server, success: "<sm:resumed previd='s1' h='0'/>")
        }
        let run = Task { try await session.run(connecting: connector, policy: .impatient) }
        try await session.until { $0.didResume }
        await session.close()
        _ = try await run.value
    }

    @Test(
        "Closing, suspending and canceling end a run whose connector asked for a resumption and ignores its end",
        arguments: RunEnding.allCases, [Duration.seconds(5), .zero])
    func deafConnector(ending: RunEnding, closingTimeout: Duration) async throws {
        let clock = ManualClock()
        let session = try await Self.session(clock: clock) { $0.closingTimeout = closingTimeout }
        try await Self.begin(session)
        let (asked, hasAsked) = AsyncStream.makeStream(of: Void.self)
        let (end, endOfTest) = AsyncStream.makeStream(of: Void.self)
        let late = ScriptedTransport.server()
        let connector = ConnectorOf { _, inline in
            _ = try await inline(.inline)
            hasAsked.finish()
            // In its own task, which is not canceled.
            await Task { for await _ in end {} }.value
            return ConnectedStream(late, success: "<sm:resumed previd='s1' h='0'/>")
        }
        let run = Task { try await session.run(connecting: connector, policy: .impatient) }
        for await _ in asked {}
        #expect(await isResuming(session))
        try await ending.begin(run, of: session)
        try await clock.until { $0.sleeperCount > 0 }
        clock.advance(by: .seconds(5))
        await ending.expectEnd(of: run)
        // The session cuts a connection that comes too late.
        endOfTest.finish()
        try await late.until { $0.heard == ["abort"] }
    }
}
