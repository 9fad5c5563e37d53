// Prosody's `stanza:find` as a peer, where it is installed: one process of Lua that times itself (Lua/find.lua).

import Foundation

struct ProsodyPeer {
    private static let interpreters = ["/usr/bin/lua5.4", "/usr/local/bin/lua5.4"]
    private static let library = "/usr/lib/prosody"

    /// How many stanzas have a result of each of the ten queries; `nil` where Prosody or Lua is not installed.
    static func counts(_ documents: [String]) throws -> [Int]? {
        try run(documents, samples: 0)?.map(\.count)
    }

    /// Nanoseconds per stanza for each of the ten queries.
    static func times(_ documents: [String], effort: Effort) throws -> [Double]? {
        try run(documents, samples: effort.samples)?.map(\.nanoseconds)
    }

    private static func run(_ documents: [String], samples: Int) throws -> [(count: Int, nanoseconds: Double)]? {
        let files = FileManager.default
        guard let lua = interpreters.first(where: files.isExecutableFile),
            files.fileExists(atPath: library + "/util/stanza.lua")
        else { return nil }
        let input = files.temporaryDirectory.appending(path: "stanzas-\(ProcessInfo.processInfo.processIdentifier)")
        defer { try? files.removeItem(at: input) }
        let text = documents.map { "\($0.utf8.count)\n\($0)\n" }.joined()
        try text.write(to: input, atomically: true, encoding: .utf8)

        let script = Corpus.repository.appending(path: "Benchmarks/Lua/find.lua")
        let output = try Subprocess.output(
            of: lua, [script.path, library, input.path, BenchmarkQuery.node, "\(samples)"])
        return try output.split(separator: "\n").map { line in
            let fields = line.split(separator: "\t")
            guard fields.count == 2, let count = Int(fields[0]), let nanoseconds = Double(fields[1]) else {
                throw PeerError(description: "Lua printed '\(line)'")
            }
            return (count, nanoseconds)
        }
    }
}

enum Subprocess {
    /// Runs a command and returns its output.
    static func output(
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
            throw PeerError(description: "\(executable) ended with status \(process.terminationStatus)")
        }
        return String(decoding: data, as: UTF8.self)
    }
}
