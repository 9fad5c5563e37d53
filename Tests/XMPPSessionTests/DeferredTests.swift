// Requests of one handler, some of which end in a program that does not know the handler. Each request has its outcome,
// in any order.

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
        /// The first request times out, its call is made, and then the answer comes.
        case timeoutThenReplay
        /// The first answer comes, and the second one while its call is made.
        case answerThenAnswer

        var deferred: Int { self == .answers || self == .timeoutAndAnswer ? 2 : 1 }

        var lines: [String] {
            switch self {
            case .answers: ["once result", "once error"]
            case .timeoutAndAnswer, .timeoutThenReplay: ["ended timed-out", "once error"]
            case .answerThenAnswer: ["once error", "once result"]
            }
        }
    }

    @Test(arguments: Order.allCases) func eachRequestHasItsOutcome(order: Order) async throws {
        let app = try await Household()
        let handler = try app.handler("Test|once")
        try await app.request(query, handler)
        try await app.request(otherQuery, handler)
        try await app.run(server) { try await server.receives(2) }

        let old = try await Household(app.folder, handlers: Household.handlers.filter { $0.name != "Test|once" })
        try await old.run(server) {
            if order == .timeoutAndAnswer || order == .timeoutThenReplay {
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

        // The run makes the deferred calls.
        let home = try await Household(app.folder)
        #expect(try await home.database.handlers().map { $0.deferral?.calls.count } == [order.deferred])
        try await home.run(server) {
            if order == .timeoutThenReplay { try await home.notes("ended timed-out") }
            if order.deferred == 1 { server.say(otherAnswer) }
            try await home.journal.wait(for: 2)
            try await home.endsRequests()
            try await eventually("the handler has ended") { try await home.database.handlers() == [] }
        }
        // The answer that arrives and the deferred one are handled side by side.
        let isOrdered = order != .answerThenAnswer
        #expect(isOrdered ? home.journal.all == order.lines : home.journal.all.sorted() == order.lines)
    }

    /// Its changes are dropped, and the next run tries it again.
    @Test func aCallThatFailsStaysDeferred() async throws {
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
                try await eventually("one call is left") {
                    try await home.database.read { try Int.fetchOne($0.db, sql: "SELECT count(*) FROM stanza_deferredCall") }
                        == 1
                }
            }
            #expect(home.journal.all == (run == 1 ? ["failing", "once error"] : ["failing"]))
        }
    }

    /// The handlers of another account get that account's work and arguments.
    @Test func aSessionMakesOnlyTheCallsOfItsAccount() async throws {
        let app = try await Household()
        try await app.request(query, try app.handler("Test|once"))
        try await app.run(server) { try await server.receives(1) }
        let old = try await Household(app.folder, handlers: Household.handlers.filter { $0.name != "Test|once" })
        try await old.run(server) {
            server.say(answer)
            try await old.endsRequests()
        }
        let database = old.database
        let calls = try await database.read { transaction in
            try (["juliet@example.org", "romeo@example.org"] as [JID]).map {
                try transaction.handlers.deferredCalls(of: $0).count
            }
        }
        #expect(calls == [1, 0])
        // An older version has stored no account.
        try await database.write { try $0.db.execute(sql: "UPDATE stanza_deferredCall SET account = NULL") }
        #expect(try await database.read { try $0.handlers.deferredCalls(of: "romeo@example.org").count } == 1)
    }
}
