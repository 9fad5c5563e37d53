// Requests that end under special conditions: other requests of the same handler, an answer that no process can
// handle, a stanza that was never sent.

import Foundation
import Handlers
import Persistence
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct OutcomeTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    private static let other = xml("<iq type='get' to='room@chat.example.org' id='q2'/>")
    private static let answer = "<iq type='result' from='room@chat.example.org' id='q1'/>"
    private static let otherAnswer = "<iq type='error' from='room@chat.example.org' id='q2'/>"

    // MARK: One handler, several requests

    @Test func aHandlerOfSeveralRequestsEndsWithTheLastOfThem() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            let handler = try home.handler()
            try await home.session.request(query, handler: handler)
            try await home.session.request(Self.other, handler: handler)
            try await eventually("both were sent") { server.stanzas.count == 2 }
            try await home.end("q1")
            try await eventually("the first has ended") { try await home.requests().count == 1 }
            server.say(Self.otherAnswer)
            try await eventually("both have ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["ended timed-out", "answered error"])
        #expect(try await home.database.handlers() == [])
    }

    @Test func bothRequestsOfAHandlerMayEndWithoutAnAnswer() async throws {
        let home = try await Household(folder)
        let handler = try home.handler()
        try await home.session.request(query, handler: handler)
        try await home.session.request(Self.other, handler: handler)
        await home.session.close()
        #expect(home.journal.all == ["ended disconnected", "ended disconnected"])
        #expect(try await home.database.handlers() == [])
        await #expect(throws: HandlerError.self) { try await home.session.handlers.call(handler, [:]) }
    }

    /// The session calls it once for each request.
    @Test func aSingleShotHandlerMayWaitForSeveralAnswers() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            let handler = try home.handler("Test|once")
            try await home.session.request(query, handler: handler)
            try await home.session.request(Self.other, handler: handler)
            try await eventually("both were sent") { server.stanzas.count == 2 }
            for text in [Self.answer, Self.answer, Self.otherAnswer] { server.say(text) }
            try await eventually("both have ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["once result", "once error"])
        #expect(try await home.database.handlers() == [])
    }

    /// The answer would have no handler.
    @Test func aHandlerThatHasEndedIsNotAskedWith() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            let handler = try home.handler()
            try await home.session.request(query, handler: handler, timeout: .milliseconds(10))
            try await eventually("it has ended") { try await home.requests() == [] }
            await #expect(throws: HandlerError.self) { try await home.session.request(Self.other, handler: handler) }
            let once = try home.handler("Test|once")
            server.answer { ["<iq type='result' from='room@chat.example.org' id='\($0["id"] ?? "")'/>"] }
            try await home.session.request(Self.other, handler: once)
            try await eventually("it is answered") { try await home.requests() == [] }
            await #expect(throws: HandlerError.self) { try await home.session.request(query, handler: once) }
        }
        #expect(home.journal.all == ["ended timed-out", "once result"])
        #expect(try await home.requests() == [])
    }

    /// Otherwise each answer would reach the handler with the values that were bound last.
    @Test func copiesToWhichDifferentValuesAreBoundDoNotWaitTogether() async throws {
        let home = try await Household(folder)
        let promise = try await home.promises.create(String.self)
        let other = try await home.promises.create(String.self)
        let handler = try home.handler("Test|answered", ["promise": promise])
        let copy = try handler.binding(["promise": other])
        await #expect(throws: RequestError.boundDifferently) {
            try await home.session.together { work in
                try await work.request(query, handler: handler)
                try await work.request(Self.other, handler: copy)
            }
        }
        #expect(try await home.requests() == [])
        try await home.session.request(query, handler: handler)
        await #expect(throws: RequestError.boundDifferently) {
            try await home.session.request(Self.other, handler: copy)
        }
        // This copy has the same values.
        try await home.session.request(Self.other, handler: copy.binding(["promise": promise]))
        server.answer { ["<iq type='result' from='room@chat.example.org' id='\($0["id"] ?? "")'/>"] }
        try await home.run(server) {
            try await eventually("both have ended") { try await home.requests() == [] }
        }
        #expect(try await promise.value == "result")
        #expect(try await other.state == .pending)
        #expect(home.journal.all == ["answered result", "answered result"])
    }

    /// An older version stored such a request. It blocks neither the session nor itself.
    @Test func aRequestOfAHandlerThatHasEndedHoldsUpNothing() async throws {
        let home = try await Household(folder)
        let handler = try home.session.handlers.handler("Test|answered")
        try await home.session.request(query, handler: handler, timeout: nil)
        try await home.session.handlers.invalidate(handler, because: .timedOut)
        try await home.database.write { try $0.handlers.remove(handler.id) }
        try await home.session.handlers.store(handler)
        server.answer { $0["id"] == "q1" ? [Self.answer, "<message id='m'/>"] : [] }
        try await home.session.on("/{jabber:client}message") { [journal = home.journal] _, _ in journal.note("m") }
        try await home.run(server) {
            try await eventually("the next message is handled") { home.journal.all.last == "m" }
        }
        #expect(try await home.requests() == [])
    }

    /// No task needs the outcome, but the answer is handled. The same is true for an invalidation.
    @Test func aPromiseThatWasRemovedUndoesNothing() async throws {
        let home = try await Household(folder)
        server.answer { $0["id"] == "q1" ? [Self.answer] : [] }
        try await home.run(server) {
            for iq in [query, Self.other] {
                let promise = try await home.promises.create(String.self)
                let handler = try home.handler("Test|answered", ["promise": promise])
                try await home.database.write { try $0.promises.remove(promise.id) }
                try await home.session.request(iq, handler: handler)
            }
            try await eventually("the first is answered") { home.journal.all == ["answered result"] }
            try await home.end("q2")
            try await eventually("both have ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["answered result", "ended timed-out"])
    }

    // MARK: Ends of requests

    /// The server does not enable stream management for the next session. The session reports delivery states before it
    /// stores them.
    @Test func theRequestsOfALostSessionEndWithoutStreamManagement() async throws {
        let home = try await Household(folder)
        home.session.report { _ in Thread.sleep(forTimeInterval: 0.02) }
        try await home.run(server) {
            for number in 1...3 {
                let iq = xml("<iq type='get' to='room@chat.example.org' id='q\(number)'/>")
                try await home.session.request(iq, handler: home.handler(), timeout: nil)
            }
            try await eventually("all were sent") { server.stanzas.count == 3 }
            server.forget()
            server.offer(.withoutEnabling)
            server.cut()
            try await eventually("they have ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all == Array(repeating: "ended disconnected", count: 3))
    }

    /// The session has been running for a while, and nothing else happens.
    @Test func theDeadlineOfANewRequestIsNoticed() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            try await Task.sleep(for: .milliseconds(100))
            try await home.session.request(query, handler: home.handler(), timeout: .milliseconds(10))
            try await eventually("it has timed out") { home.journal.all == ["ended timed-out"] }
        }
    }

    /// The process that could not handle the answer ends before it has invalidated the handler.
    @Test func theNextProcessKnowsThatNobodyCouldHandleAnAnswer() async throws {
        let app = try await Household(folder)
        server.answer { _ in [Self.answer] }
        let running = app.start(server)
        try await app.session.request(
            query, handler: app.handler("Test|failing", invalidation: "Test|held"), timeout: nil)
        try await eventually("the invalidation runs") { app.journal.all.last == "held answer-not-handled" }
        #expect(try await app.requests().map(\.end) == [.notHandled])
        let other = try await Household(folder, takingOver: true)
        app.journal.note("go on")
        _ = try await running.value
        other.journal.note("go on")
        try await other.run(server) {
            try await eventually("the request has ended") { try await other.requests() == [] }
        }
        #expect(other.journal.all == ["go on", "held answer-not-handled"])
    }

    /// Each process loses the session while it handles the answer, as if the answer had killed the process.
    @Test func anAnswerThatEndsEveryProcessIsSetAside() async throws {
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumHandlingAttempts = 2
        server.answer { _ in [Self.answer] }
        var homes: [Household] = []
        var runs: [Task<StreamEnd, any Error>] = []
        for number in 0..<10 {
            let home = try await Household(folder, takingOver: true, configuration: configuration)
            homes.append(home)
            runs.append(home.start(server))
            if number == 0 { try await home.session.request(query, handler: home.handler("Test|deaf"), timeout: nil) }
            try await eventually("the process handles the answer, or dead-letters it") { !home.journal.all.isEmpty }
            if home.journal.all != ["deaf"] { break }
        }
        #expect(homes.last?.journal.all == ["ended answer-not-handled"])
        // The first process does not count its attempt, and the last one dead-letters the answer.
        #expect(homes.count == configuration.maximumHandlingAttempts + 2)
        try await eventually("the request has ended") { try await homes[0].requests() == [] }
        runs.last?.cancel()
        for home in homes { home.journal.note("go on") }
        for run in runs { _ = await run.result }
        #expect(homes.dropLast().allSatisfy { $0.journal.all == ["deaf", "go on"] })
    }

    /// Identifiers are bytes: canonically equivalent characters make different identifiers.
    @Test func equivalentNamesAreTwo() async throws {
        let home = try await Household(folder)
        let handler = try home.handler()
        for id in ["\u{E9}", "e\u{301}"] {
            let stanza = xml("<iq type='get' to='room@chat.example.org' id='\(id)'/>")
            try await home.session.request(stanza, handler: handler, timeout: .zero)
        }
        try await home.run(server) {
            try await eventually("both have ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["ended timed-out", "ended timed-out"])
        #expect(server.stanzas == [])
    }

    // MARK: Requests that are not sent any more

    @Test func whatTimedOutBeforeItWasSentIsNotSent() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            server.setDown(true)
            server.cut()
            try await eventually("the connection is gone") { await home.session.stream.state != .enabled }
            try await home.session.request(query, handler: home.handler(), timeout: .milliseconds(10))
            try await eventually("it has timed out") { home.journal.all == ["ended timed-out"] }
            await #expect(throws: RequestError.timedOut) {
                try await home.session.request(Self.other, timeout: .milliseconds(10))
            }
            let cancelled = Task { [session = home.session] in
                try await session.request(xml("<iq type='get' id='q3'/>"))
            }
            try await eventually("it waits") { await !home.session.stream.unacknowledged.isEmpty }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            #expect(await home.session.stream.unacknowledged.isEmpty)
            try await home.session.send(xml("<message id='m'/>"))
            server.setDown(false)
            try await eventually("the message is sent") { server.stanzas.last?["id"] == "m" }
        }
        #expect(server.stanzas.map { $0["id"] } == ["m"])
        let stored = try await home.database.read { try $0.sessions.session(of: Household.account) }
        #expect(stored?.pending.filter { $0.element.name == "iq" } == [])
    }

    /// The first invalidation is slow, but the deadline of the other request has passed all the same.
    @Test func whatTimedOutWhileNobodyRanIsNotSent() async throws {
        let app = try await Household(folder)
        try await app.session.request(
            query, handler: app.handler(invalidation: "Test|held"), timeout: .milliseconds(1))
        try await app.session.request(Self.other, handler: app.handler(), timeout: .milliseconds(1))
        try await Task.sleep(for: .milliseconds(5))
        let other = try await Household(folder, takingOver: true)
        try await other.run(server) {
            try await other.session.send(xml("<message id='m'/>"))
            try await eventually("the message is sent") { server.stanzas.last?["id"] == "m" }
            other.journal.note("go on")
            try await eventually("both have ended") { try await other.requests() == [] }
        }
        #expect(server.stanzas.map { $0["id"] } == ["m"])
    }

    /// A running invalidation does not matter.
    @Test func whatTimesOutWhileAConnectionIsMadeIsNotSent() async throws {
        let home = try await Household(folder)
        try await home.session.request(
            query, handler: home.handler(invalidation: "Test|held"), timeout: .milliseconds(1))
        try await home.session.request(Self.other, handler: home.handler(), timeout: nil)
        try await home.session.send(xml("<message id='m'/>"))
        let held = HeldConnector(server: server, journal: home.journal, word: "connect")
        let running = Task { [session = home.session] in try await session.run(connecting: held) }
        try await eventually("it connects, and the invalidation runs") {
            Set(home.journal.all) == ["connecting", "held timed-out"]
        }
        try await home.end("q2")
        home.journal.note("connect")
        try await eventually("the message is sent") { server.stanzas.last?["id"] == "m" }
        home.journal.note("go on")
        try await eventually("both have ended") { try await home.requests() == [] }
        running.cancel()
        _ = await running.result
        #expect(server.stanzas.map { $0["id"] } == ["m"])
    }

    /// The request ends, although another session has begun.
    @Test func aRequestThatIsDecidedNotToBeSentAgainEnds() async throws {
        var configuration = StreamManagementConfiguration.durable
        configuration.failurePolicy = .ask
        configuration.acknowledgementRequests = AcknowledgementTrigger(count: 100)
        let home = try await Household(folder, configuration: configuration)
        let stream = home.session.stream
        try await home.run(server) {
            try await eventually("the session runs") { await stream.state == .enabled }
            for iq in [query, Self.other] {
                try await home.session.request(iq, handler: home.handler(), timeout: nil)
            }
            try await eventually("both were sent") { server.stanzas.count == 2 }
            server.forget()
            server.cut()
            try await eventually("the next session runs") {
                let state = await stream.state
                return server.binds == 2 && state == .enabled
            }
            #expect(home.journal.all == [])
            let again = try #require(await stream.undecided.last)
            try await stream.decide(resend: [again])
            try await eventually("the first has ended") { home.journal.all == ["ended disconnected"] }
            try await eventually("the second is sent again") { server.stanzas.count == 3 }
            server.say(Self.otherAnswer)
            try await eventually("both have ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["ended disconnected", "answered error"])
    }

    /// The session counts a sent stanza even if its request has ended: the server may have it.
    @Test func whatTimedOutWhenItWasSentStaysCounted() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            try await home.session.request(query, handler: home.handler(), timeout: nil)
            try await eventually("the request was sent") { server.stanzas.count == 1 }
            server.setDown(true)
            server.cut()
            try await eventually("the connection is gone") { await home.session.stream.state != .enabled }
            try await home.end("q1")
            try await eventually("it has timed out") { home.journal.all == ["ended timed-out"] }
            #expect(await home.session.stream.unacknowledged.count == 1)
            server.setDown(false)
            try await eventually("the server's count is right") { await home.session.stream.unacknowledged.isEmpty }
        }
        #expect(server.stanzas.map { $0["id"] } == ["q1"])
        #expect(server.binds == 1)
    }
}

extension StreamSession {
    /// The stanzas that the app has to decide about.
    fileprivate var undecided: [OutgoingNumber] { core.undecided.map(\.stanza.number) }
}
