// Which ends of a connection count as resets (D50).

import StreamManagement
import TestSupport
import Testing
import XMLTree

@Suite struct ResetEndTests {
    struct Broken: StreamConnectionError, Equatable {
        var isFinal: Bool { false }
        var isReset: Bool
    }

    /// An error of a connection that leaves `isReset` to the default.
    struct Refused: StreamConnectionError {
        var isFinal: Bool { false }
    }

    /// How the session notices the end.
    enum Way: CaseIterable {
        case reading, writing, pausedReader, canceled
    }

    private static let errors: [any Error] = [
        Broken(isReset: true), Broken(isReset: false), Refused(), ScriptedTransport.Gone(),
    ]

    /// Ends the stream, and returns when it has ended.
    private static func end(
        _ session: StreamSession, _ server: ScriptedTransport, _ run: Task<StreamEnd, any Error>,
        _ way: Way
    ) async throws -> StreamEnd {
        switch way {
        case .reading: server.cut()
        case .writing:
            server.failWrites()
            try await session.requestAcknowledgement()
            // The reader gets the rest of the bytes, here none, and then the end.
            try await server.until { $0.failedWrites == 1 }
            server.cut()
        case .pausedReader:
            // Only the write shows the end.
            if await !session.isInputHeldUp { server.say("<message/>") }
            try await session.until { $0.isInputHeldUp }
            server.failWrites()
            try await session.requestAcknowledgement()
        case .canceled: run.cancel()
        }
        return try await run.value
    }

    @Test("D50 Only a reset counts as one, however the session notices it", arguments: 0...3, Way.allCases)
    func ends(error: Int, way: Way) async throws {
        let error = Self.errors[error]
        let clock = ManualClock()
        let session = try await StreamSession.quiet(
            resumes: true, handling: .deciding { _ in .pending(id: nil) }, clock: clock
        ) { $0.maximumUnhandled = 1 }
        try await session.send(element("<message><body>\(String(repeating: "x", count: 10_000))</body></message>"))
        for _ in 1...StreamManagementConfiguration.resetsPerLoss {
            let server = ScriptedTransport.server()
            server.breaks(with: error)
            let run = Task { try await session.run(on: server, features: ScriptedTransport.features) }
            try await server.until { this in this.heard.contains { $0.hasPrefix("<message") } }
            try await session.until { $0.state == .enabled }
            let end = try await Self.end(session, server, run, way)
            if way != .canceled { #expect(end == .lost(error)) }
        }
        let isReset = (error as? Broken)?.isReset == true && way != .canceled
        #expect(await session.unacknowledged.map(\.losses) == [isReset ? 1 : 0])
    }
}
