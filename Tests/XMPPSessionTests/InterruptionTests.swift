// Stanzas and answers that a session tries again after an interruption. Nothing blocks a session forever.

import GRDB
import Handlers
import Persistence
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct InterruptionTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    private static let answer = "<iq type='result' from='room@chat.example.org' id='q1'/>"
    private static let asking = xml("<iq type='get' to='room@chat.example.org'/>")

    private func household(attempts: Int, _ change: (inout StreamManagementConfiguration) -> Void = { _ in })
        async throws -> Household
    {
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumHandlingAttempts = attempts
        change(&configuration)
        return try await Household(folder, configuration: configuration)
    }

    /// Expects that the session gives up the first message and handles the messages after it.
    private func expectSetAside(
        in home: Household, on server: FakeServer, behind: Int = 1,
        _ handle: @escaping @Sendable (DurableSession) async throws -> Void
    ) async throws {
        let (session, journal) = (home.session, home.journal)
        try await session.on("/{jabber:client}message") { stanza, _ in
            if stanza["id"] == "1" { try await handle(session) } else { journal.note(stanza["id"] ?? "") }
        }
        try await home.run(server) {
            try await eventually("the session runs") { server.binds == 1 }
            for id in 1...(1 + behind) { server.say("<message id='\(id)'/>") }
            try await eventually("the messages after it are handled") { journal.all.count == behind }
        }
    }

    /// The other session is suspended or offline, perhaps forever.
    @Test(arguments: [RequestError.suspended, .disconnected])
    func anotherSessionThatCannotBeAskedHoldsUpNothing(error: RequestError) async throws {
        try await expectSetAside(in: household(attempts: 1), on: server) { _ in throw error }
    }

    /// Whether the session is online does not depend on the server's features.
    @Test func withoutStreamManagementAHandlerThatIsNotAnsweredIsGivenUp() async throws {
        try await expectSetAside(in: household(attempts: 2), on: FakeServer(.none)) { session in
            _ = try await session.request(Self.asking, timeout: .milliseconds(10))
        }
    }

    /// No answer can arrive: the session reads nothing more until this message is handled.
    @Test func aHandlerThatIsNotAnsweredDoesNotHoldUpWhatWouldMakeRoom() async throws {
        let home = try await household(attempts: 1) { $0.maximumUnhandled = 1 }
        try await expectSetAside(in: home, on: server, behind: 100) { session in
            _ = try await session.request(Self.asking, timeout: .milliseconds(50))
        }
    }

    /// Work that does not return is ending the handler.
    @Test func workThatDoesNotEndHoldsUpNoAnswer() async throws {
        let home = try await household(attempts: 1)
        let (session, journal) = (home.session, home.journal)
        let handler = try home.handler()
        try await session.on("/{jabber:client}message") { _, _ in journal.note("go on") }
        try await home.run(server) {
            try await session.request(query, handler: handler, timeout: nil)
            try await eventually("it was sent") { server.stanzas.count == 1 }
            let work = Task {
                try await session.together { work in
                    let handlers = session.handlers.using(work.database)
                    let arguments: HandlerArguments = ["journal": journal, "work": work.database]
                    try await handlers.invalidate(handler, because: .cancelled, arguments)
                    while !journal.all.contains("go on") { try await Task.sleep(for: .milliseconds(2)) }
                }
            }
            try await eventually("it is about to end the handler") { !journal.all.isEmpty }
            server.say(Self.answer)
            server.say("<message id='m'/>")
            try await work.value
            try await eventually("the request has ended") { try await home.requests() == [] }
        }
        // The answer ends its batch, so the handler of the message can run again. It has changed nothing before.
        #expect(journal.all.first == "ended cancelled")
        #expect(Set(journal.all.dropFirst()) == ["go on"])
    }

    /// The task that is ending it may fail after any time, so the answer waits for the result of that task.
    @Test func anAnswerIsNotLostBecauseSomebodyIsAboutToEndItsHandler() async throws {
        var options = StanzaDatabase.Options()
        let attempts = Counter()
        options.statementObserver = { moment in
            if case .before(let sql) = moment, sql.hasPrefix("DELETE FROM request") { attempts.next() }
        }
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumHandlingAttempts = 1000
        let home = try await Household(folder, configuration: configuration, options: options)
        let (session, journal) = (home.session, home.journal)
        let handler = try home.handler("Test|once")
        try await home.run(server) {
            try await session.request(query, handler: handler, timeout: nil)
            try await eventually("it was sent") { server.stanzas.count == 1 }
            let elsewhere = Task { [handlers = session.handlers.using(UnsureStore(journal))] in
                try await handlers.call(handler, ["journal": journal, "iq": query])
            }
            try await eventually("it is claimed") { handler.mark == .called }
            server.say(Self.answer)
            try await eventually("the answer has reached the handler twice") { attempts.value > 1 }
            #expect(try await home.requests().map(\.id) == ["q1"])
            journal.note("give up")
            await #expect(throws: Household.Failure.self) { try await elsewhere.value }
            try await eventually("it has ended") { try await home.requests() == [] }
        }
        #expect(journal.all == ["give up", "once result"])
        #expect(try await home.database.handlers() == [])
    }

    /// A change that cannot be stored is the invalidation's own fault.
    @Test func anInvalidationWhoseChangesCannotBeStoredIsGivenUp() async throws {
        let home = try await household(attempts: 2)
        try await home.run(server) {
            try await home.session.request(
                query, handler: home.handler(invalidation: "Test|tooLarge"), timeout: .milliseconds(10))
            try await eventually("it has ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["too large", "too large"])
    }

    /// The session could handle nothing more.
    @Test func aDatabaseThatIsBrokenEndsTheRun() async throws {
        let home = try await household(attempts: 2)
        try await home.database.write { try $0.database.execute(sql: "CREATE TABLE note (text)") }
        try await home.session.on("/{jabber:client}message") { [journal = home.journal] _, work in
            try work.database.add { transaction in
                journal.note("tried")
                try transaction.database.execute(sql: "PRAGMA query_only = 1")
                try transaction.database.execute(sql: "INSERT INTO note VALUES ('')")
            }
        }
        let running = home.start(server)
        try await eventually("the session runs") { await home.session.stream.state == .enabled }
        server.say("<message id='1'/>")
        guard case .storageFailed = try await running.value else {
            Issue.record("expected the run to end because the database failed")
            return
        }
    }

    // MARK: Requests with a handler that has ended

    /// A handler that catches the error continues.
    @Test(arguments: [false, true]) func aHandlerThatAsksWithItselfIsToldAtOnce(isInvalidation: Bool) async throws {
        let home = try await household(attempts: 2)
        let handler =
            isInvalidation ? try home.handler(invalidation: "Test|asking") : try home.handler("Test|asking")
        home.asker.set(handler)
        try await home.run(server) {
            try await home.session.request(query, handler: handler, timeout: nil)
            try await eventually("it was sent") { server.stanzas.count == 1 }
            if isInvalidation { try await home.end("q1") } else { server.say(Self.answer) }
            try await eventually("it has ended") { try await home.requests() == [] }
        }
        let refusal: HandlerError.Kind = isInvalidation ? .alreadyInvalidated(.timedOut) : .alreadyCalled
        #expect(home.journal.all == ["refused \(refusal)"])
        #expect(try await home.database.handlers() == [])
    }

    /// A handler that does not catch the error has failed, as with any other error. The session does not take it for an
    /// ended handler.
    @Test(arguments: [false, true]) func aHandlerThatAsksInVainIsGivenUp(isInvalidation: Bool) async throws {
        let home = try await household(attempts: 2)
        let name = "Test|askingInVain" as HandlerName
        let handler = isInvalidation ? try home.handler(invalidation: name) : try home.handler(name)
        home.asker.set(handler)
        try await home.run(server) {
            try await home.session.request(query, handler: handler, timeout: nil)
            try await eventually("it was sent") { server.stanzas.count == 1 }
            if isInvalidation { try await home.end("q1") } else { server.say(Self.answer) }
            try await eventually("it has ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["asking", "asking"] + (isInvalidation ? [] : ["ended answer-not-handled"]))
        #expect(try await home.database.handlers() == [])
    }

    /// The handler ends between the request and its transaction.
    @Test func aHandlerThatEndsMeanwhileIsNotAskedWith() async throws {
        let home = try await household(attempts: 2)
        let handler = try home.handler()
        try await home.session.handlers.store(handler)
        await #expect(throws: HandlerError(.alreadyInvalidated(.cancelled), handler: "Test|answered")) {
            try await home.session.together { work in
                try await work.request(query, handler: handler)
                try await home.database.collect {
                    try await home.session.handlers.invalidate(
                        handler, because: .cancelled, ["journal": home.journal, "work": $0])
                }
            }
        }
        #expect(try await home.requests() == [])
    }
}
