// The scenario that promises exist for, with two real programs that share a database: the app asks and goes away, its
// extension receives the answer, the app comes back and shows it.

import Foundation
import Testing

struct AvatarScenarioTests {
    private let place: TemporaryDatabase

    init() throws { place = try TemporaryDatabase() }

    @Test(arguments: [
        ("success", "shown: coven@chat.shakespeare.lit has no avatar now"), ("error", "shown: error forbidden"),
    ])
    func theAppIsSuspended(answer: String, shown: String) throws {
        let app = try Probe(running: "AvatarApp", place.path)
        #expect(try app.line() == "asked")
        app.send(SIGSTOP)
        #expect(try Probe(running: "AvatarExtension", place.path, answer).finish().output == "handled: 1")
        app.send(SIGCONT)
        #expect(app.finish().output == shown)
    }

    @Test(arguments: [
        ("success", "shown: coven@chat.shakespeare.lit has no avatar now"), ("error", "shown: error forbidden"),
    ])
    func theAppIsKilled(answer: String, shown: String) throws {
        let app = try Probe(running: "AvatarApp", place.path)
        #expect(try app.line() == "asked")
        app.send(SIGKILL)
        #expect(app.finish().signal == SIGKILL)
        #expect(try Probe(running: "AvatarExtension", place.path, answer).finish().output == "handled: 1")
        // A second answer finds nobody who waits for it.
        #expect(try Probe(running: "AvatarExtension", place.path, "error").finish().output == "handled: 0")
        let restarted = try Probe(running: "AvatarApp", place.path)
        #expect(try restarted.line() == "reattached")
        #expect(restarted.finish().output == shown)
    }

    @Test func theExtensionGivesWayWhenTheAppIsActive() throws {
        let app = try Probe(running: "AvatarApp", place.path)
        #expect(try app.line() == "asked")
        app.send(SIGKILL)
        _ = app.finish()
        let other = try Probe(running: "AvatarExtension", place.path, "serve")
        #expect(try other.line() == "serving")
        let restarted = try Probe(running: "AvatarApp", place.path, "success")
        #expect(try restarted.line() == "reattached")
        #expect(other.finish().output == "gave way")
        #expect(restarted.finish().output == "shown: coven@chat.shakespeare.lit has no avatar now")
    }

    @Test func anAnswerThatTheAppGetsItselfIsShownAtOnce() throws {
        #expect(try Probe(running: "AvatarApp", place.path, "error").finish().output == "shown: error forbidden")
    }
}
