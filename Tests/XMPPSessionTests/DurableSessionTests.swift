// Rules of `DurableSession` that the session around the core does not have. The other suites test both.

import Persistence
import Synchronization
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct DurableSessionTests {
    private static let other = xml("<iq type='get' to='room@chat.example.org' id='q2'/>")
    private static let answer = "<iq type='result' from='room@chat.example.org' id='q1'/>"
    private static let otherAnswer = "<iq type='error' from='room@chat.example.org' id='q2'/>"

    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    /// What another session has stored since would be gone with the second time.
    @Test func severalWhoEndWhatIsLeftForgetTheSessionOnce() async throws {
        let count = Mutex(0)
        var options = StanzaDatabase.Options()
        options.statementObserver = { moment in
            guard case .before(let sql) = moment, sql.hasPrefix("DELETE FROM streamSession") else { return }
            count.withLock { $0 += 1 }
        }
        let home = try await Household(folder, options: options)
        await home.session.stream.close()
        let before = count.withLock(\.self)
        try await holding { [database = home.database] holder in
            try await database.write { _ in holder.hold() }
        } during: { holder in
            let begun = Counter()
            let tasks = (1...2).map { _ in Task { [session = home.session] in try await session.forget(begun) } }
            try await eventually("both have begun") { begun.value == 2 }
            // Whoever has begun lets others have the session only when it waits.
            _ = await home.session.isClosed
            holder.letGo()
            for task in tasks { try await task.value }
        }
        #expect(count.withLock(\.self) - before == 1)
    }

    /// Its `id` is used again while an invalidation is at work.
    @Test func whatEndsIsNotTheRequestThatHasItsNameSince() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            try await home.session.request(query, handler: home.handler(invalidation: "Test|held"), timeout: nil)
            try await home.session.request(Self.other, handler: home.handler(), timeout: nil)
            try await eventually("both were sent") { server.stanzas.count == 2 }
            try await home.database.write { try $0.database.execute(sql: "UPDATE request SET deadline = 0") }
            home.session.observer.tellOfEndings()
            try await eventually("the first is being ended") { home.journal.all == ["held timed-out"] }
            server.say(Self.otherAnswer)
            try await eventually("the second is answered") { home.journal.all.last == "answered error" }
            try await eventually("it has ended") { try await home.requests().map(\.id) == ["q1"] }
            try await home.session.request(Self.other, handler: home.handler(), timeout: nil)
            home.journal.note("go on")
            try await eventually("the first has ended") { try await !home.requests().contains { $0.id == "q1" } }
            #expect(try await home.requests().map(\.id) == ["q2"])
            server.say(Self.otherAnswer)
            try await eventually("the second is answered again") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["held timed-out", "answered error", "go on", "answered error"])
    }

    /// It is waited for for some seconds only; what it has wanted comes too late.
    @Test func aHandlerThatOutlivesItsSessionLeavesNoRequest() async throws {
        let home = try await Household(folder, grace: .seconds(1))
        let running = home.start(server)
        try await home.session.request(query, handler: home.handler("Test|deaf"), timeout: nil)
        try await eventually("it was sent") { server.stanzas.count == 1 }
        server.say(Self.answer)
        try await eventually("the handler is at work") { home.journal.all == ["deaf"] }
        await home.session.close()
        #expect(try await home.requests().count == 1)
        home.journal.note("go on")
        guard case .closed = try await running.value else {
            Issue.record("expected the run to end because the session was closed")
            return
        }
        #expect(home.journal.all == ["deaf", "go on", "ended disconnected"])
        #expect(try await home.requests() == [])
    }

    /// The handler hears of the end, and waits for what comes behind the answer.
    @Test func anAnswerDoesNotWaitForAnInvalidation() async throws {
        let home = try await Household(folder)
        try await home.session.on("/{jabber:client}message") { [journal = home.journal] _, _ in journal.note("go on") }
        try await home.run(server) {
            try await home.session.request(query, handler: home.handler(invalidation: "Test|held"), timeout: nil)
            try await eventually("it was sent") { server.stanzas.count == 1 }
            try await home.end("q1")
            try await eventually("it has timed out") { home.journal.all == ["held timed-out"] }
            server.say(Self.answer)
            server.say("<message id='m'/>")
            try await eventually("it has ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["held timed-out", "go on"])
        #expect(try await home.database.handlers() == [])
    }

    @Test func aLostRequestWhoseAnswerWasNotHandledAfterAllEnds() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            try await home.session.request(query, handler: home.handler(), timeout: nil)
            let serial = try #require(await home.requests().first?.serial)
            await home.session.setEnding(serial, true)
            try await home.database.write { try $0.database.execute(sql: "UPDATE request SET isLost = 1") }
            #expect(try await home.session.endRequestsNow().outcomes == [.metEnding])
            #expect(home.journal.all == [])
            await home.session.setEnding(serial, false)
            try await eventually("it has ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["ended disconnected"])
    }

    /// Two attempts are made for each request, however often that of an older one with another handler has failed.
    @Test func failuresOfAnOlderRequestDoNotCount() async throws {
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumHandlingAttempts = 2
        let home = try await Household(folder, configuration: configuration)
        let handler = try home.handler(invalidation: "Test|failing")
        try await home.session.request(query, handler: handler, timeout: .zero)
        try await home.session.endRequestsNow()
        #expect(home.journal.all == ["failing"])
        // It is answered, without a round in between.
        try await home.database.write { [request = try await home.requests()[0]] transaction in
            _ = try transaction.requests.remove(request.serial)
        }
        try await home.session.request(query, handler: home.handler(invalidation: "Test|failing"), timeout: .zero)
        for attempt in 2...3 {
            try await eventually("it was tried") {
                try await home.session.endRequestsNow()
                return home.journal.all.count == attempt
            }
            try #require(await home.requests().count == (attempt == 2 ? 1 : 0))
        }
    }
}

extension DurableSession {
    /// Says that it has begun, and goes on at once.
    fileprivate func forget(_ begun: Counter) async throws {
        begun.next()
        try await forgetSession()
    }
}

extension DurableSession {
    /// As if work in hand were about to end a request.
    func setEnding(_ serial: Int64, _ isEnding: Bool) {
        if isEnding { endingRequests.insert(serial) } else { endingRequests.remove(serial) }
    }
}
