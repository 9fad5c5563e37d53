// Stanzas and answers that a session tries again after an interruption. Nothing blocks a session forever.

import Handlers
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct InterruptionTests {
    private let server = FakeServer()

    /// The session gives up a message whose handler gets no answer, and handles the messages after it. With the lower
    /// limit it reads nothing more until this message is handled: no answer can arrive, and one attempt does not count.
    @Test(arguments: zip([1, 1000], [2, 1]))
    func aHandlerThatIsNotAnsweredIsGivenUp(maximumUnhandled: Int, calls: Int) async throws {
        let home = try await Household { ($0.maximumHandlingAttempts, $0.maximumUnhandled) = (1, maximumUnhandled) }
        let session = home.session
        try await home.onMessage { [weak session] id, _ in
            let asking = xml("<iq type='get' to='room@chat.example.org'/>")
            if id == "1" { _ = try await session?.request(asking, timeout: .milliseconds(10)) }
        }
        try await home.run(server) {
            server.say(1...101)
            try await home.notes("101")
        }
        #expect(home.journal.all == Array(repeating: "1", count: calls) + (2...101).map(String.init))
    }

    // MARK: Requests of the own handler

    /// A request keeps a copy of its handler, which another end does not concern.
    @Test(arguments: [false, true]) func aHandlerMayAskAgainWithItself(isInvalidation: Bool) async throws {
        let home = try await Household()
        let handler = try isInvalidation ? home.handler(invalidation: "Test|asking") : home.handler("Test|asking")
        home.asker.set(handler)
        try await home.run(server) {
            try await home.request(query, handler)
            try await server.receives(1)
            if isInvalidation { try await home.end("q1") } else { server.say(answer) }
            try await server.receives("again")
        }
        #expect(home.journal.all == ["asked"])
        #expect(try await home.requests().map(\.id) == ["again"])
    }

    @Test func aHandlerThatTheAppHasInvalidatedIsNotAskedWith() async throws {
        let home = try await Household()
        let handler = try home.handler()
        try await home.database.collect {
            try await home.session.workContext.handlers.invalidate(
                handler, because: .canceled, ["journal": home.journal, "changes": $0])
        }
        await #expect(throws: HandlerError(.alreadyInvalidated(.canceled), handler: "Test|answered")) {
            try await home.request(query, handler)
        }
        #expect(try await home.requests() == [])
    }
}
