// The real command with a terminal of its own.

import Foundation

/// A running command whose standard error is a terminal. Nothing here may wait for ever: what hangs is killed.
final class CommandOnTerminal {
    let process = Process()
    private let watchdog: DispatchWorkItem

    /// - Parameter input: Its standard input: a handle, or a pipe.
    init(_ arguments: [String], input: Any, on terminal: PseudoTerminal) throws {
        watchdog = DispatchWorkItem { [process] in kill(process.processIdentifier, SIGKILL) }
        process.executableURL = stanzaExecutable
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = terminal.slave
        try withDefaultSignals { try process.run() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 1200, execute: watchdog)
    }

    deinit { watchdog.cancel() }

    /// Sends it a signal, and waits until it has ended.
    func end(by signal: Int32) {
        kill(process.processIdentifier, signal)
        process.waitUntilExit()
    }
}
