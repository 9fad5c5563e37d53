// The events that report connections to the application.

import Locking
import StreamSimulator
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct ConnectionEventTests {
    fileprivate static func word(_ event: SessionEvent) -> String {
        switch event {
        case .bound(let address): "bound as \(address ?? "nobody")"
        case .notOffered: "not offered"
        case .enabled: "enabled"
        case .notEnabled: "not enabled"
        case .resumed: "resumed"
        case .disconnected(let end): "disconnected: \(end)".prefix { $0 != "(" }.description
        case .notConnected(let failure):
            "not connected to \(failure.place?.host ?? "the domain")" + (failure.isFinal ? " for good" : "")
        default: "other"
        }
    }

    /// An enabled session, its events, and its run.
    private static func enabled(
        on server: ScriptedTransport
    ) async throws -> (session: StreamSession, notes: Notes, run: Task<StreamEnd, any Error>) {
        let session = try await InlineResumptionTests.session()
        let notes = Notes()
        await session.setDelegate(notes)
        let run = try await session.enabled(on: server)
        return (session, notes, run)
    }

    @Test("The session reports lost connections, failed attempts and bound resources") func story() async throws {
        let session = try await InlineResumptionTests.session()
        let connector = TestConnector(
            location: "near.example.org", failing: ["near.example.org"], errors: [.init(isFinal: false)])
        let events = await session.events()
        let run = Task { try await session.run(connecting: connector, policy: .impatient) }
        var told: [String] = []
        for await event in events {
            told.append(Self.word(event))
            if case .notConnected(let failure) = event {
                #expect(failure.error as? TestConnector.Failure == TestConnector.Failure(isFinal: false))
            }
            if case .enabled = event { try await connector.server(1).cut() }
            if told.count == 5 { break }
        }
        #expect(
            told == [
                "not connected to the domain", "bound as juliet@example.org/balcony", "enabled", "disconnected: lost",
                "not connected to near.example.org",
            ])
        await session.close()
        _ = try await run.value
    }

    @Test("The session reports the last attempt as final, and the run ends with its error")
    func last() async throws {
        let session = try await InlineResumptionTests.session()
        var events = await session.events().makeAsyncIterator()
        await #expect(throws: TestConnector.Failure(isFinal: true)) {
            try await session.run(
                connecting: TestConnector(errors: [.init(isFinal: true)]), policy: .impatient)
        }
        let failure = ConnectionFailure(error: TestConnector.Failure(isFinal: true), isFinal: true)
        #expect(await events.next() == .notConnected(failure))
        await session.close()
        #expect(await events.next() == nil)
    }

    @Test("The session reports a server without stream management, and its end of the stream")
    func without() async throws {
        let session = try await InlineResumptionTests.session()
        let events = await session.events()
        let server = ScriptedTransport()
        let run = Task { try await session.run(on: server, features: StreamFeatures()) }
        var told: [String] = []
        for await event in events {
            told.append(Self.word(event))
            if case .notOffered = event { server.say(nil as String?) }
            if case .disconnected = event { break }
        }
        #expect(
            told == ["bound as juliet@example.org/balcony", "not offered", "disconnected: closedByPeer"])
        #expect(try await run.value == .closedByPeer)
        await session.close()
    }

    /// The session closes the stream, too, which takes long on a slow line.
    @Test("The session reports the server's end before it closes the connection", .timeLimit(.minutes(10)))
    func atOnce() async throws {
        let session = try await InlineResumptionTests.session(clock: ManualClock())
        let events = await session.events()
        let server = ScriptedTransport.server()
        let run = try await session.enabled(on: server)
        server.holdWrites(true)
        try await session.send(element("<message/>"))
        server.say(nil as String?)
        for await case .disconnected(.closedByPeer) in events { break }
        #expect(!server.heard.contains("close"))
        server.holdWrites(false)
        #expect(try await run.value == .closedByPeer)
        await session.close()
        // It reports the end once.
        for await event in events { Issue.record("\(event)") }
    }

    @Test("The session reports a lost connection before it cuts it, which may take time")
    func beforeCutting() async throws {
        let server = ScriptedTransport.server()
        let (session, notes, run) = try await Self.enabled(on: server)
        server.holdAborts(true)
        server.cut()
        try await server.until { $0.heard.last == "abort" }
        #expect(notes.all == ["bound as juliet@example.org/balcony", "enabled", "disconnected: lost"])
        server.holdAborts(false)
        #expect(try await run.value == .lost(ScriptedTransport.Gone()))
        #expect(notes.all.count == 3)
        await session.close()
    }

    @Test("The session does not report the end of a stream after another one has begun") func tooLate() async throws {
        let first = ScriptedTransport.server()
        let (session, notes, run) = try await Self.enabled(on: first)
        // The stream has ended, and its transport notices only when it is cut.
        first.holdAborts(true)
        try await session.flush()
        await session.fail(because: ScriptedTransport.Gone())
        let second = ScriptedTransport.server()
        let secondRun = Task { try await session.run(on: second, features: ScriptedTransport.features) }
        try await first.until { this in this.heard.count { $0 == "abort" } == 2 }
        first.holdAborts(false)
        #expect(try await run.value == .storageFailed(ScriptedTransport.Gone()))
        try await session.until { $0.didResume }
        #expect(notes.all == ["bound as juliet@example.org/balcony", "enabled", "resumed"])
        await session.close()
        #expect(try await secondRun.value == .closed)
    }

    @Test("The session does not report an end that the app causes") func ownDoing() async throws {
        let session = try await InlineResumptionTests.session()
        let events = await session.events()
        for _ in 1...2 {
            let server = ScriptedTransport.server()
            let run = try await session.enabled(on: server)
            try await session.suspend()
            #expect(try await run.value == .suspended)
        }
        await session.close()
        var told: [String] = []
        for await event in events { told.append(Self.word(event)) }
        #expect(told == ["bound as juliet@example.org/balcony", "enabled", "resumed"])
    }

    @Test("Ends with equal descriptions are equal") func equality() {
        struct One: Error {}
        struct Other: Error {}
        let ends: [StreamEnd] = [
            .closed, .closedByPeer, .lost(One()), .lost(Other()), .abandoned(.acknowledgementMissing),
            .violation(.wrongSession), .superseded, .suspended, .takenOver, .storageFailed(One()),
        ]
        for (index, one) in ends.enumerated() {
            for (place, other) in ends.enumerated() { #expect((one == other) == (index == place)) }
        }
    }
}

/// Notes each event at once.
private final class Notes: StreamSessionDelegate {
    private let words = Lock<[String]>([])

    var all: [String] { words.withLock(\.self) }

    func session(_ session: StreamSession, didReceive event: SessionEvent) {
        words.withLock { $0.append(ConnectionEventTests.word(event)) }
    }
}
