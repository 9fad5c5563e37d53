// Requests whose answer, timeout and session end coincide, and sessions that end and continue.

import Foundation
import Handlers
import Persistence
import Promises
import Synchronization
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct EndingTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    private static let result = "<iq type='result' from='room@chat.example.org' id='q1'/>"

    @Test func aRequestWhoseAnswerIsBeingHandledDoesNotTimeOut() async throws {
        let home = try await Household(folder)
        server.answer { _ in [Self.result] }
        let promise = try await home.promises.create(String.self)
        try await home.run(server) {
            try await home.session.request(
                query, handler: home.handler("Test|slow", ["promise": promise]))
            try await eventually("the handler runs") { home.journal.all == ["slow"] }
            // The request expires.
            try await home.database.write { try $0.database.execute(sql: "UPDATE request SET deadline = 0") }
            try await home.session.endRequestsNow()
            home.journal.note("go on")
            #expect(try await promise.value == "answered")
            try await eventually("the request has ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["slow", "go on"])
    }

    @Test func closingWaitsForAHandlerThatIsAtWork() async throws {
        let home = try await Household(folder)
        server.answer { _ in [Self.result] }
        let promise = try await home.promises.create(String.self)
        try await home.run(server) {
            try await home.session.request(query, handler: home.handler("Test|slow", ["promise": promise]))
            try await eventually("the handler runs") { home.journal.all == ["slow"] }
            let closing = Task { [session = home.session] in await session.close() }
            home.journal.note("go on")
            await closing.value
            #expect(try await promise.value == "answered")
        }
        #expect(home.journal.all == ["slow", "go on"])
    }

    @Test func oneHandlerMayWaitForSeveralAnswers() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            let handler = try home.handler()
            try await home.session.request(query, handler: handler)
            try await home.session.request(xml("<iq type='get' to='room@chat.example.org' id='q2'/>"), handler: handler)
            try await eventually("both were sent") { server.stanzas.count == 2 }
            server.say(Self.result)
            server.say("<iq type='error' from='room@chat.example.org' id='q2'/>")
            try await eventually("both have ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["answered result", "answered error"])
        #expect(try await home.database.handlers() == [])
    }

    // MARK: Continued sessions

    @Test func whatFailedOnceIsNotOvertaken() async throws {
        let home = try await Household(folder)
        let (session, journal) = (home.session, home.journal)
        try await session.on("/{jabber:client}message") { stanza, _ in
            let id = stanza["id"] ?? ""
            journal.note(id)
            if id == "1", journal.all.count == 1 { throw Household.Failure() }
        }
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.state == .enabled }
            for id in 1...4 { server.say("<message id='\(id)'/>") }
            try await eventually("all are handled") { journal.all.count == 5 }
        }
        #expect(journal.all == ["1", "1", "2", "3", "4"])
    }

    /// Registers a handler of messages that does not return unless the journal has the line "go on".
    private func handleMessages(_ home: Household) async throws {
        try await home.session.on("/{jabber:client}message") { [journal = home.journal] stanza, _ in
            journal.note("began \(stanza["id"] ?? "")")
            if !journal.all.contains("go on") { try await Task.sleep(for: .seconds(3600)) }
        }
    }

    @Test func whatARunHasLeftComesAgainInTheNext() async throws {
        let home = try await Household(folder)
        let (session, journal) = (home.session, home.journal)
        try await handleMessages(home)
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.state == .enabled }
            for id in 1...3 { server.say("<message id='\(id)'/>") }
            try await eventually("the first handler runs") { journal.all == ["began 1"] }
            try await eventually("the others have arrived") { await session.stream.unhandledCount == 3 }
        }
        journal.note("go on")
        try await home.run(server) {
            try await eventually("all are handled") { journal.all.last == "began 3" }
            try await eventually("the server has all acknowledgements") {
                try await session.stream.sendAcknowledgementIfEnabled()
                return server.unacknowledgedCount == 0
            }
        }
        #expect(journal.all == ["began 1", "go on", "began 1", "began 2", "began 3"])
        #expect(server.binds == 1)
    }

    /// The server does not send these stanzas again.
    @Test(arguments: [FakeServer.Management.none, .withoutResumption], [false, true])
    func whatCannotComeAgainIsKept(management: FakeServer.Management, isSuspended: Bool) async throws {
        let server = FakeServer(management)
        let home = try await Household(folder)
        let (session, journal) = (home.session, home.journal)
        try await handleMessages(home)
        try await home.run(server) {
            try await eventually("the session runs") { await session.stream.isOnline }
            for id in 1...3 { server.say("<message id='\(id)'/>") }
            try await eventually("the first handler runs") { journal.all == ["began 1"] }
            try await eventually("the others have arrived") { await session.waitingCount == 2 }
            if isSuspended { try await session.suspend(deadline: .zero) }
        }
        journal.note("go on")
        try await home.run(server) {
            try await eventually("all are handled") { journal.all.last == "began 3" }
        }
        #expect(journal.all == ["began 1", "go on", "began 1", "began 2", "began 3"])
    }

    /// A resumable session comes in between. The server repeats the stanzas of that session, not earlier ones.
    @Test func whatCannotComeAgainIsKeptThroughOtherSessions() async throws {
        let home = try await Household(folder)
        let (session, journal) = (home.session, home.journal)
        try await handleMessages(home)
        let servers = [FakeServer(.withoutResumption), FakeServer(), FakeServer()]
        for (run, server) in servers.enumerated() {
            try await home.run(server) {
                try await eventually("the session runs") { await session.stream.state == .enabled }
                server.say("<message id='\(run)'/>")
                try await eventually("the first handler runs") { journal.all.count == run + 1 }
                try await eventually("the other has arrived") { await session.waitingCount == min(run, 1) }
                try await session.suspend(deadline: .zero)
            }
            #expect(try await !session.stream.markFailed(ReceivedStanza(number: nil, element: query)))
        }
        journal.note("go on")
        try await home.run(servers[2]) {
            try await eventually("all are handled") { journal.all.contains("began 2") }
        }
        #expect(journal.all == ["began 0", "began 0", "began 0", "go on", "began 0", "began 2"])
    }

    /// The second run waits as quietly as the first.
    @Test func aSecondRunDoesNotSpin() async throws {
        let count = Mutex(0)
        var options = StanzaDatabase.Options()
        options.statementObserver = { moment in
            if case .before(let sql) = moment, sql.contains("deadline IS NOT NULL") { count.withLock { $0 += 1 } }
        }
        let home = try await Household(folder, options: options)
        for _ in 1...2 {
            let before = count.withLock { $0 }
            try await home.run(server) {
                try await eventually("the session runs") { await home.session.stream.state == .enabled }
                try await eventually("it has read the deadlines") { count.withLock { $0 } > before }
                try await Task.sleep(for: .milliseconds(300))
            }
            #expect(count.withLock { $0 } - before < 12)
        }
    }

    @Test func aSessionIsSuspendedWhileItBegins() async throws {
        let home = try await Household(folder)
        for _ in 1...20 {
            let running = home.start(server)
            try await eventually("it begins", isHasty: true) { await home.session.isRunning }
            try await home.session.suspend(freezing: false)
            if case .suspended = try await running.value {} else { Issue.record("expected it to be suspended") }
        }
        await #expect(throws: RequestError.suspended) { try await home.session.request(query) }
        // Another process can run the session.
        let other = try await Household(folder)
        try await other.run(server) {
            try await eventually("the session runs") { await other.session.stream.state == .enabled }
        }
    }

    @Test func aRunWaitsForTheOneThatWasSuspended() async throws {
        let home = try await Household(folder)
        var running = home.start(server)
        for _ in 1...20 {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            async let suspending: Void = home.session.suspend()
            async let other: Void = home.session.suspend()
            try await eventually("it is being suspended", isHasty: true) { await home.session.phase.refusal != nil }
            let next = home.start(server)
            _ = try await (suspending, other)
            if case .suspended = try await running.value {} else { Issue.record("expected it to be suspended") }
            running = next
        }
        try await eventually("the session runs") { await home.session.stream.state == .enabled }
        await #expect(throws: RequestError.running) { try await home.start(server).value }
        running.cancel()
        _ = await running.result
        #expect(server.binds == 1)
    }

    // MARK: Owners

    @Test func whoLostTheSessionWhileOfflineDoesNotResumeIt() async throws {
        let app = try await Household(folder)
        let running = app.start(server)
        try await eventually("the session runs") { await app.session.stream.state == .enabled }
        server.setDown(true)
        server.cut()
        try await eventually("the connection is gone") { await app.session.stream.state != .enabled }
        let other = try await Household(folder, takingOver: true)
        // The first process makes no attempt to resume the session.
        let before = server.resumptions
        guard case .takenOver = try await running.value else {
            Issue.record("expected the run to end because the session was taken over")
            return
        }
        #expect(server.resumptions == before)
        server.setDown(false)
        try await other.run(server) {
            try await eventually("the session is resumed") { await other.session.stream.didResume }
            // The first process gets the session back only with `takingOver: true`.
            await #expect(throws: StorageError.self) { try await app.start(server).value }
            let back = app.start(server, takingOver: true)
            try await eventually("it is taken back") { await app.session.stream.didResume }
            back.cancel()
            _ = await back.result
        }
        #expect(server.binds == 1)
    }

    @Test func requestsOfAnotherOwnerAreNotLost() async throws {
        let server = FakeServer(.withoutResumption)
        let app = try await Household(folder)
        let other = try await Household(folder, takingOver: true)
        try await other.run(server) {
            try await other.session.request(query, handler: other.handler())
            try await eventually("the request was sent") { server.stanzas.count == 1 }
            await #expect(throws: StorageError.self) { try await app.session.loseUnresumable() }
            await app.session.close()
            #expect(try await other.requests().map(\.end) == [nil])
        }
        #expect(app.journal.all == [])
    }

    /// The process learns it when it stores a request. It has neither a stream nor a session to resume.
    @Test func whoLostTheSessionWhileOfflineMakesNoMoreConnections() async throws {
        let server = FakeServer(.withoutResumption)
        let app = try await Household(folder)
        let running = app.start(server)
        try await eventually("the session runs") { await app.session.stream.state == .enabled }
        server.setDown(true)
        server.cut()
        try await eventually("the connection is gone") { await app.session.stream.state != .enabled }
        let other = try await Household(folder, takingOver: true)
        await #expect(throws: StorageError.self) { try await app.session.request(query, handler: app.handler()) }
        guard case .takenOver = try await running.value else {
            Issue.record("expected the run to end because the session was taken over")
            return
        }
        #expect(try await other.requests() == [])
    }

    /// The session resumes, but the requests belong to another session.
    @Test func requestsOfASessionThatIsNotStoredEnd() async throws {
        let home = try await Household(folder)
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            try await home.session.request(query, handler: home.handler(), timeout: nil)
            try await eventually("the request was sent") { server.stanzas.count == 1 }
        }
        try await home.database.write { try $0.database.execute(sql: "UPDATE request SET session = 'forgotten'") }
        try await home.run(server) {
            try await eventually("it has ended") { try await home.requests() == [] }
        }
        #expect(home.journal.all == ["ended disconnected"])
        #expect(server.binds == 1)
    }

    // MARK: Room

    /// The session answers each message once or twice, and both queues are small.
    @Test(arguments: [(1, 4), (2, 5)])
    func answersDoNotBlockReadingForEver(count: Int, room: Int) async throws {
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumUnhandled = 4
        configuration.maximumUnacknowledged = room
        configuration.acknowledgementRequests = AcknowledgementTrigger(count: 2)
        configuration.acknowledgementTimeout = .milliseconds(200)
        let home = try await Household(folder, configuration: configuration)
        try await home.session.on("/{jabber:client}message") { stanza, work in
            for number in 1...count { try work.send(xml("<message id='re-\(stanza["id"] ?? "")-\(number)'/>")) }
        }
        try await home.run(server) {
            try await eventually("the session runs") { await home.session.stream.state == .enabled }
            for id in 1...40 { server.say("<message id='\(id)'/>") }
            try await eventually("all are answered") { server.stanzas.count == 40 * count }
        }
        let expected = (1...40).flatMap { id in (1...count).map { "re-\(id)-\($0)" } }
        #expect(server.stanzas.compactMap { $0["id"] } == expected)
    }

    @Test func aFullQueueMakesSendersWaitFromTheStart() async throws {
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumUnacknowledged = 2
        configuration.acknowledgementRequests = AcknowledgementTrigger(count: 1)
        let first = try await Household(folder, configuration: configuration)
        for id in 1...2 { try await first.session.send(xml("<message id='\(id)'/>")) }
        let second = try await Household(folder, takingOver: true, configuration: configuration)
        let asking = Task { try await second.session.request(query, handler: second.handler()) }
        try await second.run(server) {
            _ = try await asking.value
            try await eventually("all are sent") { server.stanzas.count == 3 }
        }
        #expect(server.stanzas.map { $0["id"] } == ["1", "2", "q1"])
    }

    // MARK: Servers with fewer features

    @Test(arguments: [FakeServer.Management.none, .withoutResumption])
    func aServerThatCannotResume(management: FakeServer.Management) async throws {
        let server = FakeServer(management)
        let home = try await Household(folder)
        let journal = home.journal
        try await home.session.on("/{jabber:client}message") { stanza, _ in
            journal.note("message \(stanza["id"] ?? "")")
            if journal.all.count == 1 { throw Household.Failure() }
        }
        try await home.run(server) {
            let handler = try home.handler()
            try await eventually("there is a connection") { server.binds == 1 }
            server.say("<message id='1'/>")
            try await eventually("it is tried again") { journal.all == ["message 1", "message 1"] }
            try await home.session.request(query, handler: handler)
            try await eventually("the request was sent") { server.stanzas.count == 1 }
            server.cut()
            try await eventually("the request has ended") { try await home.requests() == [] }
            server.answer { _ in ["<iq type='result' from='room@chat.example.org' id='q2'/>"] }
            try await home.session.request(
                xml("<iq type='get' to='room@chat.example.org' id='q2'/>"), handler: home.handler())
            try await eventually("the next has, too") { try await home.requests() == [] }
        }
        #expect(journal.all == ["message 1", "message 1", "ended disconnected", "answered result"])
    }
}
