// Requests that end in a program that cannot load their handlers. Each request has its outcome, in a program that can.

import GRDB
import Handlers
import Persistence
import TestSupport
import Testing
import XMLTree
import XMPPCore

@testable import XMPPSession

@Suite(.fewAtOnce) struct DeferredTests {
    private let server = FakeServer()

    /// The events while the older program runs, and their effects in the newer one.
    enum Order: CaseIterable {
        /// Both answers come.
        case answers
        /// The first request times out, and then the answer comes.
        case timeoutAndAnswer
        /// The first request times out, its handler is invalidated, and then the answer comes.
        case timeoutThenRetry
        /// The first answer comes, and the second one while the first one is handled.
        case answerThenAnswer

        var deferred: Int { self == .answers || self == .timeoutAndAnswer ? 2 : 1 }

        var lines: [String] {
            switch self {
            case .answers: ["once result", "once error"]
            case .timeoutAndAnswer, .timeoutThenRetry: ["ended timed-out", "once error"]
            case .answerThenAnswer: ["once error", "once result"]
            }
        }
    }

    private func deferred(_ home: Household, of account: JID = Household.account) async throws -> [DeferredRequest] {
        try await home.database.read { try $0.requests.deferred(of: account) }
    }

    @Test(arguments: Order.allCases) func eachRequestHasItsOutcome(order: Order) async throws {
        let app = try await Household()
        let handler = try app.handler("Test|once")
        try await app.request(query, handler)
        try await app.request(otherQuery, handler)
        try await app.run(server) { try await server.receives(2) }

        let old = try await Household(app.folder, handlers: Household.handlers.filter { $0.name != "Test|once" })
        try await old.run(server) {
            if order == .timeoutAndAnswer || order == .timeoutThenRetry {
                try await old.end("q1")
            } else {
                server.say(answer)
            }
            try await eventually("the first has ended") { try await old.requests().count == 1 }
            if order.deferred == 1 { return }
            server.say(otherAnswer)
            try await old.endsRequests()
        }
        #expect(old.journal.all == [])

        // The run ends the deferred requests.
        let home = try await Household(app.folder)
        #expect(try await deferred(home).count == order.deferred)
        try await home.run(server) {
            if order == .timeoutThenRetry { try await home.notes("ended timed-out") }
            if order.deferred == 1 { server.say(otherAnswer) }
            try await home.journal.wait(for: 2)
            try await home.endsRequests()
            try await eventually("all have ended") { try await deferred(home).isEmpty }
        }
        // The answer that arrives and the deferred one are handled side by side.
        let isOrdered = order != .answerThenAnswer
        #expect(isOrdered ? home.journal.all == order.lines : home.journal.all.sorted() == order.lines)
    }

    /// Its changes are dropped, and the next run tries it again.
    @Test func aRequestWhoseHandlerFailsStaysDeferred() async throws {
        let app = try await Household()
        try await app.request(query, try app.handler("Test|failing"))
        try await app.request(otherQuery, try app.handler("Test|once"))
        try await app.run(server) { try await server.receives(2) }
        let old = try await Household(
            app.folder, handlers: Household.handlers.filter { !["Test|once", "Test|failing"].contains($0.name) })
        try await old.run(server) {
            for text in [answer, otherAnswer] { server.say(text) }
            try await old.endsRequests()
        }
        for run in 1...2 {
            let home = try await Household(app.folder)
            try await home.run(server) {
                try await home.journal.wait(for: run == 1 ? 2 : 1)
                try await eventually("one is left") { try await deferred(home).count == 1 }
            }
            #expect(home.journal.all == (run == 1 ? ["failing", "once error"] : ["failing"]))
        }
    }

    /// The answer does not fit into its row. The program that can load the handler learns that.
    @Test func anAnswerThatIsTooLargeIsNotDeferred() async throws {
        let app = try await Household()
        try await app.request(query, try app.handler("Test|once"))
        try await app.run(server) { try await server.receives(1) }
        let old = try await Household(app.folder, handlers: Household.handlers.filter { $0.name != "Test|once" })
        let quotes = String(repeating: "\"", count: 750_000)
        try await old.run(server) {
            server.say("<iq type='result' from='room@chat.example.org' id='q1' a='\(quotes)'/>")
            try await old.handles(1)
        }
        #expect(try await deferred(old).map(\.request.end) == [.notHandled])
        // The handlers of another account get that account's work and arguments.
        #expect(try await deferred(old, of: "romeo@example.org").isEmpty)
        let home = try await Household(app.folder)
        try await home.run(server) { try await home.notes("ended answer-not-handled") }
    }

    private enum Known: String, Storable, CaseIterable {
        case first
    }

    /// A newer program has bound a value that this one cannot read: a case, or a shape of an object.
    @Test func aValueThatThisProgramCannotReadDefersTheRequest() async throws {
        let app = try await Household(handlers: Household.handlers + [Self.choosing(String.self)])
        let handler = try app.handler("Test|choosing", ["choice": "second"])
        try await app.request(query, handler)
        try await app.request(otherQuery, app.handler())
        try await app.run(server) { try await server.receives(2) }
        let old = try await Household(app.folder, handlers: Household.handlers + [Self.choosing(Known.self)])
        try await old.run(server) {
            for text in [answer, otherAnswer] { server.say(text) }
            try await old.endsRequests()
        }
        // It holds up no other request, and neither program counts a failure.
        #expect(old.journal.all == ["answered error"])
        #expect(try await deferred(old).map(\.request.end) == [.answered])
        #expect(try await deferred(old).first?.reason.contains("choice") == true)
        let home = try await Household(app.folder, handlers: Household.handlers + [Self.choosing(String.self)])
        try await home.run(server) {
            try await home.notes("choosing second")
            try await eventually("it has ended") { try await deferred(home).isEmpty }
        }
    }

    private static func choosing<Choice: Storable>(_ type: Choice.Type) -> HandlerDefinition {
        HandlerDefinition(
            "Test|choosing", HandlerParameter("journal", Journal.self), HandlerParameter("choice", type)
        ) { journal, choice in journal.note("choosing \(choice)") }
    }
}
