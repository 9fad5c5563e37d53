// Requests of one handler, some of which end in a program that does not know the handler. Each request has its outcome,
// in any order.

import Handlers
import Persistence
import TestSupport
import Testing
import XMLTree

@testable import XMPPSession

@Suite(.fewAtOnce) struct DeferredTests {
    private let server = FakeServer()

    /// The events while the older program runs, and their effects in the newer one.
    enum Order: CaseIterable {
        /// Both answers come; the calls are replayed.
        case answers
        /// The first request times out, and then the answer comes; the calls are replayed.
        case timeoutAndAnswer
        /// The first request times out and its call is replayed; then the answer comes.
        case timeoutThenReplay
        /// The first answer comes, and then the second one; the first call is replayed.
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

    private func replay(in home: Household, asOne: Bool) async throws {
        try await home.database.collect { changes in
            let handlers = asOne ? home.session.workContext.handlers.using(changes) : home.session.workContext.handlers
            let replays = try await handlers.replay(["journal": home.journal, "changes": changes])
            for call in replays.flatMap(\.calls) { try call.get() }
        }
    }

    @Test(arguments: zip(Order.allCases, [false, true, true, false]))
    func eachRequestHasItsOutcome(order: Order, asOne: Bool) async throws {
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

        let home = try await Household(app.folder)
        func expectDeferred() async throws {
            #expect(try await home.database.handlers().map { $0.deferral?.calls.count } == [order.deferred])
        }
        if order != .answerThenAnswer {
            try await expectDeferred()
            try await replay(in: home, asOne: asOne)
        }
        if order.deferred == 1 {
            try await home.run(server) {
                server.say(otherAnswer)
                try await home.endsRequests()
            }
        }
        if order == .answerThenAnswer {
            #expect(home.journal.all == ["once error"])
            try await expectDeferred()
            try await replay(in: home, asOne: asOne)
        }
        #expect(home.journal.all == order.lines)
        #expect(try await home.database.handlers() == [])
    }
}
