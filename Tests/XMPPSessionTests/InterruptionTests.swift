// Stanzas and answers that a session tries again after an interruption. Nothing blocks a session forever.

import Handlers
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct InterruptionTests {
    private let server = FakeServer()

    /// The session gives up a message whose handler gets no answer, and handles the messages after it.
    ///
    /// Whether the session is online does not depend on the server's features. With `maximumUnhandled`, no answer can
    /// arrive: the session reads nothing more until this message is handled.
    @Test(arguments: [(FakeServer.Management.none, 1), (.full, 100)])
    func aHandlerThatIsNotAnsweredIsGivenUp(management: FakeServer.Management, later: Int) async throws {
        let server = FakeServer(management)
        let home = try await Household {
            $0.maximumHandlingAttempts = 1
            if later > 1 { $0.maximumUnhandled = 1 }
        }
        let session = home.session
        try await home.onMessage { [weak session] id, _ in
            let asking = xml("<iq type='get' to='room@chat.example.org'/>")
            if id == "1" { _ = try await session?.request(asking, timeout: .milliseconds(10)) }
        }
        try await home.run(server) {
            server.say(1...(1 + later))
            try await home.notes("\(1 + later)")
        }
        #expect(home.journal.all.filter { $0 != "1" } == (2...(1 + later)).map(String.init))
    }

    /// Work that does not return is ending the handler.
    @Test func workThatDoesNotEndHoldsUpNoAnswer() async throws {
        let home = try await Household { $0.maximumHandlingAttempts = 1 }
        let (session, journal) = (home.session, home.journal)
        let handler = try home.handler()
        try await session.on("/{jabber:client}message") { _, _ in journal.note("go on") }
        try await home.run(server) {
            try await home.request(query, handler)
            try await server.receives(1)
            let work = Task {
                try await session.transaction { work in
                    let handlers = session.workContext.handlers.using(work.changes)
                    let arguments: HandlerArguments = ["journal": journal, "changes": work.changes]
                    try await handlers.invalidate(handler, because: .canceled, arguments)
                    try await journal.wait(for: "go on")
                }
            }
            try await home.notes("ended cancelled")
            server.say(answer)
            server.say("<message id='m'/>")
            try await work.value
            try await home.endsRequests()
        }
        // The answer ends its batch, so the handler of the message can run again. It has changed nothing before.
        #expect(journal.all.first == "ended cancelled")
        #expect(Set(journal.all.dropFirst()) == ["go on"])
    }

    /// A change that cannot be stored is the invalidation's own fault.
    @Test func anInvalidationWhoseChangesCannotBeStoredIsGivenUp() async throws {
        let home = try await Household { $0.maximumHandlingAttempts = 2 }
        try await home.run(server) {
            try await home.request(query, home.handler(invalidation: "Test|tooLarge"))
            try await home.end("q1")
            try await home.endsRequests()
        }
        #expect(home.journal.all == ["too large", "too large"])
    }

    // MARK: Requests with a handler that has ended

    /// A handler that asks with itself gets the error at once. One that does not catch the error has failed, as with
    /// any other error. The session does not take it for an ended handler.
    @Test(arguments: ["Test|asking", "Test|askingInVain"] as [HandlerName], [false, true])
    func aHandlerThatAsksWithItselfGetsTheErrorAtOnce(name: HandlerName, isInvalidation: Bool) async throws {
        let home = try await Household { $0.maximumHandlingAttempts = 2 }
        let handler = isInvalidation ? try home.handler(invalidation: name) : try home.handler(name)
        home.asker.set(handler)
        try await home.run(server) {
            try await home.request(query, handler)
            try await server.receives(1)
            if isInvalidation { try await home.end("q1") } else { server.say(answer) }
            try await home.endsRequests()
        }
        let refusal: HandlerError.Kind = isInvalidation ? .alreadyInvalidated(.timedOut) : .alreadyCalled
        let lines =
            name == "Test|asking"
            ? ["refused \(refusal)"] : ["asking", "asking"] + (isInvalidation ? [] : ["ended answer-not-handled"])
        #expect(home.journal.all == lines)
        #expect(try await home.database.handlers() == [])
    }

    /// The handler ends between the request and its transaction.
    @Test func aRequestIsNotSentForAHandlerThatEndsInBetween() async throws {
        let home = try await Household()
        let handler = try home.handler()
        let handlers = home.session.workContext.handlers
        try await handlers.store(handler)
        await #expect(throws: HandlerError(.alreadyInvalidated(.canceled), handler: "Test|answered")) {
            try await home.session.transaction { work in
                try await work.request(query, handler: handler)
                try await home.database.collect {
                    try await handlers.invalidate(
                        handler, because: .canceled, ["journal": home.journal, "changes": $0])
                }
            }
        }
        #expect(try await home.requests() == [])
    }
}
