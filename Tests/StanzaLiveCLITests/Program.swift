// A program of this package as a process: what it prints, and how it ends.

import Foundation
import TestSupport
import Testing

/// An executable that stands beside the tests' own bundle, running, with its output. It is killed with this object, and
/// in any case after some minutes.
final class Program: Sendable {
    let process: ChildProcess
    private let output = Pipe()
    private let errors = Pipe()

    /// - Parameters:
    ///   - arguments: What follows its name.
    ///   - name: The executable; a path for others than those of this package.
    ///   - temporary: The folder for its temporary files.
    ///   - writing: Its standard output; without, `line()` and `end()` read it.
    init(
        _ arguments: [String], of name: String = "stanza-live", temporary: URL? = nil, writing: FileHandle? = nil
    ) throws {
        let environment = temporary.map {
            ProcessInfo.processInfo.environment.merging(["TMPDIR": $0.path]) { $1 }
        }
        process = try ChildProcess(
            try Self.url(of: name), arguments, environment: environment,
            output: writing.map { .file($0) } ?? .pipe(output), errors: .pipe(errors))
        // Whoever waits for one that hangs is told.
        DispatchQueue.global().asyncAfter(deadline: .now() + 1800) { [weak process] in process?.send(SIGKILL) }
    }

    deinit { process.send(SIGKILL) }

    static func url(of name: String) throws -> URL {
        if name.hasPrefix("/") { return URL(filePath: name) }
        return try #require(Bundle.main.executableURL).deletingLastPathComponent().appending(path: name)
    }

    /// The next line that it prints; what it printed last, if it ends before.
    func line() -> String {
        var text = Data()
        while let byte = try? output.fileHandleForReading.read(upToCount: 1), let byte = byte.first {
            if byte == UInt8(ascii: "\n") { break }
            text.append(byte)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// All that it still prints.
    func rest() -> String { String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }

    /// Reads lines until one holds this; false if it ends before.
    func tells(_ part: String) -> Bool {
        var text = Data()
        while let byte = try? output.fileHandleForReading.read(upToCount: 1), let byte = byte.first {
            text.append(byte)
            if byte == UInt8(ascii: "\n"), String(decoding: text, as: UTF8.self).contains(part) { return true }
        }
        return false
    }

    /// Ends it, if a test has ended before.
    func stop() { process.send(SIGTERM) }

    /// Waits for its end, and gives its exit code and what it printed on standard error.
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

/// A folder of a test's own, which goes with this object.
final class TestFolder: Sendable {
    let url: URL

    init(_ name: String = "stanza-live") throws {
        url = FileManager.default.temporaryDirectory.appending(path: "\(name)-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// What is in it.
    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? [] }
}
