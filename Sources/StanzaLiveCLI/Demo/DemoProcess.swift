// A program of the demonstration: this executable in another role.

import Foundation

/// A running program that prints its actions, line by line.
final class DemoProcess {
    private let process = Process()
    /// Nothing is written here: the reader of its other end ends with this process.
    private let input = Pipe()
    private let output = Pipe()
    private var rest = Data()
    private let longestWait: Duration

    /// - Parameters:
    ///   - executable: The program.
    ///   - longestWait: The maximum wait for the program's next line: a thousand times the duration of the slowest
    ///     step.
    init(
        _ arguments: [String], of executable: URL? = Bundle.main.executableURL, longestWait: Duration = .seconds(600)
    ) throws {
        guard let executable else { throw DemoFailure("the path of this program is unknown") }
        self.longestWait = longestWait
        process.executableURL = executable
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// Waits for a line with this beginning, and returns the rest of it.
    ///
    /// - Throws: `DemoFailure` if the program ends instead, or takes too long; `EndingSignal` if a signal comes first.
    func wait(for beginning: String) throws -> String {
        let deadline = ContinuousClock.now + longestWait
        while let line = try nextLine(before: deadline) {
            if line.hasPrefix(beginning) { return String(line.dropFirst(beginning.count)) }
        }
        let name = (process.arguments ?? []).prefix(2).joined(separator: " ")
        throw DemoFailure("'\(name)' ended before its line '\(beginning)'; its output is above")
    }

    private func nextLine(before deadline: ContinuousClock.Instant) throws -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest = Data(rest[(end + 1)...]) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            guard try canRead(before: deadline) else {
                throw DemoFailure("a program printed nothing for \(longestWait.components.seconds) seconds")
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            rest += more
        }
    }

    /// Waits until there is something to read, or the end; false if that takes too long.
    private func canRead(before deadline: ContinuousClock.Instant) throws -> Bool {
        while ContinuousClock.now < deadline {
            try EndingSignal.check()
            if output.fileHandleForReading.hasInput(within: EndingSignal.pause) { return true }
        }
        return false
    }

    func send(_ signal: CInt) { kill(process.processIdentifier, signal) }

    /// Kills the program.
    func kill() {
        send(SIGKILL)
        process.waitUntilExit()
    }

    private func kill(_ process: pid_t, _ signal: CInt) { Foundation.kill(process, signal) }
}

extension FileHandle {
    /// Waits for input, or for its end; returns false if neither comes within this time.
    func hasInput(within time: Duration) -> Bool {
        var request = pollfd(fd: fileDescriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, CInt(clamping: Int(time / .milliseconds(1)))) > 0
    }
}
