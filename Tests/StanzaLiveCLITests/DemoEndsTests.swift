// The demonstration ends before its story: after signals, a killed director, or a server that does not start. It must
// leave neither processes nor files.

import Foundation
import TestSupport
import Testing

@testable import StanzaLiveCLI

@Suite(.serialized, .timeLimit(.minutes(60))) struct DemoEndsTests {
    @Test(.needsProsody, arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalLeavesNothing(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        let program = try Program(["demo", "avatar", "--app", "suspended"], temporary: folder.url)
        defer { program.stop() }
        // Sends the signal at once: a task could wait for its thread until the story is over.
        let isPrinted = await blocking {
            defer { program.process.send(signal) }
            return program.prints("is in the background")
        }
        #expect(isPrinted)
        let (code, errors) = await blocking { program.end() }
        #expect(code == 128 + signal)
        #expect(errors == "")
        #expect(folder.names.filter { $0.hasPrefix("stanza-demo") } == [])
        #expect(Self.processes(naming: folder.url.lastPathComponent).map(\.line) == [])
    }

    /// Kills the director while both programs run and one of them is stopped.
    @Test(.needsProsody, .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/cmdline")))
    func noProgramOutlivesItsDirector() async throws {
        let folder = try TemporaryFolder()
        let name = folder.url.lastPathComponent
        let program = try Program(["demo", "avatar", "--app", "suspended"], temporary: folder.url)
        // Stops the director, and with it the story: the started program waits for an answer of the director.
        let isPrinted = await blocking {
            defer { program.process.send(SIGSTOP) }
            return program.prints("extension  is started")
        }
        #expect(isPrinted)
        try await eventually("both run") {
            Self.processes(naming: name).count { $0.line.contains("demo-role") } == 2
        }
        program.process.send(SIGKILL)
        try await eventually("all programs have ended") {
            let left = Self.processes(naming: name)
            // A stopped program must continue to notice the end of its director. Systems do not always continue a
            // stopped orphan.
            for process in left { kill(process.number, SIGCONT) }
            return left.isEmpty
        }
        #expect(await blocking { program.end() }.code == -SIGKILL)
    }

    @Test func aServerThatDoesNotStartIsReported() async throws {
        let folder = try TemporaryFolder()
        let program = folder.url.appending(path: "prosody").path
        try "#!/bin/sh\necho lua is missing; exit 1\n".write(toFile: program, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        let failure = await #expect(throws: DemoFailure.self) {
            try await blocking { try DemoServer(in: folder.url, program: program).waitUntilItListens() }
        }
        #expect(failure?.description == "Prosody has ended instead of listening; it printed:\nlua is missing")
    }

    @Test func aServerThatNeverListensIsReported() throws {
        let folder = try TemporaryFolder()
        let program = folder.url.appending(path: "prosody").path
        try "#!/bin/sh\nexec sleep 1000\n".write(toFile: program, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        let server = try DemoServer(in: folder.url, program: program)
        let failure = #expect(throws: DemoFailure.self) { try server.waitUntilItListens(longestWait: .zero) }
        #expect(failure?.description == "Prosody does not listen after 0 seconds; it printed nothing")
    }

    /// The name of the folder occurs in Prosody's configuration, which is Lua, and Prosody loads a module from it.
    @Test(.needsProsody) func theFolderMayHaveAnyName() async throws {
        let folder = try TemporaryFolder("stanza \"live\\;PORT")
        let program = try Program(["demo", "avatar", "--app", "suspended", "--answer", "error"], temporary: folder.url)
        defer { program.stop() }
        let text = await blocking { program.rest() }
        let (code, errors) = await blocking { program.end() }
        #expect(code == 0 && errors == "", "\(text)")
        #expect(text.contains("app        shows: error forbidden: only owners may change the avatar"), "\(text)")
    }

    @Test func aFolderThatCannotBeMade() async throws {
        let program = try Program(["demo", "avatar"], temporary: URL(filePath: "/dev/null"))
        let (code, errors) = await blocking { program.end() }
        #expect(code == 3)
        #expect(errors.hasPrefix("stanza-live: /dev/null/stanza-demo-"))
        #expect(errors.hasSuffix(": Not a directory\n"), "\(errors)")
    }

    /// Returns the processes whose command line contains this text.
    private static func processes(naming name: String) -> [(number: pid_t, line: String)] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { pid_t($0) }.compactMap { number in
            guard let bytes = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") else { return nil }
            let line = String(decoding: bytes, as: UTF8.self)
            return line.contains(name) ? (number, line) : nil
        }
    }
}
