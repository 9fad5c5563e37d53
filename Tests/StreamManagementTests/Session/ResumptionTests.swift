// Resuming within an authentication that takes long, fails, or does not answer, and servers that never answer.

import Locking
import Simulators
import TestSupport
import Testing
import XMLTree
import XMPPCore

@testable import StreamManagement

@Suite struct ResumptionTests {
    /// A session that has lost its connection.
    private static func suspended(
        _ clock: ManualClock = ManualClock(), _ change: (inout StreamManagementConfiguration) -> Void = { _ in }
    ) async throws -> StreamSession {
        let (session, server, run) = try await StreamSession.running(resumes: true, clock: clock, change)
        try await server.cut(ending: run)
        return session
    }

    @Test("R25 R37 An authentication that fails or takes longer than resuming may does not lose the resumption")
    func slow() async throws {
        let clock = ManualClock()
        let session = try await Self.suspended(clock) { $0.negotiationTimeout = .seconds(30) }
        let sent = try await session.send(element("<message id='m1'/>"))
        let server = ScriptedTransport()
        let attempts = Counter()
        let connector = ConnectorOf { _, inline in
            let elements = try await inline(.inline)
            #expect(elements.first?["previd"] == "s1")
            for _ in 1...100 {
                clock.advance(by: .seconds(60))
                await Task.yield()
            }
            if attempts.next() < 3 { throw ScriptedTransport.Gone() }
            return ConnectedStream(server, success: "<sm:resumed previd='s1' h='0'/>")
        }
        let run = session.begin(connector)
        try await sent.becomes(.sent)
        #expect(await session.didResume && attempts.value == 3)
        #expect(server.heard == ["<message id='m1'/>"])
        try await session.close(ending: run)
    }

    @Test(
        "R37 A server that says nothing to a resumption is asked on the stream, unless it has bound a new session",
        arguments: [true, false])
    func unanswered(isBound: Bool) async throws {
        let session = try await Self.suspended()
        let sent = try await session.send(element("<message id='m1'/>"))
        let server = ScriptedTransport.server()
        let success =
            "<authorization-identifier>juliet@example.org/2</authorization-identifier>"
            + "<bound xmlns='urn:xmpp:bind:0'><sm:enabled id='s2' resume='true'/></bound>"
        let connector = ConnectorOf { _, inline in
            _ = try await inline(.inline)
            return ConnectedStream(server, success: isBound ? success : "")
        }
        let run = session.begin(connector)
        try await sent.becomes(.sent)
        #expect(await session.address == (isBound ? "juliet@example.org/2" : "juliet@example.org/balcony"))
        #expect(await session.state == .enabled)
        #expect(await session.didResume != isBound)
        #expect(server.heard == (isBound ? [] : ["<resume previd='s1' h='0'/>"]) + ["<message id='m1'/>"])
        try await session.close(ending: run)
    }

    @Test("R42 Without automatic enabling, the session does not enable with the authentication either")
    func noEnabling() async throws {
        let session = try await StreamSession.quiet(resumes: true) { $0.enablesAutomatically = false }
        #expect(try await session.inlineElements(features: .inline) == [element("<bind xmlns='urn:xmpp:bind:0'/>")])
        await session.close()
    }

    @Test("A limit holds for the stream whose server has named it, and for one that resumes inline")
    func limitOfAStream() async throws {
        let session = try await StreamSession.quiet(resumes: true)
        var limited = ScriptedTransport.features
        limited.limits.bytes = 10_000
        let large = element(message("m1", bytes: 10_000))
        let success = "<success xmlns='urn:xmpp:sasl:2'><sm:resumed previd='s1' h='0'/></success>"
        // No features follow on an inline resumption.
        for (features, inline) in [
            (limited, nil), (ScriptedTransport.features, InlineNegotiation.Result(success: element(success))),
            (ScriptedTransport.features, nil),
        ] {
            if inline != nil { _ = try await session.inlineElements(features: .inline) }
            let server = ScriptedTransport.server()
            let run = Task { try await session.run(on: server, features: features, inline: inline) }
            try await session.until { $0.state == .enabled }
            if features.limits.bytes != nil || inline != nil {
                await #expect(throws: StreamManagementError.tooLarge(limit: 10_000)) { try await session.send(large) }
            } else {
                try await session.send(large)
            }
            try await server.cut(ending: run)
        }
    }

    @Test(
        "Closing, suspending and canceling end a run whose connector asked for a resumption and ignores its end",
        arguments: RunEnding.allCases, [Duration.seconds(5), .zero])
    func deafConnector(ending: RunEnding, closingTimeout: Duration) async throws {
        let clock = ManualClock()
        let session = try await Self.suspended(clock) { $0.closingTimeout = closingTimeout }
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
        let run = session.begin(connector)
        for await _ in asked {}
        if case .resuming = await session.state {} else { Issue.record("the session does not resume") }
        try await ending.begin(run, of: session)
        try await clock.until { $0.sleeperCount > 0 }
        clock.advance(by: .seconds(5))
        await ending.expectEnd(of: run)
        // The session cuts a connection that comes too late.
        endOfTest.finish()
        try await late.until { $0.heard == ["abort"] }
    }

    // MARK: Servers that never answer

    /// An error of the connection.
    private struct Broken: StreamConnectionError {
        var isFinal: Bool { false }
        let isReset: Bool
    }

    /// What the server does instead of answering.
    private static let faults = [
        "closes", "resets", "is silent", "cuts", "<stream:error><err:internal-server-error/></stream:error>",
        "<message/>",
    ]

    @Test("R32 A new session follows three unanswered attempts", arguments: faults)
    func newSession(fault: String) async throws {
        let clock = ManualClock()
        let session = try await StreamSession.quiet(resumes: true, clock: clock) {
            $0.negotiationTimeout = .seconds(30)
        }
        func resumptions(_ server: ScriptedTransport) -> Int { server.heard.count { $0.hasPrefix("<resume ") } }
        let connector = TestConnector { _ in
            let server = ScriptedTransport { heard in
                heard.hasPrefix("<enable ") ? ["<sm:enabled id='s1' resume='true' max='600'/>"] : []
            }
            server.breaks(with: Broken(isReset: fault == "resets"))
            return server
        }
        let run = session.begin(connector)
        let first = try await connector.server(1)
        try await session.until { $0.state == .enabled }
        first.cut()
        for number in 2...4 {
            let server = try await connector.server(number)
            try await server.until { _ in resumptions(server) == 1 }
            switch fault {
            case "closes": server.say(nil as String?)
            case "resets", "cuts": server.cut()
            case "is silent":
                try await clock.until { $0.sleeperCount > 0 }
                clock.advance(by: .seconds(30))
            default: server.say(fault)
            }
        }
        let last = try await connector.server(5)
        try await session.until { $0.state == .enabled }
        #expect(last.heard.first == "bind" && resumptions(last) == 0)
        try await session.close(ending: run)
    }

    @Test("R32 Attempts within an authentication count as well") func inline() async throws {
        let session = try await Self.suspended()
        let names = Watched<[String?]>([])
        let connector = ConnectorOf { _, inline in
            let elements = try await inline(.inline)
            names.withLock { $0.append(elements.first?.name) }
            throw Broken(isReset: false)
        }
        let run = session.begin(connector)
        try await names.wait(for: "a fourth attempt") { $0.count >= 4 }
        #expect(names.withLock { Array($0.prefix(4)) } == ["resume", "resume", "resume", "bind"])
        await session.close()
        _ = try? await run.value
    }
}
