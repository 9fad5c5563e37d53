// The sessions of most tests.

import StreamManagement

extension StreamSession {
    /// A session without timers of its own, whose time passes only when a test advances the clock.
    ///
    /// - Parameter resumes: Whether it resumes automatically.
    static func quiet(
        _ storage: any StreamManagementStorage = MemoryStorage(), resumes: Bool = false,
        handling: HandlingPolicy = .onArrival, takingOver: Bool = false, clock: any SessionClock = ManualClock(),
        _ change: (inout StreamManagementConfiguration) -> Void = { _ in }
    ) async throws -> StreamSession {
        try await StreamSession(
            account: "juliet@example.org", storage: storage,
            configuration: .quiet {
                $0.resumesAutomatically = resumes
                change(&$0)
            }, handling: handling, takingOver: takingOver, clock: clock)
    }
}
