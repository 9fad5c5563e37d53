// Runs shell scripts that call `stanza`, as its users do.

import Foundation
import TestSupport

enum Shell {
    /// Runs a script of bash in a new folder with some files and the package's `Grammar` and `Benchmarks`, where
    /// `stanza` is the built command.
    static func run(
        _ script: String, files: [String: String] = [:]
    ) async throws -> (code: Int32, output: String, errors: String) {
        try await blocking {
            let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
            for (name, text) in files { try folder.file(name, text) }
            for name in ["Benchmarks", "Grammar"] {
                try FileManager.default.createSymbolicLink(
                    at: folder.file(name), withDestinationURL: packageFolder.appending(path: name))
            }
            let (output, errors) = (Pipe(), try other.file("errors", ""))
            let path = stanzaExecutable.deletingLastPathComponent().path + ":/usr/bin:/bin"
            let process = try ChildProcess(
                URL(filePath: "/bin/bash"), ["-c", script],
                environment: ProcessInfo.processInfo.environment.merging(["PATH": path]) { $1 },
                folder: folder.url, input: .nothing, output: .pipe(output),
                errors: .file(FileHandle(forWritingTo: errors)))
            let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
            let code = try process.waitUntilExit().code
            return (code, String(decoding: bytes, as: UTF8.self), try String(contentsOf: errors, encoding: .utf8))
        }
    }
}
