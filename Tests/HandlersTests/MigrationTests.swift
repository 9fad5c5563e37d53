// Handlers that an older program stored: former names, and arguments of older versions.

import Foundation
import Handlers
import Testing

@Suite struct MigrationTests {
    let calls = Calls()

    private var first: HandlerDefinition {
        HandlerDefinition("Omemo|handleBundle", HandlerParameter("rid", Int.self)) { _ in }
    }

    private var third: HandlerDefinition {
        HandlerDefinition(
            "Omemo|bundleFetched", formerly: ["Omemo|handleBundle"], version: 3,
            migrations: [
                1: { $0.rename("rid", to: "device") },
                2: { arguments in
                    try arguments.change("device", from: Int.self) { String($0) }
                    try arguments.setDefault(false, for: "isRetry")
                },
            ], HandlerParameter("device", String.self), HandlerParameter("isRetry", Bool.self)
        ) { [calls] device, isRetry in calls.add("\(device) \(isRetry)") }
    }

    @Test func fromTheFirstToTheThirdVersion() async throws {
        let old = try HandlerDispatcher(first)
        let new = try HandlerDispatcher(third)
        let data = try old.data(of: old.handler("Omemo|handleBundle", binding: ["rid": 31]))
        let handler = try new.load(from: data)
        #expect(handler.name == "Omemo|bundleFetched")
        #expect(handler.version == 3)
        try await new.call(handler)
        #expect(calls.all == ["31 false"])
        // Storing it again writes the current version.
        let again = try new.load(from: new.data(of: handler))
        #expect(again == handler)
    }

    /// Migrations of the handler's function do not apply to the arguments of its invalidation function.
    @Test func invalidationFunctionsMigrateByThemselves() async throws {
        let lost = HandlerDefinition(
            "Omemo|lost", HandlerParameter("rid", Int.self), HandlerParameter("isRetry", Bool?.self)
        ) { [calls] rid, isRetry in
            calls.add("lost \(rid) \(isRetry as Any)")
        }
        let old = try HandlerDispatcher(first, lost)
        let new = try HandlerDispatcher(third, lost)
        let data = try old.data(
            of: old.handler("Omemo|handleBundle", invalidation: "Omemo|lost", binding: ["rid": 31]))
        var handler = try new.load(from: data)
        #expect(handler.arguments.keys.sorted() == ["device", "isRetry"])
        #expect(handler.invalidationArguments.keys.sorted() == ["rid"])
        handler = try new.load(from: new.data(of: handler)).binding(["isRetry": true])
        try await new.call(handler)
        try await new.invalidate(handler, because: .timedOut)
        #expect(calls.all == ["31 true", "lost 31 Optional(true)"])
    }

    @Test func nestedHandlersMigrate() throws {
        let outer = HandlerDefinition("Test|outer", HandlerParameter("then", [Handler].self)) { _ in }
        let old = try HandlerDispatcher(first, outer)
        let new = try HandlerDispatcher(third, outer)
        let inner = try old.handler("Omemo|handleBundle", binding: ["rid": 31])
        let data = try old.data(of: old.handler("Test|outer", binding: ["then": [inner]]))
        guard case .array(let values) = try new.load(from: data).arguments["then"],
            case .handler(let handler) = values[0]
        else {
            Issue.record("the nested handler is missing")
            return
        }
        #expect(handler.arguments["device"] == .string("31"))
    }

    @Test func migrationsThatFail() async throws {
        let old = try HandlerDispatcher(first)
        let new = try HandlerDispatcher(third)
        let error = await handlerError {
            _ = try new.load(from: old.data(of: old.handler("Omemo|handleBundle").binding(["rid": true])))
        }
        #expect(
            error
                == HandlerError(
                    .migrationFailed(from: 2, reason: "expected Int, got Bool"), handler: "Omemo|bundleFetched"))
    }

    @Test func newerVersions() async throws {
        let old = try HandlerDispatcher(
            HandlerDefinition("Omemo|bundleFetched", HandlerParameter("device", String.self)) { _ in })
        let new = try HandlerDispatcher(third)
        let data = try new.data(of: new.handler("Omemo|bundleFetched", binding: ["device": "31"]))
        let error = await handlerError { _ = try old.load(from: data) }
        #expect(error == HandlerError(.unknownVersion(stored: 3, newest: 1), handler: "Omemo|bundleFetched"))
    }
}
