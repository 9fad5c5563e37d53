// Runs programs that stand beside the tests' own bundle.

import Foundation
import Testing

/// A running process on a database.
final class Probe {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var rest = Data()

    /// Runs a program that is built with the tests.
    init(running program: String = "PersistenceProbe", _ arguments: String..., environment: [String: String] = [:])
        throws
    {
        let tests = try #require(Bundle.main.executableURL)
        process.executableURL = tests.deletingLastPathComponent().appending(path: program)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    }

    /// Waits for a line of its output.
    func line() throws -> String {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                defer { rest = Data(rest[(end + 1)...]) }
                return String(decoding: rest[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            try #require(!more.isEmpty, "the process has ended")
            rest += more
        }
    }

    /// Writes to its input.
    func write(_ text: String) { try? input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    func send(_ signal: CInt) { kill(process.processIdentifier, signal) }

    /// Waits for its end. Gives the last line of its output, and the signal that ended it, if one did.
    func finish() -> (output: String, signal: CInt?) {
        let (lines, signal) = finishWithLines()
        return (lines.last ?? "", signal)
    }

    /// Waits for its end. Gives all lines of its output that were not taken, and the signal that ended it.
    func finishWithLines() -> (lines: [String], signal: CInt?) {
        rest += output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let lines = String(decoding: rest, as: UTF8.self).split(separator: "\n").map(String.init)
        return (lines, process.terminationReason == .uncaughtSignal ? process.terminationStatus : nil)
    }
}
