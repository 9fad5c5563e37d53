// The scenario that promises exist for, with two real programs that share a database: the app asks and goes away, its
// extension receives the answer, the app comes back and shows it.

import AvatarScenario
import Foundation
import HandlerMacros
import Persistence
import Promises
import StreamManagement
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
        // No handler waits for a second answer.
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

    /// The files of the database that this process has open.
    private func databaseFiles() throws -> [String] {
        // The system may name the folder by another path, but not by another name.
        try openFiles().filter { $0.contains(place.folder.lastPathComponent) }
    }

    /// An app with a session, a handler and a waiting task calls one function before it is suspended.
    @Test func oneFreezeClosesTheFilesOfSessionsHandlersAndPromises() async throws {
        let database = try await place.open()
        let session = try database.openSession(RemoveAvatar.account)
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let promise = try await promises.create(String.self, key: RemoveAvatar.key)
        let room = "coven@chat.shakespeare.lit"
        let handler = try RemoveAvatar.$answered.handler(binding: #named(promise, room))
        try await RemoveAvatar.handlers(in: database, promises).store(handler)
        let shown = Task { try await promise.value }
        #expect(try databaseFiles() != [])
        await database.freeze()
        #expect(try databaseFiles() == [])
        #expect(try await Probe(running: "AvatarExtension", place.path, "success").finish().output == "handled: 1")
        try await database.unfreeze()
        #expect(try await shown.value == "\(room) has no avatar now")
        #expect(throws: StorageError.takenOver(account: RemoveAvatar.account)) { _ = try session.load() }
    }

    @Test func anAnswerThatTheAppGetsItselfIsShownAtOnce() async throws {
        #expect(try await Probe(running: "AvatarApp", place.path, "error").finish().output == "shown: error forbidden")
    }
}
