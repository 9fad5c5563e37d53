// The demonstration, whole: the programs, the server and the database are real.

import Foundation
import Testing

@testable import StanzaLiveCLI

@Suite(.serialized) struct DemoTests {
    /// Prosody has to be there, unless the environment says that it may be missing, which is said loudly.
    static let isPossible: Bool = {
        let isUnwanted = ProcessInfo.processInfo.environment["STANZA_NO_PROSODY"] == "1"
        if isUnwanted { print("!!! NOT TESTED: the demonstration with Prosody: STANZA_NO_PROSODY=1. !!!") }
        return !isUnwanted
    }()

    @Test(.enabled(if: isPossible), arguments: AvatarDemo.Fate.allCases, AvatarDemo.Outcome.allCases)
    func theAppIsAwayWhenTheAnswerComes(fate: AvatarDemo.Fate, outcome: AvatarDemo.Outcome) throws {
        let (output, status) = try run(["demo", "avatar", "--app", fate.rawValue, "--answer", outcome.rawValue])
        let lines = output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(status == 0, "\(output)")
        let shown =
            outcome == .success
            ? "success: coven@rooms.localhost has its new avatar" : "error forbidden: only owners may change the avatar"
        #expect(lines.contains("app        shows: \(shown)"))
        #expect(lines.contains("extension  resumes the session"))
        #expect(lines.last == "app        resumes the session")
        // Nobody shows anything before the extension has handled the answer.
        let shows = lines.firstIndex { $0.hasPrefix("app        shows") } ?? 0
        let gone = lines.firstIndex(of: "extension  is gone") ?? lines.count
        #expect(gone < shows)
    }

    @Test func aProgramThatSaysNothingMoreIsEnded() throws {
        var program: DemoProcess? = try DemoProcess(
            ["-c", "echo id $$; kill -STOP $$; echo never"], of: URL(filePath: "/bin/sh"),
            longestWait: .milliseconds(200))
        let id = try #require(pid_t(try program?.wait(for: "id ") ?? ""))
        #expect(throws: DemoFailure.self) { try program?.wait(for: "never") }
        #expect(kill(id, 0) == 0)
        program = nil
        #expect(kill(id, 0) != 0)
    }

    @Test func aStoryThatThereIsNotIsRefused() async {
        let answer = await StanzaLiveCommand.run(["demo", "hamlet"])
        #expect(answer.status == .usage && answer.errors.contains("avatar"))
    }

    /// Runs the executable that stands beside the tests' own bundle.
    private func run(_ arguments: [String]) throws -> (output: String, status: Int32) {
        let tests = try #require(Bundle.main.executableURL)
        let process = Process()
        process.executableURL = tests.deletingLastPathComponent().appending(path: "stanza-live")
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (String(decoding: data, as: UTF8.self), process.terminationStatus)
    }
}
