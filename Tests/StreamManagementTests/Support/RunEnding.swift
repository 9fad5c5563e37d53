// The ways to end a run of connections from outside.

import Testing

@testable import StreamManagement

/// A way to end a run.
enum RunEnding: CaseIterable {
    case closing, suspending, canceling

    /// Asks the run of a session to end.
    func begin(_ run: Task<StreamEnd, any Error>, of session: StreamSession) async throws {
        switch self {
        case .closing: await session.close()
        case .suspending: try await session.suspend()
        case .canceling: run.cancel()
        }
    }

    /// Waits for the end of the run, and checks its result.
    func expectEnd(of run: Task<StreamEnd, any Error>) async {
        switch (self, await run.result) {
        case (.closing, .success(.closed)), (.suspending, .success(.suspended)): break
        case (.canceling, .failure(let error)): #expect(error is CancellationError)
        case (_, let result): Issue.record("\(result)")
        }
    }
}
