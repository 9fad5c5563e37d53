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
        let folder = try TemporaryFolder()
        for (name, text) in files { try folder.file(name, text) }
        for name in ["Benchmarks", "Grammar"] {
            try FileManager.default.createSymbolicLink(
                at: folder.file(name), withDestinationURL: packageFolder.appending(path: name))
        }
        let output = Pipe()
        let process = try ChildProcess(
            URL(filePath: shell), ["-c", script],
            environment: ["PATH": stanzaExecutable.deletingLastPathComponent().path + ":/usr/bin:/bin"],
            folder: folder.url, input: .nothing, output: .pipe(output), errors: .nothing)
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        return try (process.waitUntilExit().code, String(decoding: bytes, as: UTF8.self))
    }
}
