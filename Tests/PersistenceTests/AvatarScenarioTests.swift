// The scenario that promises exist for, with two real programs that share a database: the app asks and goes away, its
// extension receives the answer, the app comes back and shows it.

import Foundation
import TestSupport
import Testing

@Suite(.fewAtOnce) struct AvatarScenarioTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    @Test(arguments: [
        ("success", "shown: coven@chat.shakespeare.lit has no avatar now"), ("error", "shown: error forbidden"),
    ])
    func theAppIsSuspended(answer: String, shown: String) async throws {
        let app = try Probe(running: "AvatarApp", place.path)
        #expect(try await app.line() == "asked")
        app.send(SIGSTOP)
        #expect(try await Probe(running: "AvatarExtension", place.path, answer).finish().output == "handled: 1")
        app.send(SIGCONT)
        #expect(await app.finish().output == shown)
    }

    @Test(arguments: [
        ("success", "shown: coven@chat.shakespeare.lit has no avatar now"), ("error", "shown: error forbidden"),
    ])
    func theAppIsKilled(answer: String, shown: String) async throws {
        let app = try Probe(running: "AvatarApp", place.path)
        #expect(try await app.line() == "asked")
        app.send(SIGKILL)
        #expect(await app.finish().signal == SIGKILL)
        #expect(try await Probe(running: "AvatarExtension", place.path, answer).finish().output == "handled: 1")
        // A second answer finds nobody who waits for it.
        #expect(try await Probe(running: "AvatarExtension", place.path, "error").finish().output == "handled: 0")
        let restarted = try Probe(running: "AvatarApp", place.path)
        #expect(try await restarted.line() == "reattached")
        #expect(await restarted.finish().output == shown)
    }

    @Test func theExtensionGivesWayWhenTheAppIsActive() async throws {
        let app = try Probe(running: "AvatarApp", place.path)
        #expect(try await app.line() == "asked")
        app.send(SIGKILL)
        _ = await app.finish()
        let other = try Probe(running: "AvatarExtension", place.path, "serve")
        #expect(try await other.line() == "serving")
        let restarted = try Probe(running: "AvatarApp", place.path, "success")
        #expect(try await restarted.line() == "reattached")
        #expect(await other.finish().output == "gave way")
        #expect(await restarted.finish().output == "shown: coven@chat.shakespeare.lit has no avatar now")
    }

    @Test func anAnswerThatTheAppGetsItselfIsShownAtOnce() async throws {
        #expect(try await Probe(running: "AvatarApp", place.path, "error").finish().output == "shown: error forbidden")
    }
}
