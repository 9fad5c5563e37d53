// A process with a session: the program session-faults, which is in the folder of this one, with the command `probe`.

import Foundation
import TestSupport

/// A running probe. The deinit of this object kills it.
package final class ProbeProcess: Sendable {
    private let process: LineProcess

    /// The file in a probe's folder that has the certificate of the server's authority. Without it, the probe does not
    /// encrypt its connections.
    package static let authorityFile = "authority.pem"

    package init(_ arguments: [String], environment: [String: String] = [:]) throws {
        guard let program = Bundle.main.executableURL else { throw RunFailure("this program does not know its file") }
        process = try LineProcess(
            program.deletingLastPathComponent().appending(path: "session-faults"), ["probe"] + arguments,
            environment: environment, errors: .nothing)
    }

    deinit { kill() }

    package func write(_ line: String) { try? process.write(line + "\n") }

    package func stop() { process.send(SIGSTOP) }

    package func go() { process.send(SIGCONT) }

    package var isRunning: Bool { process.isRunning }

    package func kill() {
        process.send(SIGKILL)
        process.waitUntilExit()
    }

    /// Whether the process prints this line before it ends. After the given time, this kills the process.
    package func says(_ line: String, within time: TimeInterval) async -> Bool {
        await blocking { self.wait(for: line, within: time) }
    }

    private func wait(for line: String, within time: TimeInterval) -> Bool {
        let alarm = process.send(SIGKILL, after: time)
        defer { alarm.cancel() }
        while let said = process.readLine() {
            if said == line { return true }
        }
        return false
    }
}

/// The reason why a run failed, or the violations that it found.
package struct RunFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
