// The sessions of most tests.

import StreamManagement
import TestSupport
import XMPPCore

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
