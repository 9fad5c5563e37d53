// The loop of connections: its places, its waits, the errors that end it, and the events that report connections.

import Foundation
import Locking
import Simulators
import TestSupport
import Testing
import XMLTree
import XMPPCore

@testable import StreamManagement

@Suite struct ConnectingTests {
    private static func streamError(_ condition: String) -> String {
        "<stream:error><err:\(condition)/></stream:error>"
    }

    // MARK: Places

    @Test("A redirection is followed on an encrypted stream, and not too often", arguments: [true, false])
    func redirection(isEncrypted: Bool) async throws {
        let session = try await StreamSession.quiet()
        let connector = TestConnector(isEncrypted: isEncrypted)
        var policy = ReconnectionPolicy.impatient
        policy.maximumRedirections = 2
        let run = session.begin(connector, policy)
        for count in 1...4 {
            try await connector.server(count).say(
                "<stream:error><err:see-other-host> far.example.org </err:see-other-host></stream:error>")
        }
        _ = try await connector.server(5)
        try await session.close(ending: run)
        let far = isEncrypted ? "far.example.org" : nil
        #expect(connector.places == [nil, far, far, nil, nil])
    }

    /// What the server's location does instead of resuming: it takes no connection, cuts or closes it, or answers.
    private static let faults = [
        "refuses", "cuts", "closes", streamError("host-unknown"), streamError("invalid-xml"), "<message/>",
    ]

    @Test(
        "R13 A session that is not resumed at the server's location is resumed at the ordinary place", arguments: faults
    )
    func fallback(fault: String) async throws {
        let session = try await StreamSession.quiet(resumes: true)
        let connector = TestConnector { place in
            if place != nil, fault == "refuses" { throw ScriptedTransport.Gone() }
            return ScriptedTransport { heard in
                if place != nil { return heard.hasPrefix("<resume ") && fault.hasPrefix("<") ? [fault] : [] }
                if heard.hasPrefix("<resume ") { return ["<sm:resumed previd='s1' h='0'/>"] }
                return heard.hasPrefix("<enable ")
                    ? ["<sm:enabled id='s1' resume='true' location='near.example.org'/>"] : []
            }
        }
        let run = session.begin(connector)
        try await session.until { $0.state == .enabled }
        try await connector.server(1).cut()
        if fault == "cuts" || fault == "closes" {
            let near = try await connector.server(2)
            try await near.until { !$0.heard.isEmpty }
            if fault == "cuts" { near.cut() } else { near.say(nil as String?) }
        }
        try await session.until { $0.didResume }
        #expect(connector.places == [nil, "near.example.org", nil])
        // The next connection begins there again.
        try await connector.server(fault == "refuses" ? 2 : 3).cut()
        try await connector.until { $0.places.count > 3 }
        #expect(connector.places[3] == "near.example.org")
        try await session.close(ending: run)
    }

    @Test("R32 A server that offers no stream management is not asked to resume") func noOffer() async throws {
        let (session, first, firstRun) = try await StreamSession.running(resumes: true)
        try await first.cut(ending: firstRun)
        let events = await session.events()
        let server = ScriptedTransport()
        let run = session.begin(on: server, features: StreamFeatures())
        let sent = try await session.send(element("<message id='m1'/>"))
        #expect(await sent.outcome() == .sent)
        #expect(server.heard == ["bind", "<message id='m1'/>"])
        server.say(nil as String?)
        #expect(try await run.value == .closedByPeer)
        await session.close()
        #expect(
            await events.reduce(into: []) { $0.append(Self.word($1)) } == [
                "other", "bound as juliet@example.org/balcony", "not offered", "disconnected: closedByPeer",
            ])
    }

    // MARK: Errors and waits

    @Test("Final errors end the loop, others do not, and the session can run again") func errors() async throws {
        let session = try await StreamSession.quiet()
        let events = await session.events()
        let connector = TestConnector(errors: [.init(isFinal: false), .init(isFinal: false), .init(isFinal: true)])
        await #expect(throws: TestConnector.Failure(isFinal: true)) {
            try await session.run(connecting: connector, policy: .impatient)
        }
        #expect(connector.places.count == 3)
        let other = TestConnector()
        let run = session.begin(other)
        _ = try await other.server(1)
        try await session.close(ending: run)
        await #expect(throws: StreamManagementError.ended) { try await session.run(connecting: other) }
        let failures = [false, false, true].map {
            SessionEvent.notConnected(ConnectionFailure(error: TestConnector.Failure(isFinal: $0), isFinal: $0))
        }
        #expect(await events.reduce(into: []) { $0.append($1) }.prefix(3) == failures[...])
    }

    @Test("A stream error that would only come again ends the loop", arguments: ["host-unknown", "not-authorized"])
    func finalStreamErrors(condition: String) async throws {
        let session = try await StreamSession.quiet(resumes: true)
        let connector = TestConnector()
        let run = session.begin(connector)
        let server = try await connector.server(1)
        try await session.until { $0.state == .enabled }
        server.say(Self.streamError(condition))
        let failure = await #expect(throws: ReceivedStreamError.self) { try await run.value }
        #expect(failure?.condition == condition && failure?.isFinal == true)
        #expect(connector.places.count == 1)
    }

    @Test(
        "Others do not, nor does one that another place than the ordinary one says",
        arguments: [
            "remote-connection-failed", "system-shutdown", "resource-constraint", "see-other-host", "conflict", "reset",
            "undefined-condition", "host-unknown", "invalid-from", "improper-addressing",
        ])
    func temporaryStreamErrors(condition: String) async throws {
        let session = try await StreamSession.quiet(resumes: true)
        let isElsewhere = condition == "host-unknown"
        let connector = TestConnector(location: isElsewhere ? "near.example.org" : nil)
        let run = session.begin(connector)
        let first = try await connector.server(1)
        try await session.until { $0.state == .enabled }
        if isElsewhere { first.cut() } else { first.say(Self.streamError(condition)) }
        let second = try await connector.server(2)
        if isElsewhere {
            try await second.until { !$0.heard.isEmpty }
            second.say(Self.streamError(condition))
            _ = try await connector.server(3)
        }
        try await session.close(ending: run)
    }

    @Test("A number of refused logins ends no run in which a login has succeeded", arguments: [0, 2])
    func refusedLogins(allowed: Int) async throws {
        let session = try await StreamSession.quiet(resumes: true)
        let refused = TestConnector.Failure(isFinal: true, isRefusedLogin: true)
        var policy = ReconnectionPolicy.impatient
        policy.maximumRefusedLogins = allowed
        // Without a login that has succeeded, the password may be wrong.
        let wrong = TestConnector(errors: [refused])
        await #expect(throws: refused) { try await session.run(connecting: wrong, policy: policy) }
        #expect(wrong.places.count == 1)

        let attempts = Counter()
        let connector = TestConnector { _ in
            // Each success allows the same number again.
            let attempt = attempts.next()
            guard attempt == 1 || attempt == 1 + allowed + 1 && allowed > 0 else { throw refused }
            return .server()
        }
        let run = session.begin(connector, policy)
        for count in allowed > 0 ? 1...2 : 1...1 { try await connector.server(count).cut() }
        await #expect(throws: refused) { try await run.value }
        #expect(connector.places.count == (allowed > 0 ? 2 + 2 * allowed + 1 : 2))
    }

    @Test("Closing, suspending, canceling or a later call ends the wait for the next attempt")
    func stopping() async throws {
        for ending in RunEnding.allCases + [nil] {
            let session = try await StreamSession.quiet()
            let connector = TestConnector(errors: [.init(isFinal: false)])
            let run = session.begin(connector, .after(.seconds(3600)))
            try await connector.until { $0.places.count == 1 }
            if let ending {
                try await ending.begin(run, of: session)
                await ending.expectEnd(of: run)
            } else {
                let later = TestConnector()
                let second = session.begin(later)
                #expect(try await run.value == .superseded)
                _ = try await later.server(1)
                try await session.close(ending: second)
            }
            #expect(connector.places.count == 1)
        }
    }

    @Test("Each failure doubles the wait, and a stream that lived long enough resets it") func waits() async throws {
        let clock = SleeplessClock()
        let connector = TestConnector(errors: Array(repeating: .init(isFinal: false), count: 4))
        var policy = ReconnectionPolicy.after(.seconds(1))
        policy.factor = 2
        policy.stableTime = .seconds(30)
        let session = try await StreamSession.quiet(clock: clock) { $0.closingTimeout = .zero }
        let run = session.begin(connector, policy)
        for (number, lifetime) in [(1, Duration.seconds(30)), (2, .seconds(29))] {
            let server = try await connector.server(number)
            try await session.until { $0.state == .enabled }
            clock.advance(by: lifetime)
            server.cut()
        }
        _ = try await connector.server(3)
        // Four failures, a good stream, and one that did not live long enough.
        #expect(clock.sleeps == [1, 2, 4, 8, 1, 2].map { .seconds($0) })
        try await session.close(ending: run)
    }

    @Test("When the network is back, a wait ends early, in the same run, and attempts stay apart")
    func hurried() async throws {
        let clock = ManualClock()
        let connector = TestConnector(errors: Array(repeating: .init(isFinal: false), count: 3))
        let policy = ReconnectionPolicy.after(.seconds(100))
        let session = try await StreamSession.quiet(clock: clock)
        // Nothing runs yet.
        await session.networkChanged()
        let run = session.begin(connector, policy)
        for attempt in 1...3 {
            try await connector.until { $0.places.count == attempt }
            try await clock.until { $0.sleeperCount == 1 }
            // A storm changes nothing: the last attempt has only begun.
            for _ in 1...100 { await session.networkChanged() }
            try await clock.until { $0.sleeperCount == 1 }
            #expect(connector.places.count == attempt)
            clock.advance(by: policy.shortest)
        }
        _ = try await connector.server(1)
        try await session.until { $0.state == .enabled }
        try await session.close(ending: run)
        #expect(connector.places.count == 4)
    }

    @Test("Waits grow up to a maximum, and jitter makes them shorter only") func policy() {
        var policy = ReconnectionPolicy()
        policy.first = .seconds(1)
        policy.factor = 2
        policy.maximum = .seconds(10)
        policy.jitter = 0
        #expect(
            (0..<6).map { policy.delay(afterFailures: $0, random: 0.7) } == [1, 2, 4, 8, 10, 10].map { .seconds($0) })
        policy.jitter = 0.5
        #expect(policy.delay(afterFailures: 1, random: 0) == .seconds(2))
        #expect(policy.delay(afterFailures: 1, random: 1) == .seconds(1))
        // With every setting and number of failures, a wait is finite and not negative.
        policy.factor = .infinity
        #expect(policy.delay(afterFailures: .max, random: 2) >= .zero)
        policy.factor = -3
        policy.first = .seconds(-1)
        #expect(policy.delay(afterFailures: .min, random: -1) == .zero)
    }

    // MARK: Events

    fileprivate static func word(_ event: SessionEvent) -> String {
        switch event {
        case .bound(let address): "bound as \(address ?? "no address")"
        case .notOffered: "not offered"
        case .enabled: "enabled"
        case .resumed: "resumed"
        case .disconnected(let end): "disconnected: \(end)".prefix { $0 != "(" }.description
        case .notConnected(let failure): "not connected to \(failure.place?.host ?? "the domain")"
        default: "other"
        }
    }

    /// An enabled session, its events, and its run.
    private static func enabled(
        on server: ScriptedTransport
    ) async throws -> (session: StreamSession, notes: Notes, run: Task<StreamEnd, any Error>) {
        let session = try await StreamSession.quiet(resumes: true)
        let notes = Notes()
        await session.setDelegate(notes)
        return (session, notes, try await session.enabled(on: server))
    }

    @Test("The session reports lost connections, failed attempts and bound resources") func story() async throws {
        let session = try await StreamSession.quiet(resumes: true)
        let connector = TestConnector(
            location: "near.example.org", failing: ["near.example.org"], errors: [.init(isFinal: false)])
        let events = await session.events()
        let run = session.begin(connector)
        var told: [String] = []
        for await event in events {
            told.append(Self.word(event))
            if case .enabled = event { try await connector.server(1).cut() }
            if told.count == 5 { break }
        }
        #expect(
            told == [
                "not connected to the domain", "bound as juliet@example.org/balcony", "enabled", "disconnected: lost",
                "not connected to near.example.org",
            ])
        try await session.close(ending: run)
    }

    /// The session closes the stream, too, which takes long on a slow line.
    @Test("The session reports the server's end before it closes the connection, once", .timeLimit(.minutes(60)))
    func atOnce() async throws {
        let server = ScriptedTransport.server()
        let (session, _, run) = try await Self.enabled(on: server)
        let events = await session.events()
        server.holdWrites(true)
        try await session.send(element("<message/>"))
        server.say(nil as String?)
        for await case .disconnected(.closedByPeer) in events { break }
        #expect(!server.heard.contains("close"))
        server.holdWrites(false)
        #expect(try await run.value == .closedByPeer)
        await session.close()
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

    @Test("The session reports no end that the app causes, nor one after another stream has begun")
    func tooLate() async throws {
        let first = ScriptedTransport.server()
        let (session, notes, run) = try await Self.enabled(on: first)
        // The stream has ended, and its transport notices only when it is cut.
        first.holdAborts(true)
        await session.fail(because: ScriptedTransport.Gone())
        let second = ScriptedTransport.server()
        let secondRun = session.begin(on: second)
        try await first.until { this in this.heard.count { $0 == "abort" } == 2 }
        first.holdAborts(false)
        #expect(try await run.value == .storageFailed(ScriptedTransport.Gone()))
        try await session.until { $0.didResume }
        try await session.suspend()
        #expect(try await secondRun.value == .suspended)
        #expect(notes.all == ["bound as juliet@example.org/balcony", "enabled", "resumed"])
        await session.close()
        #expect(notes.all.count == 3)
    }
}

/// Notes each event at once.
private final class Notes: StreamSessionDelegate {
    private let words = Lock<[String]>([])

    var all: [String] { words.withLock(\.self) }

    func session(_ session: StreamSession, didReceive event: SessionEvent) {
        words.withLock { $0.append(ConnectingTests.word(event)) }
    }
}

/// A clock whose sleeping tasks wake at once, at the time that they wait for.
private final class SleeplessClock: MachineClock {
    private let state = Lock((uptime: Duration.zero, sleeps: [Duration]()))

    /// The length of each sleep.
    var sleeps: [Duration] { state.withLock { $0.sleeps } }

    var date: Date { TestCore.start }
    var uptime: Duration { state.withLock { $0.uptime } }
    var boot: String? { nil }

    func sleep(until uptime: Duration) async throws {
        state.withLock { state in
            state.sleeps.append(uptime - state.uptime)
            state.uptime = max(state.uptime, uptime)
        }
    }

    func advance(by time: Duration) { state.withLock { $0.uptime += time } }
}
