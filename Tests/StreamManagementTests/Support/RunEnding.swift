// What ends a run that connects, from outside.

import Testing

@testable import StreamManagement

/// A way to end a run.
enum RunEnding: CaseIterable {
    case closing, suspending, cancelling

    /// Ends the run of a session so, and checks that it tells it.
    func end(_ run: Task<StreamEnd, any Error>, of session: StreamSession) async throws {
        try await begin(run, of: session)
        await expectEnd(of: run)
    }

    /// Says that the run of a session is to end.
    func begin(_ run: Task<StreamEnd, any Error>, of session: StreamSession) async throws {
        switch self {
        case .closing: await session.close()
        case .suspending: try await session.suspend()
        case .cancelling: run.cancel()
        }
    }

    /// Waits for the end of the run, and checks that it tells it.
    func expectEnd(of run: Task<StreamEnd, any Error>) async {
        switch (self, await run.result) {
        case (.closing, .success(.closed)), (.suspending, .success(.suspended)): break
        case (.cancelling, .failure(let error)): #expect(error is CancellationError)
        case (_, let result): Issue.record("\(result)")
        }
    }
}
