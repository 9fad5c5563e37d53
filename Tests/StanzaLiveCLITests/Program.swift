// Runs a program of this package as a process, and reads its output and its end.

import Foundation
import TestSupport
import Testing

/// A running executable from the folder of the tests' bundle, with its output. The deinit kills it, and so does a timer
/// after 30 minutes.
final class Program: Sendable {
    let process: ChildProcess
    private let output = Pipe()
    private let errors = Pipe()

    /// - Parameters:
    ///   - arguments: The arguments after its name.
    ///   - name: The executable, or a path for an executable outside this package.
    ///   - temporary: The folder for its temporary files.
    ///   - writing: Its standard output; if `nil`, the methods below read it.
    init(
        _ arguments: [String], of name: String = "stanza-live", temporary: URL? = nil, writing: FileHandle? = nil
    ) throws {
        let environment = temporary.map {
            ProcessInfo.processInfo.environment.merging(["TMPDIR": $0.path]) { $1 }
        }
        process = try ChildProcess(
            try Self.url(of: name), arguments, environment: environment,
            output: writing.map { .file($0) } ?? .pipe(output), errors: .pipe(errors))
        // Killing a program that hangs lets the test fail instead of waiting forever.
        DispatchQueue.global().asyncAfter(deadline: .now() + 1800) { [weak process] in process?.send(SIGKILL) }
    }

    deinit { process.send(SIGKILL) }

    static func url(of name: String) throws -> URL {
        if name.hasPrefix("/") { return URL(filePath: name) }
        return try #require(Bundle.main.executableURL).deletingLastPathComponent().appending(path: name)
    }

    /// Returns the next line of its output, or the rest of the output if the program ends within the line.
    func line() -> String {
        var text = Data()
        while let byte = try? output.fileHandleForReading.read(upToCount: 1), let byte = byte.first {
            if byte == UInt8(ascii: "\n") { break }
            text.append(byte)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the rest of its output.
    func rest() -> String { String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }

    /// Reads its output up to a line end after this text. Returns false if the program ends before.
    func prints(_ part: String) -> Bool {
        var text = Data()
        while let byte = try? output.fileHandleForReading.read(upToCount: 1), let byte = byte.first {
            text.append(byte)
            if byte == UInt8(ascii: "\n"), String(decoding: text, as: UTF8.self).contains(part) { return true }
        }
        return false
    }

    /// Terminates it, if it still runs at the end of a test.
    func stop() { process.send(SIGTERM) }

    /// Waits for its end, and returns its exit code and its output on standard error.
    func end() -> (code: Int32, errors: String) {
        let text = errors.fileHandleForReading.readDataToEndOfFile()
        let code =
            switch process.waitUntilExit() {
            case .exit(let code): code
            case .signal(let signal): -signal
            }
        return (code, String(decoding: text, as: UTF8.self))
    }
}

extension TemporaryFolder {
    /// The names of its files.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [] }
}
