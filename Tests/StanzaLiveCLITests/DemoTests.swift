// The whole demonstration, with the real programs, server and database.

import Foundation
import TestSupport
import Testing

@testable import StanzaLiveCLI

@Suite(.serialized) struct DemoTests {
    @Test(.needsProsody, arguments: AvatarDemo.Fate.allCases, AvatarDemo.Outcome.allCases)
    func theAppIsAwayWhenTheAnswerComes(fate: AvatarDemo.Fate, outcome: AvatarDemo.Outcome) async throws {
        let program = try Program(["demo", "avatar", "--app", fate.rawValue, "--answer", outcome.rawValue])
        let output = await blocking { program.rest() }
        let (status, errors) = await blocking { program.end() }
        let lines = output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(status == 0, "\(output)\(errors)")
        let shown =
            outcome == .success
            ? "success: coven@rooms.localhost has its new avatar" : "error forbidden: only owners may change the avatar"
        #expect(lines.contains("app        shows: \(shown)"))
        #expect(lines.contains("extension  resumes the session"))
        let isRemoval = fate == .suspended && outcome == .error
        let wish = isRemoval ? "remove" : "change"
        #expect(lines.contains("app        asks to \(wish) the avatar of coven@rooms.localhost"))
        #expect(lines.contains("app        has found its promise") == (fate == .killed))
        #expect(lines.last == "app        resumes the session")
        // The app shows the outcome only after the extension has handled the answer.
        let shows = lines.firstIndex { $0.hasPrefix("app        shows") } ?? 0
        let gone = lines.firstIndex(of: "extension  is gone") ?? lines.count
        #expect(gone < shows)
    }

    @Test func aProgramThatSaysNothingMoreIsEnded() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "id").path
        var program: DemoProcess? = try DemoProcess(
            ["-c", "echo $$ >\"$0\"; kill -STOP $$; echo never", file], of: URL(filePath: "/bin/sh"),
            longestWait: .milliseconds(200))
        // The start of the program may take any time.
        try await eventually("it has begun") { (try? String(contentsOfFile: file, encoding: .utf8))?.last == "\n" }
        let id = try #require(pid_t(try String(contentsOfFile: file, encoding: .utf8).dropLast()))
        #expect(throws: DemoFailure.self) { try program?.wait(for: "never") }
        #expect(kill(id, 0) == 0)
        program = nil
        #expect(kill(id, 0) != 0)
    }
}
