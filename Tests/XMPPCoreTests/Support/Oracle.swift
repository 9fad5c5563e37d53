// Other implementations, each a process that answers one line at a time.

import Foundation
import TestSupport

/// A process that answers lines. It ends with this object.
final class Oracle {
    private let process: ChildProcess
    private let input = Pipe()
    private let output = Pipe()
    /// The bytes after the last whole line.
    private var pending = Data()

    /// Starts a script of the folder Oracles.
    ///
    /// - Throws: `OracleFailure`, if the script does not begin with a line "ready".
    init(_ interpreter: String, _ script: String, _ arguments: String..., hint: String) throws {
        let path = packageFolder.appending(path: "Tests/XMPPCoreTests/Oracles/\(script)").path
        process = try ChildProcess(
            URL(filePath: "/usr/bin/env"), [interpreter, path] + arguments, input: .pipe(input), output: .pipe(output))
        if try readLine() != "ready" { throw OracleFailure("\(script) does not start. \(hint)") }
    }

    deinit {
        // The end of its input ends it.
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// The answers to some lines, together less than a pipe holds.
    func answers(to lines: [String]) throws -> [String] {
        try input.fileHandleForWriting.write(contentsOf: Data(lines.map { $0 + "\n" }.joined().utf8))
        return try lines.map { _ in
            guard let answer = try readLine() else { throw OracleFailure("the process has ended") }
            return answer
        }
    }

    private func readLine() throws -> String? {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                defer { pending = Data(pending[(end + 1)...]) }
                return String(decoding: pending[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            pending.append(more)
        }
    }
}

struct OracleFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
