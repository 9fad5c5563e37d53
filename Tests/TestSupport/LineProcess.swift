// A program that reads lines and prints lines.

public import Foundation
import Locking

/// A running program, with its input and its output.
public final class LineProcess: Sendable {
    private let process: ChildProcess
    private let input = Pipe()
    private let output = Pipe()
    /// The bytes after the last line that was read.
    private let pending = Lock(Data())

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - environment: variables in addition to those of this process.
    ///   - file: its standard output; without, this object reads it.
    public init(
        _ program: URL, _ arguments: [String], environment: [String: String] = [:], writing file: FileHandle? = nil,
        errors: ChildProcess.Stream = .inherited
    ) throws {
        process = try ChildProcess(
            program, arguments, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
            input: .pipe(input), output: file.map { .file($0) } ?? .pipe(output), errors: errors)
    }

    public var processIdentifier: pid_t { process.processIdentifier }
    public var isRunning: Bool { process.isRunning }

    public func send(_ signal: CInt) { process.send(signal) }

    /// Sends it a signal later, unless this object is gone then.
    public func send(_ signal: CInt, after seconds: TimeInterval) -> DispatchWorkItem {
        process.send(signal, after: seconds)
    }

    @discardableResult
    public func waitUntilExit() -> ChildProcess.End { process.waitUntilExit() }

    /// Ends its input, and waits for its end.
    public func finish() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    public func write(_ text: String) throws { try input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

    /// The next line of its output without its end; `nil` if the program has ended. It blocks the thread.
    public func readLine() -> String? {
        while true {
            let line = pending.withLock { pending -> String? in
                guard let end = pending.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
                defer { pending = Data(pending[(end + 1)...]) }
                return String(decoding: pending[..<end], as: UTF8.self)
            }
            if let line { return line }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            pending.withLock { $0 += more }
        }
    }

    /// Waits for its end, and returns all lines that were not read. It blocks the thread.
    public func readToEnd() -> (lines: [String], end: ChildProcess.End) {
        let more = output.fileHandleForReading.readDataToEndOfFile()
        let all = pending.withLock { $0 + more }
        return (String(decoding: all, as: UTF8.self).split(separator: "\n").map(String.init), process.waitUntilExit())
    }
}
