// Runs PersistenceProbe, which is built with the tests.

import Foundation
import TestSupport
import Testing

/// A running process on a database. It is killed with this object, and in any case after some minutes.
final class Probe: Sendable {
    private let process: LineProcess

    init(_ arguments: String..., environment: [String: String] = [:]) throws {
        let tests = try #require(Bundle.main.executableURL)
        process = try LineProcess(
            tests.deletingLastPathComponent().appending(path: "PersistenceProbe"), arguments, environment: environment,
            errors: .nothing)
        // Ends a hanging process, so that the waiting test fails.
        _ = process.send(SIGKILL, after: 1200)
    }

    deinit { process.send(SIGKILL) }

    /// The process has ended instead of printing a line. Not an issue by itself: the reading thread belongs to no test.
    struct Ended: Error {}

    /// Waits for a line of its output.
    func line() async throws -> String { try await blocking { try self.readLine() } }

    /// Waits for a line of its output, on a thread that may be blocked.
    func readLine() throws -> String {
        guard let line = process.readLine() else { throw Ended() }
        return line
    }

    /// Writes to its input.
    func write(_ text: String) { try? process.write(text) }

    func send(_ signal: CInt) { process.send(signal) }

    /// Waits for its end. Returns the last line of its output, and the signal that ended it, if any.
    func finish() async -> (output: String, signal: CInt?) {
        let (lines, signal) = await blocking { self.readToEnd() }
        return (lines.last ?? "", signal)
    }

    /// Waits for its end, on a thread that may be blocked. Returns all unread lines of its output, and the signal that
    /// ended it, if any.
    func readToEnd() -> (lines: [String], signal: CInt?) {
        let (lines, end) = process.readToEnd()
        return if case .signal(let signal) = end { (lines, signal) } else { (lines, nil) }
    }
}
