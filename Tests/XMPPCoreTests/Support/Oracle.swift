// Other implementations, each a process that answers one line at a time.

import Foundation
import TestSupport

/// A process that answers lines. It ends with this object.
final class Oracle {
    private let process: LineProcess

    /// Starts a script of the folder Oracles.
    ///
    /// - Throws: `OracleFailure`, if the script does not begin with a line "ready".
    init(_ interpreter: String, _ script: String, _ arguments: String..., hint: String) throws {
        let path = packageFolder.appending(path: "Tests/XMPPCoreTests/Oracles/\(script)").path
        process = try LineProcess(URL(filePath: "/usr/bin/env"), [interpreter, path] + arguments)
        if process.readLine() != "ready" { throw OracleFailure("\(script) does not start. \(hint)") }
    }

    deinit { process.finish() }

    /// The answers to some lines, together less than a pipe holds.
    func answers(to lines: [String]) throws -> [String] {
        try process.write(lines.map { $0 + "\n" }.joined())
        return try lines.map { _ in
            guard let answer = process.readLine() else { throw OracleFailure("the process has ended") }
            return answer
        }
    }
}

struct OracleFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
