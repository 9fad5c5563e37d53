// A program of the demonstration: this executable, in another role.

import Foundation

/// A running program that tells what it does, line by line.
final class DemoProcess {
    private let process = Process()
    private let output = Pipe()
    private var rest = Data()

    init(_ arguments: [String]) throws {
        guard let executable = Bundle.main.executableURL else {
            throw DemoFailure("this program does not know its file")
        }
        process.executableURL = executable
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// Waits for a line that begins so, and gives the rest of it.
    func wait(for beginning: String) throws -> String {
        while let line = nextLine() {
            if line.hasPrefix(beginning) { return String(line.dropFirst(beginning.count)) }
        }
        throw DemoFailure("a program ended before it said '\(beginning)'")
    }

    private func nextLine() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest = Data(rest[(end + 1)...]) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            rest += more
        }
    }

    func send(_ signal: CInt) { kill(process.processIdentifier, signal) }

    /// Ends it at once.
    func kill() {
        send(SIGKILL)
        process.waitUntilExit()
    }

    private func kill(_ process: pid_t, _ signal: CInt) { Foundation.kill(process, signal) }
}
