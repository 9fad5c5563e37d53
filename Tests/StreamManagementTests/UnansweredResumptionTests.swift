// A server that never answers `<resume/>`: the session counts as lost after some attempts, in one process or several.

import Foundation
import StreamSimulator
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct UnansweredResumptionTests {
    /// What the server does instead of answering.
    enum Fault: CaseIterable {
        case closes, resets, isSilent, fails, sendsAStanza, sendsGarbage
    }

    // MARK: The core

    /// Sends `<resume/>`, which the server answers in this way.
    private func attempt(_ core: TestCore, _ fault: Fault) -> [String] {
        core.handle(.resume)
        switch fault {
        case .closes: return core.text(.peerClosed)
        case .resets, .sendsGarbage: return core.text(.connectionReset)
        case .isSilent:
            core.wait(.seconds(30))
            return core.text(.deadline(.negotiation))
        case .fails: return core.receive("<stream:error><err:internal-server-error/></stream:error>")
        case .sendsAStanza: return core.receive("<message/>")
        }
    }

    private func core(restoring session: StoredSession? = nil) -> TestCore {
        let configuration = StreamManagementConfiguration.quiet { $0.negotiationTimeout = .seconds(30) }
        if let session { return TestCore(configuration, restoring: session) }
        let core = TestCore.enabled(configuration)
        core.send("<message id='m1'/>")
        core.handle(.transportLost)
        return core
    }

    @Test("R32 Three unanswered attempts count as <failed/> without h", arguments: Fault.allCases)
    func three(fault: Fault) {
        let core = core()
        for number in 1...3 {
            #expect(core.canResume)
            let actions = attempt(core, fault)
            #expect(actions.contains("notify sessionLost: unanswered") == (number == 3))
            #expect(actions.contains("report #1 unknown id=m1, resent") == (number == 3))
        }
        #expect(!core.canResume && core.resumption == nil)
        #expect(core.unacknowledged.map(\.id) == ["m1"])
        // The next stream binds a resource.
        core.handle(.transportLost)
        #expect(core.refusal(of: .resume) == .noSession)
        let actions = core.text(.enable(resumption: true, maximum: nil, address: nil))
        #expect(TestCore.transmitted(actions) == ["#1"])
    }

    @Test("R32 After max, one unanswered attempt is enough", arguments: Fault.allCases)
    func afterMaximum(fault: Fault) {
        let core = core()
        core.wait(.seconds(601))
        #expect(attempt(core, fault).contains("notify sessionLost: unanswered"))
        #expect(!core.canResume)
    }

    @Test("R32 An answer restarts the count, and an attempt that this side gives up does not count")
    func notInARow() {
        let core = core()
        for _ in 1...20 {
            for fault in [Fault.closes, .resets] {
                _ = attempt(core, fault)
                core.handle(.resume)
                core.handle(.transportLost)
            }
            core.resume(h: 0)
            core.handle(.transportLost)
        }
        #expect(core.canResume)
    }

    @Test("R32 The number of unanswered attempts is stored, until an answer comes", arguments: Fault.allCases)
    func stored(fault: Fault) throws {
        let storage = MemoryStorage()
        var process = core()
        var session = StoredSession(
            resumption: process.resumption, address: "juliet@example.org/balcony", lastDisconnect: TestCore.start,
            pending: process.unacknowledged)
        storage.perform([.store(.replace(session), .immediate)])
        for number in 1...3 {
            session = try #require(storage.session(of: "juliet@example.org"))
            #expect(session.unansweredResumptions == number - 1)
            process = core(restoring: session)
            storage.perform(process.handle(.resume))
            switch fault {
            case .closes: storage.perform(process.handle(.peerClosed))
            case .resets, .sendsGarbage: storage.perform(process.handle(.connectionReset))
            case .isSilent:
                process.wait(.seconds(30))
                storage.perform(process.handle(.deadline(.negotiation)))
            case .fails:
                let error = "<stream:error><err:internal-server-error/></stream:error>"
                storage.perform(process.handle(.received(element(error))))
            case .sendsAStanza: storage.perform(process.handle(.received(element("<message/>"))))
            }
        }
        #expect(!process.canResume)
        let left = try #require(storage.session(of: "juliet@example.org"))
        #expect(left.resumption == nil && left.unansweredResumptions == 0 && left.pending.map(\.id) == ["m1"])
        // A session whose server answers keeps no number.
        session.unansweredResumptions = 2
        storage.perform([.store(.replace(session), .immediate)])
        process = core(restoring: session)
        storage.perform(process.handle(.resume))
        storage.perform(process.handle(.received(element("<sm:resumed previd='s1' h='1'/>"))))
        #expect(storage.session(of: "juliet@example.org")?.unansweredResumptions == 0)
    }

    // MARK: Sessions

    /// An error of the connection.
    private struct Broken: StreamConnectionError {
        var isFinal: Bool { false }
        let isReset: Bool
    }

    /// A server that enables stream management, and leaves `<resume/>` to the test.
    private static func server(_ fault: Fault) -> ScriptedTransport {
        let server = ScriptedTransport { heard in
            heard.hasPrefix("<enable ") ? ["<sm:enabled id='s1' resume='true' max='600'/>"] : []
        }
        server.breaks(with: Broken(isReset: fault == .resets))
        return server
    }

    private static func resumptions(_ server: ScriptedTransport) -> Int {
        server.heard.count { $0.hasPrefix("<resume ") }
    }

    /// Waits for `<resume/>`, and leaves it unanswered.
    private func leaveUnanswered(_ server: ScriptedTransport, _ fault: Fault, _ clock: ManualClock) async throws {
        try await server.until { Self.resumptions($0) == 1 }
        switch fault {
        case .closes: server.say(nil as String?)
        case .resets, .sendsGarbage: server.cut()
        case .isSilent:
            try await clock.until { $0.sleeperCount > 0 }
            clock.advance(by: .seconds(30))
        case .fails: server.say("<stream:error><err:internal-server-error/></stream:error>")
        case .sendsAStanza: server.say("<message/>")
        }
    }

    @Test("R32 A new session follows three unanswered attempts", arguments: Fault.allCases)
    func newSession(fault: Fault) async throws {
        let clock = ManualClock()
        let session = try await InlineResumptionTests.session(clock: clock) { $0.negotiationTimeout = .seconds(30) }
        let connector = TestConnector { _ in Self.server(fault) }
        let run = Task { try await session.run(connecting: connector, policy: .impatient) }
        let first = try await connector.server(1)
        try await session.until { $0.state == .enabled }
        first.cut()
        for number in 2...4 { try await leaveUnanswered(connector.server(number), fault, clock) }
        let last = try await connector.server(5)
        try await session.until { $0.state == .enabled }
        #expect(last.heard.first == "bind" && Self.resumptions(last) == 0)
        await session.close()
        _ = try await run.value
    }

    @Test("R32 A new session follows three unanswered attempts of three processes", arguments: Fault.allCases)
    func processes(fault: Fault) async throws {
        let clock = ManualClock()
        let storage = MemoryStorage()
        var configuration = StreamManagementConfiguration.quiet { $0.negotiationTimeout = .seconds(30) }
        configuration.resumesAutomatically = true
        for number in 1...5 {
            let process = try await StreamSession(
                account: "juliet@example.org", storage: storage, configuration: configuration, clock: clock)
            let server = Self.server(fault)
            let run = Task { try await process.run(on: server, features: ScriptedTransport.features) }
            if number == 1 || number == 5 {
                try await process.until { $0.state == .enabled }
                #expect(Self.resumptions(server) == 0)
            } else {
                try await leaveUnanswered(server, fault, clock)
                _ = try await run.value
            }
            try await process.suspend()
            _ = try await run.value
        }
    }

    @Test("R32 Attempts within an authentication count as well") func inline() async throws {
        let session = try await InlineResumptionTests.session()
        try await InlineResumptionTests.begin(session)
        let names = Watched<[String?]>([])
        let connector = ConnectorOf { _, inline in
            let elements = try await inline(.inline)
            names.withLock { $0.append(elements.first?.name) }
            throw Broken(isReset: false)
        }
        let run = Task { try await session.run(connecting: connector, policy: .impatient) }
        try await names.wait(for: "a fourth attempt") { $0.count >= 4 }
        #expect(names.withLock { Array($0.prefix(4)) } == ["resume", "resume", "resume", "bind"])
        await session.close()
        _ = try? await run.value
    }
}
