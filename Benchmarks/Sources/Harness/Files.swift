// The repository's files, and other programs: what measurements need besides the measured work.

import Foundation

/// The repository and its records, which are files of tab-separated fields in the folder Benchmarks.
package enum Repository {
    package static let folder = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    package static let benchmarks = folder.appending(path: "Benchmarks")

    /// The fields of each line that begins with these, without them; all lines have so many fields.
    package static func rows(of name: String, _ beginning: String..., fields: Int) throws -> [[String]] {
        let text = try String(contentsOf: benchmarks.appending(path: name), encoding: .utf8)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
            let all = line.split(separator: "\t").map(String.init)
            guard all.starts(with: beginning) else { return nil }
            guard all.count == fields else { throw BenchmarkError("\(name) has the line '\(line)'") }
            return Array(all.dropFirst(beginning.count))
        }
    }

    /// Replaces a record. Its head becomes a comment.
    package static func write(_ name: String, head: String, _ rows: [[String]]) throws {
        let lines = ["# \(head)"] + rows.map { $0.joined(separator: "\t") }
        let text = lines.joined(separator: "\n") + "\n"
        try text.write(to: benchmarks.appending(path: name), atomically: true, encoding: .utf8)
    }
}

package enum Subprocess {
    /// Runs a command and returns its output.
    package static func output(
        of executable: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(filePath: executable)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw BenchmarkError("\(executable) ended with status \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
