// Runs shell scripts that call `stanza`, as its users do.

import Foundation
import TestSupport

enum Shell {
    /// Runs a script in a new folder with some files and the package's `Grammar` and `Benchmarks`, where `stanza` is
    /// the built command.
    static func run(
        _ script: String, by shell: String = "/bin/sh", files: [String: String] = [:]
    ) async throws -> (code: Int32, output: String) {
        try await blocking { try runNow(script, by: shell, files: files) }
    }

    private static func runNow(
        _ script: String, by shell: String, files: [String: String]
    ) throws -> (code: Int32, output: String) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "stanza-shell-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        for name in ["Benchmarks", "Grammar"] {
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: name), withDestinationURL: packageFolder.appending(path: name))
        }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: shell)
        process.arguments = ["-c", script]
        process.currentDirectoryURL = folder
        process.environment = ["PATH": stanzaExecutable.deletingLastPathComponent().path + ":/usr/bin:/bin"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }
}
