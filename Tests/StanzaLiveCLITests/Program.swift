// Runs a program of this package as a process, and reads its output and its end.

import Foundation
import TestSupport
import Testing

/// A running executable from the folder of the tests' bundle, with its output. The deinit kills it, and so does a timer
/// after 30 minutes.
final class Program: Sendable {
    let process: LineProcess
    private let errors = Pipe()

    /// - Parameters:
    ///   - arguments: The arguments after its name.
    ///   - name: The executable, or a path for an executable outside this package.
    ///   - temporary: The folder for its temporary files.
    ///   - file: Its standard output; if `nil`, the methods below read it.
    init(
        _ arguments: [String], of name: String = "stanza-live", temporary: URL? = nil, writing file: FileHandle? = nil
    ) throws {
        process = try LineProcess(
            Self.url(of: name), arguments, environment: temporary.map { ["TMPDIR": $0.path] } ?? [:], writing: file,
            errors: .pipe(errors))
        // Killing a program that hangs lets the test fail instead of waiting forever.
        _ = process.send(SIGKILL, after: 1800)
    }

    deinit { process.send(SIGKILL) }

    static func url(of name: String) throws -> URL {
        if name.hasPrefix("/") { return URL(filePath: name) }
        return try #require(Bundle.main.executableURL).deletingLastPathComponent().appending(path: name)
    }

    /// Returns the next line of its output; empty if the program has ended.
    func line() -> String { process.readLine() ?? "" }

    /// Waits for its end, and returns the rest of its output, without empty lines.
    func rest() -> String { process.readToEnd().lines.joined(separator: "\n") }

    /// Reads its output up to a line with this text. Returns false if the program ends before.
    func prints(_ part: String) -> Bool {
        while let line = process.readLine() {
            if line.contains(part) { return true }
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
