// The sessions of most tests, and their runs.

import TestSupport
import Testing
import XMPPCore

@testable import StreamManagement

extension StreamSession {
    /// A session without timers of its own, whose time passes only when a test advances the clock.
    ///
    /// - Parameter resumes: Whether it resumes automatically.
    static func quiet(
        _ storage: any StreamManagementStorage = MemoryStorage(), resumes: Bool = false,
        handling: HandlingPolicy = .onArrival, takingOver: Bool = false, clock: any MachineClock = ManualClock(),
        _ change: (inout StreamManagementConfiguration) -> Void = { _ in }
    ) async throws -> StreamSession {
        try await StreamSession(
            account: "juliet@example.org", storage: storage,
            configuration: .quiet {
                $0.resumesAutomatically = resumes
                change(&$0)
            }, handling: handling, takingOver: takingOver, clock: clock)
    }

    /// A quiet session on a server that has enabled or resumed it.
    static func running(
        _ storage: any StreamManagementStorage = MemoryStorage(), resumes: Bool = false,
        handling: HandlingPolicy = .onArrival, takingOver: Bool = false, clock: any MachineClock = ManualClock(),
        _ change: (inout StreamManagementConfiguration) -> Void = { _ in }
    ) async throws -> (session: StreamSession, server: ScriptedTransport, run: Task<StreamEnd, any Error>) {
        let session = try await quiet(
            storage, resumes: resumes, handling: handling, takingOver: takingOver, clock: clock, change)
        let server = ScriptedTransport.server()
        return (session, server, try await session.enabled(on: server))
    }
}

extension StreamSession {
    /// Runs the session on a server.
    nonisolated func begin(
        on server: ScriptedTransport, features: StreamFeatures = ScriptedTransport.features
    ) -> Task<StreamEnd, any Error> {
        Task { try await run(on: server, features: features) }
    }

    /// Runs the session on a server that enables or resumes it.
    nonisolated func enabled(on server: ScriptedTransport) async throws -> Task<StreamEnd, any Error> {
        let run = begin(on: server)
        try await until { $0.state == .enabled }
        // Events are reported when their changes are stored.
        try await flush()
        return run
    }

    /// Runs the session on the connections of a connector.
    nonisolated func begin(
        _ connector: some StreamConnector, _ policy: ReconnectionPolicy = .impatient
    ) -> Task<StreamEnd, any Error> {
        Task { try await run(connecting: connector, policy: policy) }
    }

    /// Closes the session, and checks that this ends its run.
    func close(ending run: Task<StreamEnd, any Error>) async throws {
        await close()
        #expect(try await run.value == .closed)
    }

    /// Takes a stanza as soon as it has been received.
    nonisolated func take() async throws -> ReceivedStanza {
        try #require(await takeStanzas(atMost: 1, bytes: .max).first?.stanza)
    }
}

extension ReconnectionPolicy {
    /// Without waits, so that every attempt begins at once.
    static let impatient = after(.zero)

    /// The same wait after each failure.
    static func after(_ wait: Duration) -> ReconnectionPolicy {
        var policy = ReconnectionPolicy()
        policy.first = wait
        policy.maximum = max(wait, policy.maximum)
        policy.factor = 1
        policy.jitter = 0
        policy.probeInterval = .zero
        return policy
    }
}
