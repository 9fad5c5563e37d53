// Standard output that cannot be written: an exit code and a message, whatever the command.

import Foundation
import TestSupport
import Testing

@testable import StanzaLiveCLI

@Suite(.timeLimit(.minutes(60))) struct StandardStreamsTests {
    static let commands = [["playground", "--port", "0"], ["demo", "avatar"], ["--help"]]

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")), arguments: commands)
    func aFullDisk(command: [String]) async throws {
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let program = try Program(command, writing: full)
        defer { program.stop() }
        let (code, errors) = await blocking { program.end() }
        #expect(code == 3)
        #expect(errors == "stanza-live: cannot write: \(String(cString: strerror(ENOSPC)))\n")
    }

    /// The first file that the program opens must not become its standard output.
    @Test(arguments: commands)
    func noOutput(command: [String]) async throws {
        let path = try Program.url(of: "stanza-live").path
        let program = try Program(["-c", "exec \"$0\" \"$@\" >&-", path] + command, of: "/bin/sh")
        defer { program.stop() }
        let (code, errors) = await blocking { program.end() }
        #expect(code == 3)
        #expect(errors.hasPrefix("stanza-live: cannot write: "), "\(errors)")
    }

    @Test(arguments: commands)
    func aReaderThatIsGone(command: [String]) async throws {
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let program = try Program(command, writing: pipe.fileHandleForWriting)
        defer { program.stop() }
        let (code, errors) = await blocking { program.end() }
        #expect(code == 0 && errors.isEmpty, "\(errors)")
    }
}
