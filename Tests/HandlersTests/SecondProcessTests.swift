// Another process runs the handlers that this process stores: a real executable of a later version of the program.

import Foundation
import Handlers
import TestSupport
import Testing
import XMLTree

@Suite struct SecondProcessTests {
    private let folder: TemporaryFolder
    private let file: URL

    init() throws {
        folder = try TemporaryFolder()
        file = folder.file("handlers")
    }

    /// Version 1 of the handlers of HandlersSecondProcess. This process never calls them.
    private func withDispatcher(_ body: (HandlerDispatcher) async throws -> Void) async throws {
        let store = try FileHandlerStore(at: file)
        defer { store.close() }
        try await body(
            HandlerDispatcher(
                HandlerDefinition(
                    "Omemo|handleBundle", HandlerParameter("rid", Int.self), HandlerParameter("jid", String.self),
                    HandlerParameter("items", [Element].self), HandlerParameter("then", Handler?.self)
                ) { _, _, _, _ in Issue.record("called in the first process") },
                HandlerDefinition("Omemo|lost", HandlerParameter("rid", Int.self)) { _ in },
                HandlerDefinition("Test|once", isSingleShot: true) { Issue.record("called in the first process") },
                HandlerDefinition("Test|done") {}, HandlerDefinition("Test|old") {}, store: store))
    }

    /// Starts the other program, which is built with the tests, and returns the lines that it prints.
    private func second(_ step: String, _ id: UUID? = nil) async throws -> [String] {
        let executable = try #require(Bundle.main.executableURL).deletingLastPathComponent()
            .appending(path: "HandlersSecondProcess")
        let arguments = [file.path, step] + (id.map { [$0.uuidString] } ?? [])
        return try await blocking {
            let output = Pipe()
            let process = try ChildProcess(executable, arguments, output: .pipe(output))
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return text.split(separator: "\n").map(String.init)
        }
    }

    private func storeBundle(_ dispatcher: HandlerDispatcher) async throws -> Handler {
        let bundle = try Element(
            parsing: """
                <item xmlns='http://jabber.org/protocol/pubsub'><bundle xmlns='eu.siacs.conversations.axolotl'><prekeys>\
                <preKeyPublic preKeyId='1'>a</preKeyPublic><preKeyPublic preKeyId='2'>b</preKeyPublic></prekeys></bundle></item>
                """)
        let handler = try dispatcher.handler(
            "Omemo|handleBundle", invalidation: "Omemo|lost",
            binding: [
                "rid": 31, "jid": "romeo@example.net", "items": [bundle], "then": dispatcher.handler("Test|done"),
            ])
        try await dispatcher.store(handler)
        return handler
    }

    /// The other process calls the handler under a new name, with migrated arguments, on the bound stanza.
    @Test func callsInAnotherProcess() async throws {
        try await withDispatcher { dispatcher in
            _ = try await storeBundle(dispatcher)
            try await dispatcher.store(dispatcher.handler("Test|old"))
        }
        let lines = try await second("call")
        #expect(
            lines == [
                "bundle 31 of romeo@example.net for juliet@example.net: 2 keys, then Test|done",
                "deferred Test|old: handler 'Test|old': no handler of that name is registered: register its type, or give its new definition this former name",
            ])
    }

    @Test func invalidationInAnotherProcess() async throws {
        var handler: Handler?
        try await withDispatcher { handler = try await storeBundle($0) }
        #expect(try await second("invalidate") == ["lost 31: disconnected"])
        // A third process and this one refuse the call.
        #expect(
            try await second("call") == [
                "error: handler 'Omemo|bundleFetched': it was invalidated (disconnected) and cannot be called, bound or invalidated again: make a new handler"
            ])
        try await withDispatcher { dispatcher in
            let handler = try #require(handler)
            let error = await handlerError { try await dispatcher.call(handler) }
            #expect(error?.kind == .alreadyInvalidated(.disconnected))
        }
    }

    @Test func callsThatWaitForTheOtherProgram() async throws {
        try await withDispatcher { dispatcher in
            let handler = try await storeBundle(dispatcher)
            // The answer arrives in an even older program, which does not know the handler.
            let older = HandlerDispatcher(try HandlerRegistry(), store: dispatcher.store)
            let items = [try Element(parsing: "<item xmlns='http://jabber.org/protocol/pubsub'/>")]
            #expect(
                try await older.call(stored: handler.id, ["items": items])
                    == .deferred(HandlerError(.unknownHandler, handler: "Omemo|handleBundle")))
        }
        #expect(
            try await second("replay") == [
                "bundle 31 of romeo@example.net for juliet@example.net: 0 keys, then Test|done", "replayed 1",
            ])
        #expect(try await second("replay") == [])
    }

    @Test func singleShotInSeveralProcesses() async throws {
        var id: UUID?
        try await withDispatcher { dispatcher in
            let handler = try dispatcher.handler("Test|once")
            try await dispatcher.store(handler)
            id = handler.id
        }
        #expect(try await second("claim", id) == ["once"])
        #expect(
            try await second("claim", id) == [
                "error: handler 'Test|once': it is single-shot and was called already: make a new handler, or define it without single-shot"
            ])
    }

    @Test func oneProcessAtATime() async throws {
        try await withDispatcher { _ in
            let lines = try await second("call")
            #expect(
                lines == [
                    "error: '\(file.path)' is in use: close the other store first; processes that share handlers need a database"
                ])
        }
    }
}
