// Deferral: a handler that this program cannot load stays in the store, with its calls, for a program that can.

import Foundation
import Handlers
import TestSupport
import Testing
import XMLTree

@Suite struct DeferralTests {
    let calls = Calls()
    let store = MemoryHandlerStore()

    private var definition: HandlerDefinition {
        HandlerDefinition(
            "Test|answer", HandlerParameter("account", Account.self), HandlerParameter("iq", Element?.self),
            HandlerParameter("number", Int?.self)
        ) { [calls] account, iq, number in calls.add("\(account.jid) \(iq?.name ?? "-") \(number ?? 0)") }
    }

    private var lost: HandlerDefinition {
        HandlerDefinition("Test|lost", HandlerParameter("why", InvalidationReason.self)) { [calls] why in
            calls.add("lost \(why)")
        }
    }

    private func knowing() throws -> HandlerDispatcher { try HandlerDispatcher(definition, lost, store: store) }

    private func unknowing() throws -> HandlerDispatcher { try HandlerDispatcher(lost, store: store) }

    @Test func callsWaitForAnUpdate() async throws {
        let id: UUID
        do {
            let handler = try knowing().handler("Test|answer", binding: ["number": 1])
            try await knowing().store(handler)
            id = handler.id
        }
        let unknown = HandlerError(.unknownHandler, handler: "Test|answer")
        let iq = try Element(parsing: "<iq/>")
        #expect(try await unknowing().call(stored: id, ["account": Account(), "iq": iq]) == .deferred(unknown))
        #expect(try await unknowing().call(stored: id, ["account": Account(), "number": 2]) == .deferred(unknown))
        let deferred = try await unknowing().deferred()
        #expect(deferred.map(\.id) == [id])
        #expect(deferred[0].description == "Test|answer")
        #expect(deferred[0].reason == unknown.description)
        #expect(deferred[0].waitingCalls == 2)
        #expect(abs(deferred[0].since.timeIntervalSinceNow) < 60)
        // The same program cannot load it either.
        #expect(try await unknowing().replay().map(\.stillDeferred) == [unknown])
        // An updated program knows it, but needs the account.
        let missing = HandlerError(.missingArgument("account", expected: "Account"), handler: "Test|answer")
        #expect(try await knowing().replay().map(\.stillDeferred) == [missing])
        #expect(calls.count == 0)
        let replays = try await knowing().replay(["account": Account(), "number": 9])
        #expect(replays.map(\.stillDeferred) == [nil])
        #expect(replays[0].calls.count == 2)
        #expect(calls.all == ["juliet@example.net iq 9", "juliet@example.net - 2"])
        #expect(try await knowing().deferred().isEmpty)
        // The handler takes calls again.
        #expect(try await knowing().call(stored: id, ["account": Account()]) == .called)
        #expect(calls.all.last == "juliet@example.net - 1")
    }

    @Test func invalidationsWait() async throws {
        let handler = try knowing().handler("Test|answer", invalidation: "Test|lost")
        try await knowing().store(handler)
        _ = try await unknowing().invalidate(stored: handler.id, because: .timedOut)
        _ = try await unknowing().call(stored: handler.id)
        let replays = try await knowing().replay(["account": Account()])
        #expect(calls.all == ["lost timed-out"])
        #expect(replays.map(\.stillDeferred) == [nil])
        // The call follows the invalidation: it fails.
        guard case .failure(let error) = replays[0].calls[1] else {
            Issue.record("the handler was called after its invalidation")
            return
        }
        #expect((error as? HandlerError)?.kind == .alreadyInvalidated(.timedOut))
    }

    @Test func ofTwoReplaysAtOnceOneMakesTheCalls() async throws {
        try await store.saveNew("Test|answer", knowing())
        let id = try #require(store.handlers().first?.id)
        for number in 1...3 { try await unknowing().call(stored: id, ["number": number]) }
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let slow = HandlerDefinition("Test|answer", HandlerParameter("number", Int.self)) { [calls] number in
            calls.add("\(number)")
            for await _ in gate { break }
        }
        let dispatcher = try HandlerDispatcher(slow, store: store)
        let first = Task { try await dispatcher.replay() }
        try await eventually("the first call is being made") { calls.count > 0 }
        // While the first call runs, a second replay makes neither this call nor the later ones.
        #expect(try await dispatcher.replay().isEmpty)
        #expect(calls.all == ["1"])
        open.finish()
        #expect(try await first.value.map(\.calls.count) == [3])
        #expect(calls.all == ["1", "2", "3"])
        #expect(try await dispatcher.deferred().isEmpty)
    }

    @Test func aReplayThatIsCancelledGivesTheRestBack() async throws {
        try await store.saveNew("Test|answer", knowing())
        let id = try #require(store.handlers().first?.id)
        for number in 1...2 { try await unknowing().call(stored: id, ["number": number]) }
        let cancelling = HandlerDefinition("Test|answer", HandlerParameter("number", Int.self)) { [calls] number in
            calls.add("\(number)")
            withUnsafeCurrentTask { $0?.cancel() }
        }
        let dispatcher = try HandlerDispatcher(cancelling, store: store)
        await #expect(throws: CancellationError.self) { try await Task { try await dispatcher.replay() }.value }
        #expect(calls.all == ["1"])
        #expect(try await Task { try await dispatcher.replay() }.value.map(\.calls.count) == [1])
        #expect(calls.all == ["1", "2"])
    }

    @Test func errorsOfFunctionsAreReportedOnce() async throws {
        let failing = HandlerDefinition("Test|answer") { throw CancellationError() }
        try await store.saveNew("Test|answer", knowing())
        let id = try #require(store.handlers().first?.id)
        try await unknowing().call(stored: id)
        let dispatcher = try HandlerDispatcher(failing, store: store)
        let replays = try await dispatcher.replay()
        #expect(replays[0].calls.count == 1)
        guard case .failure(let error) = replays[0].calls[0] else {
            Issue.record("nothing was thrown")
            return
        }
        #expect(error is CancellationError)
        #expect(try await dispatcher.replay().isEmpty)
    }

    @Test func loadAll() async throws {
        try await store.saveNew("Test|answer", knowing())
        try await store.saveNew("Test|lost", knowing())
        store.save(StoredHandler(id: UUID(), description: "Test|damaged", data: Data([1, 2]), nested: []))
        #expect(try await unknowing().loadAll().map(\.name) == ["Test|lost"])
        let deferred = try await unknowing().deferred().sorted { $0.description < $1.description }
        #expect(deferred.map(\.description) == ["Test|answer", "Test|damaged"])
        #expect(deferred[1].reason == "the data are damaged at byte 0: this is not a stored handler")
        let all = try await knowing().loadAll()
        #expect(all.map(\.name.description).sorted() == ["Test|answer", "Test|lost"])
    }

    /// Every reason for deferral that an update can fix.
    @Test func reasons() async throws {
        func reason(
            stored: HandlerDefinition, loaded: HandlerDefinition?, objects: [any StorableObject.Type] = [],
            _ arguments: HandlerArguments
        ) async throws -> HandlerError.Kind? {
            let old = try HandlerDispatcher(
                stored, HandlerDefinition("Test|gone") {}, objects: [Upload.self], store: store)
            let new = HandlerDispatcher(try HandlerRegistry(handlers: loaded.map { [$0] } ?? []), store: store)
            let handler = try old.handler(stored.name, binding: arguments)
            try await old.store(handler)
            return await handlerError { _ = try await new.load(handler.id) }?.kind
        }
        let one = HandlerDefinition("Test|one") {}
        #expect(try await reason(stored: one, loaded: nil, [:]) == .unknownHandler)
        #expect(
            try await reason(stored: one, loaded: one, ["x": Upload(file: "", size: 0)])
                == .unknownType("Upload", version: 1))
        let gone = try HandlerDispatcher(HandlerDefinition("Test|gone") {}).handler("Test|gone")
        #expect(try await reason(stored: one, loaded: one, ["x": [gone]]) == .unknownHandler)
        #expect(
            try await reason(
                stored: one, loaded: HandlerDefinition("Test|one", HandlerParameter("x", Int.self)) { _ in }, ["x": "5"]
            )
                == .wrongType(argument: "x", expected: "Int", actual: "String"))
        #expect(
            try await reason(
                stored: one, loaded: HandlerDefinition("Test|one", HandlerParameter("x", Account.self)) { _ in },
                ["x": "5"]) == .notStorable(argument: "x", type: "Account"))
        #expect(try await HandlerDispatcher(HandlerRegistry(), store: store).deferred().count == 5)
    }

    @Test func aHandlerThatIsNotStoredIsAnError() async throws {
        let id = UUID()
        #expect(await handlerError { _ = try await knowing().load(id) }?.kind == .notStored)
        #expect(await handlerError { try await knowing().call(stored: id) }?.kind == .notStored)
        #expect(
            await handlerError { try await knowing().invalidate(stored: id, because: .cancelled) }?.kind == .notStored)
    }

    @Test func storingChecksTypes() async throws {
        let handler = try knowing().handler("Test|answer").binding(["number": "five"])
        let error = await handlerError { try await knowing().store(handler) }
        #expect(error?.kind == .wrongType(argument: "number", expected: "Int", actual: "String"))
    }
}

extension MemoryHandlerStore {
    fileprivate func saveNew(_ name: HandlerName, _ dispatcher: HandlerDispatcher) async throws {
        try await dispatcher.store(dispatcher.handler(name))
    }
}
