// Invalidation, which happens at most once for all copies; and single-shot calls, of which one wins.

import Foundation
import Handlers
import Testing

@Suite struct InvalidationTests {
    let calls = Calls()

    private func dispatcher() throws -> HandlerDispatcher {
        try HandlerDispatcher(
            HandlerDefinition("Test|answer") { [calls] in calls.add("answer") },
            HandlerDefinition("Test|once", isSingleShot: true, HandlerParameter("text", String?.self)) {
                [calls] text in calls.add("once \(text ?? "-")")
            },
            HandlerDefinition(
                "Test|lost", HandlerParameter("done", Bool.self), HandlerParameter("text", String?.self),
                HandlerParameter("why", InvalidationReason?.self)
            ) { [calls] done, text, why in calls.add("lost \(done) \(text ?? "-") \(why?.rawValue ?? "-")") })
    }

    /// The invalidation function gets bound arguments, arguments of the call, and the reason.
    @Test func withArguments() async throws {
        let dispatcher = try dispatcher()
        let handler = try dispatcher.handler(
            "Test|answer", invalidation: "Test|lost", binding: ["text": "value", "success": true])
        try await dispatcher.invalidate(handler, because: .timedOut, ["done": true])
        #expect(calls.all == ["lost true value timed-out"])
        #expect(handler.mark == .invalidated(.timedOut))
    }

    @Test func afterwardsNothingWorks() async throws {
        let dispatcher = try dispatcher()
        let handler = try dispatcher.handler("Test|answer", invalidation: "Test|lost", binding: ["done": false])
        let copy = try handler.binding(["text": "copy"])
        try await dispatcher.invalidate(handler, because: .disconnected)
        let expected = HandlerError(.alreadyInvalidated(.disconnected), handler: "Test|answer")
        #expect(await handlerError { try await dispatcher.call(handler) } == expected)
        #expect(await handlerError { try await dispatcher.call(copy) } == expected)
        #expect(await handlerError { try await dispatcher.invalidate(copy, because: .canceled) } == expected)
        #expect(await handlerError { _ = try copy.binding(["text": "x"]) } == expected)
        #expect(calls.all == ["lost false - disconnected"])
        #expect(
            expected.description
                == "handler 'Test|answer': it was invalidated (disconnected) and cannot be called, bound or invalidated again: make a new handler"
        )
    }

    @Test func whatDoesNotFitInvalidatesNothing() async throws {
        let dispatcher = try dispatcher()
        let handler = try dispatcher.handler("Test|answer", invalidation: "Test|lost")
        let error = await handlerError { try await dispatcher.invalidate(handler, because: .canceled) }
        #expect(error == HandlerError(.missingArgument("done", expected: "Bool"), handler: "Test|lost"))
        #expect(handler.mark == nil)
        try await dispatcher.call(handler)
        #expect(calls.all == ["answer"])
    }

    @Test func exactlyOneSingleShotCallWins() async throws {
        let dispatcher = try dispatcher()
        for _ in 0..<100 {
            let handler = try dispatcher.handler("Test|once")
            let wins = try await race(8) { try await dispatcher.call(handler) }
            #expect(wins == 1)
            #expect(handler.mark == .called)
        }
        #expect(calls.count == 100)
    }

    /// If an answer and a timeout race, one of them wins.
    @Test func callsAndInvalidationsRace() async throws {
        let dispatcher = try dispatcher()
        for _ in 0..<100 {
            let handler = try dispatcher.handler("Test|once", invalidation: "Test|lost", binding: ["done": true])
            let wins = try await withThrowingTaskGroup { group in
                group.addTask { await handlerError { try await dispatcher.call(handler) } == nil }
                group.addTask {
                    await handlerError { try await dispatcher.invalidate(handler, because: .timedOut) } == nil
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wins == 1)
        }
        #expect(calls.count == 100)
    }

    @Test func aSingleShotCallThatDoesNotFitDoesNotCount() async throws {
        let dispatcher = try dispatcher()
        let handler = try dispatcher.handler("Test|once")
        #expect(await handlerError { try await dispatcher.call(handler, ["text": 5]) } != nil)
        try await dispatcher.call(handler, ["text": "fits"])
        #expect(await handlerError { try await dispatcher.call(handler) }?.kind == .alreadyCalled)
        #expect(calls.all == ["once fits"])
    }

    /// A loaded handler has the state of its bytes.
    @Test func invalidationIsInTheBytes() async throws {
        let dispatcher = try dispatcher()
        let handler = try dispatcher.handler("Test|answer")
        let data = try dispatcher.data(of: handler)
        try await dispatcher.invalidate(handler, because: .disconnected)
        let invalidated = try dispatcher.data(of: handler)
        #expect(try dispatcher.load(from: data).mark == nil)
        #expect(try dispatcher.load(from: invalidated).mark == .invalidated(.disconnected))
        try await dispatcher.call(stored: data)
        try await dispatcher.invalidate(stored: data, because: .canceled)
        #expect(calls.all == ["answer"])
        await #expect(throws: HandlerError(.alreadyInvalidated(.disconnected), handler: "Test|answer")) {
            try await dispatcher.call(stored: invalidated)
        }
    }

    /// The transaction that deletes the bytes decides that they are called once: it may fail after the call.
    @Test func bytesCanBeCalledUntilTheyAreDeleted() async throws {
        let dispatcher = try dispatcher()
        let handler = try dispatcher.handler("Test|once")
        let data = try dispatcher.data(of: handler)
        for _ in 1...2 { try await dispatcher.call(stored: data) }
        #expect(calls.all == ["once -", "once -"])
        #expect(handler.mark == nil)
    }

    /// Invalidating a handler also invalidates its copies that are bound within another handler, also when they are
    /// stored before: they share one state again.
    @Test func nestedHandlers() async throws {
        let inner = HandlerDefinition("Test|inner") {}
        let calling = try HandlerDispatcher(inner)
        let dispatcher = try HandlerDispatcher(
            HandlerDefinition(
                "Test|outer", HandlerParameter("then", Handler.self), HandlerParameter("too", Handler.self)
            ) { [calls] then, too in
                calls.add("then \(then.mark == nil)")
                try await calling.invalidate(then, because: .canceled)
                calls.add("too \(too.mark == nil)")
            }, inner)
        let handler = try dispatcher.handler("Test|inner")
        let outer = try dispatcher.handler("Test|outer", binding: ["then": handler, "too": handler])
        try await dispatcher.call(stored: dispatcher.data(of: outer))
        #expect(calls.all == ["then true", "too false"])
        #expect(handler.mark == nil)
        try await dispatcher.invalidate(handler, because: .canceled)
        #expect(await handlerError { try await dispatcher.call(outer) } != nil)
        #expect(calls.all.last == "then false")
    }

    /// Runs the body in several tasks, and returns how many were not refused.
    private func race(_ count: Int, _ body: @escaping @Sendable () async throws -> Void) async throws -> Int {
        await withTaskGroup { group in
            for _ in 0..<count { group.addTask { await handlerError(body) == nil } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }
}
