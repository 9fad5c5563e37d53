// The real command with a terminal of its own.

import Foundation
import TestSupport

/// A running command whose standard error is a terminal. A watchdog kills it if it hangs.
final class CommandOnTerminal {
    let process: ChildProcess
    private let watchdog: DispatchWorkItem

    init(
        _ arguments: [String], input: ChildProcess.Stream, on terminal: PseudoTerminal, called name: String = "xterm"
    ) throws {
        let environment = ProcessInfo.processInfo.environment.merging(["TERM": name]) { $1 }
        process = try ChildProcess(
            stanzaExecutable, arguments, environment: environment, input: input, output: .nothing,
            errors: .file(terminal.slave))
        watchdog = process.send(SIGKILL, after: 1200)
    }

    deinit { watchdog.cancel() }

    /// Sends it a signal, and waits until it has ended.
    func end(by signal: Int32) -> ChildProcess.End {
        process.send(signal)
        return process.waitUntilExit()
    }
}
