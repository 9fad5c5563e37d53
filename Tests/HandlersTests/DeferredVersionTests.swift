// Deferred calls that a program of another version could not make. The replay migrates their arguments.

import Foundation
import Handlers
import TestSupport
import Testing

@Suite struct DeferredVersionTests {
    private let calls = Calls()
    private let store = MemoryHandlerStore()

    /// The handler in version 1. Version 2 changes names and a type.
    private var first: HandlerDefinition {
        HandlerDefinition(
            "Omemo|bundle", HandlerParameter("rid", Int?.self), HandlerParameter("note", String?.self),
            HandlerParameter("limit", Int?.self)
        ) { _, _, _ in Issue.record("called by version 1") }
    }

    private var second: HandlerDefinition {
        HandlerDefinition(
            "Omemo|bundle", version: 2,
            migrations: [
                1: { arguments in
                    arguments.rename("rid", to: "device")
                    arguments.rename("note", to: "remark")
                    try arguments.change("limit", from: Int.self) { String($0) }
                    try arguments.setDefault(7, for: "count")
                }
            ], HandlerParameter("device", Int.self), HandlerParameter("remark", String?.self),
            HandlerParameter("limit", String?.self), HandlerParameter("count", Int?.self)
        ) { [calls] device, remark, limit, count in
            calls.add("\(device) \(remark ?? "-") \(limit ?? "-") \(count ?? 0)")
        }
    }

    private func old() throws -> HandlerDispatcher { try HandlerDispatcher(first, store: store) }

    private func new() throws -> HandlerDispatcher { try HandlerDispatcher(second, store: store) }

    private func unknowing() throws -> HandlerDispatcher { HandlerDispatcher(try HandlerRegistry(), store: store) }

    private func stored(by dispatcher: HandlerDispatcher, binding arguments: HandlerArguments) async throws -> UUID {
        let handler = try dispatcher.handler("Omemo|bundle", binding: arguments)
        try await dispatcher.store(handler)
        return handler.id
    }

    /// An extension of version 1 continues to run after the app of version 2 has stored the handler.
    @Test func whatAnOlderProgramHasGivenIsMigrated() async throws {
        let id = try await stored(by: new(), binding: ["device": 1, "remark": "bound", "count": 3])
        #expect(
            try await old().call(stored: id, ["rid": 31, "limit": 5])
                == .deferred(HandlerError(.unknownVersion(stored: 2, newest: 1), handler: "Omemo|bundle")))
        #expect(try await new().replay().map(\.stillDeferred) == [nil])
        // An argument that the call does not give keeps its bound value, even if a migration sets a default.
        #expect(calls.all == ["31 bound 5 3"])
    }

    /// No bound argument replaces `device`. Without the migration, the call and all later calls would stay deferred.
    @Test func callsDoNotWaitForANameThatHasChanged() async throws {
        let id = try await stored(by: new(), binding: [:])
        for device in [31, 32] { try await old().call(stored: id, ["rid": device]) }
        #expect(try await new().replay().map(\.stillDeferred) == [nil])
        #expect(calls.all == ["31 - - 0", "32 - - 0"])
    }

    /// A program that does not know the handler defers its call with the handler's stored version.
    @Test func aDeferredCallHasTheStoredVersion() async throws {
        let old = try await stored(by: old(), binding: ["rid": 1, "note": "bound"])
        try await unknowing().call(stored: old, ["rid": 31])
        #expect(try await new().replay().map(\.stillDeferred) == [nil])
        let new = try await stored(by: new(), binding: ["device": 1])
        try await unknowing().call(stored: new, ["device": 32])
        #expect(try await self.new().replay().map(\.stillDeferred) == [nil])
        #expect(calls.all == ["31 bound - 7", "32 - - 0"])
    }

    @Test func anExplicitNilSurvives() async throws {
        let bound: HandlerArguments = ["device": 1, "remark": "bound", "limit": "9"]
        let id = try await stored(by: new(), binding: bound)
        // The same call without deferral.
        try await new().call(stored: id, ["remark": nil])
        // The first program uses the parameter's current name, the second one its former name.
        try await unknowing().call(stored: id, ["remark": nil])
        try await old().call(stored: id, ["note": nil, "rid": 2])
        #expect(try await new().replay().map(\.stillDeferred) == [nil])
        #expect(calls.all == ["1 - 9 0", "1 - 9 0", "2 - 9 0"])
        // An argument given at the replay does not replace the explicit `nil`.
        try await unknowing().call(stored: id, ["remark": nil])
        _ = try await new().replay(["remark": "given", "limit": "given"])
        #expect(calls.all.last == "1 - given 0")
    }

    @Test func invalidationsHaveVersionsOfTheirOwn() async throws {
        let lostFirst = HandlerDefinition("Omemo|lost", HandlerParameter("rid", Int.self)) { _ in }
        let lostSecond = HandlerDefinition(
            "Omemo|lost", version: 2, migrations: [1: { $0.rename("rid", to: "device") }],
            HandlerParameter("device", Int.self)
        ) { [calls] device in calls.add("lost \(device)") }
        let old = try HandlerDispatcher(first, lostFirst, store: store)
        let new = try HandlerDispatcher(second, lostSecond, store: store)
        let handler = try new.handler("Omemo|bundle", invalidation: "Omemo|lost", binding: ["device": 1])
        try await new.store(handler)
        _ = try await old.invalidate(stored: handler.id, because: .timedOut, ["rid": 31])
        #expect(try await new.replay().map(\.stillDeferred) == [nil])
        #expect(calls.all == ["lost 31"])
    }

    /// A downgraded program leaves a call of a newer version deferred.
    @Test func callsOfANewerProgramWait() async throws {
        let then = HandlerDefinition("Omemo|then") {}
        let oldAndThen = try HandlerDispatcher(first, then, store: store)
        let newAndThen = try HandlerDispatcher(second, then, store: store)
        let id = try await stored(by: oldAndThen, binding: ["rid": 1, "then": oldAndThen.handler("Omemo|then")])
        // Version 2 defers the handler because it does not know the handler bound within.
        try await new().call(stored: id, ["device": 31])
        let newer = HandlerError(.unknownVersion(stored: 2, newest: 1), handler: "Omemo|bundle")
        #expect(try await oldAndThen.replay().map(\.stillDeferred) == [newer])
        #expect(try await newAndThen.replay().map(\.stillDeferred) == [nil])
        #expect(calls.all == ["31 - - 7"])
    }
}
