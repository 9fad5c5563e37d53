// The page for newcomers from MLHandler and MLPromise: this file contains each piece of Swift in its tables and
// examples.

import Foundation
import HandlerMacros
import Handlers
import Locking
import Persistence
import StanzaQuery
import TestSupport
import Testing

/// An object that only a running program has.
final class Account: Sendable {
    let avatars = Avatars()
    let calls = Lock<[String]>([])
}

@Handlers
actor Avatars {
    private(set) var removedFrom: [String] = []

    @Handler(singleShot: true, on: "account.avatars")
    func removed(
        account: Account, iq: Element, room: String, promise: Promise<NoValue>
    ) async throws {
        if try iq.check("/<type=error>") {
            try await promise.reject(PromiseRejection(code: "failed", message: "The avatar stays", stanza: iq))
            return
        }
        removedFrom.append(room)
        try await promise.fulfill()
    }

    @Handler
    static func notRemoved(promise: Promise<NoValue>, reason: InvalidationReason) async throws {
        try await promise.reject(PromiseRejection(code: reason.rawValue, message: "No answer came"))
    }
}

/// A handler with a parameter of each kind that the source documents.
@Handlers
enum Kinds {
    @Handler
    static func called(
        account: Account, text: String?, next: Handler, success: Bool, number: Int32, count: Int, size: UInt,
        ratio: Double
    ) {
        account.calls.withLock {
            $0.append("\(text ?? "-") \(next.name) \(success) \(number) \(count) \(size) \(ratio)")
        }
    }

    @Handler
    static func title(room: String) -> String { "The avatar of \(room)" }

    @Handler
    static func ended(account: Account, next: Handler?, done: Bool, reason: InvalidationReason) {
        account.calls.withLock { $0.append("\(next == nil) \(done) \(reason)") }
    }
}

/// Without macros.
enum Plain: HandlerProvider {
    static let title = HandlerDefinition("Kinds|title", HandlerParameter("room", String.self)) { room in
        "The avatar of \(room)"
    }
    static let handlers = [title]
}

@Suite(.fewAtOnce) struct ComingFromMLHandlerTests {
    private let place: TemporaryDatabase
    private let account = Account()
    private let room = "coven@chat.example.org"

    init() throws { place = try TemporaryDatabase() }

    private static func iq(_ type: String) throws -> Element {
        try Element(stanza: "<iq type='\(type)' id='a1'/>")
    }

    /// The last column of the tables.
    @Test func theTablesAreCompiled() throws {
        let codes = try codeInLastColumns(
            of: "Sources/Persistence/Persistence.docc/ComingFromMLHandlerAndMLPromise.md")
        let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        #expect(codes.count >= 30)
        // These are names of types, in words.
        let names = ["Storable", "StorableObject", "Codable"]
        for code in codes where !names.contains(code) { #expect(source.contains(code), "\(code)") }
    }

    /// Makes the request as the app does, and is killed after it. Gives the handler's bytes.
    private func ask() async throws -> Data {
        let database = try await place.open()
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let handlers = HandlerDispatcher(registry: try HandlerRegistry(Avatars.self))
        let promise = try await promises.create(NoValue.self, key: "avatar-of-\(room)")
        let handler = try Avatars.$removed.handler(invalidation: Avatars.$notRemoved, binding: #named(room, promise))
        let data = try handlers.data(of: handler)
        #expect(try handlers.load(from: data) == handler)
        #expect(try await promise.state == .pending)
        database.close()
        return data
    }

    @Test(arguments: ["result", "error"]) func calling(type: String) async throws {
        let (data, iq) = (try await ask(), try Self.iq(type))
        let database = try await place.open()
        let promises = try await PromiseCenter.start(store: database, role: .resolver)
        let registry = try HandlerRegistry(Avatars.self)
        let handlers = HandlerDispatcher(registry: registry, arguments: ["account": account, "promises": promises])
        try await database.collect { _ in
            try await handlers.call(stored: data, ["iq": iq])
        }
        #expect(await account.avatars.removedFrom == (type == "result" ? [room] : []))
        database.freeze()
        try await database.unfreeze()
        #expect(try await outcome() == (type == "result" ? "NoValue()" : "The avatar stays"))
    }

    /// The text that the app shows after its restart.
    private func outcome() async throws -> String {
        let promises = try await PromiseCenter.start(store: try await place.open(), role: .consumer)
        let promise = try #require(try await promises.reattach(key: "avatar-of-\(room)", as: NoValue.self))
        do { return "\(try await promise.value)" } catch let rejection as PromiseRejection { return rejection.message }
    }

    @Test func theExamplesOfPromises() async throws {
        let (iq, database) = (try Self.iq("result"), try await place.open())
        let promises = try await PromiseCenter.start(store: database, role: .consumer)
        let handlers = HandlerDispatcher(
            registry: try HandlerRegistry(Avatars.self), arguments: ["account": account, "promises": promises])
        let promise = try await promises.create(NoValue.self, key: "avatar-of-\(room)")
        let handler = try Avatars.$removed.handler(invalidation: Avatars.$notRemoved, binding: #named(room, promise))
        let data = try handlers.data(of: handler)
        try await database.collect { _ in
            try await handlers.call(stored: data, ["iq": iq])
        }
        var hidden = 0
        func hideOverlay() { hidden += 1 }
        func show(_ text: String) { Issue.record("rejected: \(text)") }
        func example() async throws {
            guard let promise = try await promises.reattach(key: "avatar-of-\(room)", as: NoValue.self) else { return }
            do {
                try await promise.withValue { _ in hideOverlay() }
            } catch let rejection as PromiseRejection {
                show(rejection.message)
            }
        }
        try await example()
        // Also if the example finds no promise.
        #expect(hidden == 1)
    }

    /// Promises reach a handler that the call does not name them for.
    @Test func invalidatingWithTheArgumentsOfTheCenter() async throws {
        let data = try await ask()
        let database = try await place.open()
        let promises = try await PromiseCenter.start(store: database, role: .resolver)
        let handlers = HandlerDispatcher(
            registry: try HandlerRegistry(Avatars.self), arguments: ["promises": promises])
        try await database.collect { _ in
            try await handlers.invalidate(stored: data, because: .timedOut)
        }
        #expect(try await outcome() == "No answer came")
    }

    @Test func everyKindOfArgument() async throws {
        let handlers = HandlerDispatcher(registry: try HandlerRegistry(Avatars.self, Kinds.self))
        let next = try Avatars.$removed.handler()
        #expect(next.description == "Avatars|removed")
        #expect(
            try Avatars.$removed.handler(invalidation: Avatars.$notRemoved).description == "Avatars|removed<notRemoved>"
        )
        #expect(try Avatars.$removed.handler(binding: #named(room)).arguments["room"] == .string(room))
        #expect(try Avatars.$removed.handler { $0.room = "coven" }.arguments["room"] == .string("coven"))
        let success = true
        let handler = try Kinds.$called.handler(
            invalidation: Kinds.$ended, binding: #named(next, success),
            {
                $0.number = 1
                $0.count = -2
                $0.size = 3
                $0.ratio = 0.5
            })
        try await handlers.call(handler, HandlerArguments(#named(account)))
        try await handlers.call(handler, ["account": account, "text": "t", "success": false])
        try await handlers.invalidate(handler, because: .disconnected, ["account": account, "done": true])
        let ending = try Kinds.$called.handler(invalidation: Kinds.$ended) { $0.done = false }
        let dispatcher = HandlerDispatcher(registry: handlers.registry, arguments: ["account": account])
        do {
            let (handlers, handler) = (dispatcher, ending)
            try await handlers.invalidate(handler, because: .disconnected)
        }
        #expect(
            account.calls.withLock(\.self) == [
                "- Avatars|removed true 1 -2 3 0.5", "t Avatars|removed false 1 -2 3 0.5", "false true disconnected",
                "true false disconnected",
            ])
        do {
            let other = try Kinds.$called.handler(invalidation: Kinds.$ended) { $0.done = false }
            let (handlers, handler) = (dispatcher, other)
            try await handlers.invalidate(handler, because: .disconnected, ["done": true])
        }
        #expect(account.calls.withLock(\.last) == "true true disconnected")
    }

    /// With macros and without: the other one calls the stored bytes.
    @Test func aHandlerReturnsAValue() async throws {
        let handler = try Plain.title.handler(binding: ["room": room])
        let data = try HandlerDispatcher(registry: try HandlerRegistry(Plain.self)).data(of: handler)
        let handlers = HandlerDispatcher(registry: try HandlerRegistry(Kinds.self))
        #expect(try await handlers.call(handler) as? String == "The avatar of \(room)")
        #expect(try await handlers.call(stored: data) as? String == "The avatar of \(room)")
    }

    /// With the name and the type of a variable, and with a value.
    @Test func numbersAreBound() throws {
        let (number, ratio, count, size) = (Int32(1), 0.5, -2, UInt(3))
        let first = try Kinds.$called.handler(binding: #named(number, ratio))
        #expect(first.arguments["number"] == .int32(1) && first.arguments["ratio"] == .double(0.5))
        let second = try Kinds.$called.handler(binding: #named(count, size))
        #expect(second.arguments["count"] == .int(-2) && second.arguments["size"] == .uint(3))
        let third = try Kinds.$called.handler { $0.number = 1 }
        #expect(third.arguments["number"] == .int32(1))
    }

    /// The call that is written in the table.
    @Test func callsWithNamesOfVariables() async throws {
        let (data, iq) = (try await ask(), try Self.iq("result"))
        let database = try await place.open()
        let promises = try await PromiseCenter.start(store: database, role: .resolver)
        let account = account
        try await database.collect { changes in
            let handlers = HandlerDispatcher(
                registry: try HandlerRegistry(Avatars.self), arguments: ["promises": promises, "changes": changes])
            let handler = try handlers.load(from: data)
            try await handlers.call(handler, HandlerArguments(#named(account, iq)))
        }
        #expect(await account.avatars.removedFrom == [room])
        let answer = iq
        await #expect(throws: HandlerError.self) {
            let handlers = HandlerDispatcher(registry: try HandlerRegistry(Avatars.self))
            let handler = try handlers.load(from: data)
            try await handlers.call(handler, ["iq": answer])
        }
    }
}
