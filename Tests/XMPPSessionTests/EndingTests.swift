// Sessions that end and continue, that change their owner, or whose server has fewer features.

import Persistence
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct EndingTests {
    private let server = FakeServer()

    // MARK: Continued sessions

    /// Registers a handler of messages that does not return unless the journal has the line "go on".
    private func handleMessages(_ home: Household) async throws {
        try await home.onMessage { [journal = home.journal] _, _ in
            if !journal.all.contains("go on") { try await Task.sleep(for: .seconds(3600)) }
        }
    }

    /// The server does not send these stanzas again.
    @Test(arguments: zip([FakeServer.Management.none, .withoutResumption], [false, true]))
    func whatCannotComeAgainIsKept(management: FakeServer.Management, isSuspended: Bool) async throws {
        let server = FakeServer(management)
        let home = try await Household()
        try await handleMessages(home)
        try await home.run(server) {
            server.say(1...3)
            try await home.notes("1")
            try await eventually("the others have arrived") { await home.session.waitingCount == 2 }
            if isSuspended { try await home.session.suspend(gracePeriod: .zero) }
        }
        home.journal.note("go on")
        try await home.run(server) { try await home.notes("3") }
        #expect(home.journal.all == ["1", "go on", "1", "2", "3"])
    }

    /// A resumable session comes in between. The server repeats the stanzas of that session, not earlier ones.
    @Test func whatCannotComeAgainIsKeptThroughOtherSessions() async throws {
        let home = try await Household()
        try await handleMessages(home)
        let servers = [FakeServer(.withoutResumption), FakeServer(), FakeServer()]
        for (run, server) in servers.enumerated() {
            try await home.run(server) {
                server.say("<message id='\(run)'/>")
                try await home.journal.wait(for: run + 1)
                try await eventually("the other has arrived") { await home.session.waitingCount == min(run, 1) }
                try await home.session.suspend(gracePeriod: .zero)
            }
            #expect(try await !home.session.stream.markFailed(ReceivedStanza(number: nil, element: query)))
        }
        home.journal.note("go on")
        try await home.run(servers[2]) { try await home.notes("2") }
        #expect(home.journal.all == ["0", "0", "0", "go on", "0", "2"])
    }

    // MARK: Owners

    @Test func aProcessThatLostTheSessionWhileOfflineDoesNotResumeIt() async throws {
        let app = try await Household()
        let running = await app.online(server)
        try await app.disconnect(server)
        let other = try await Household(app.folder, takingOver: true)
        // The first process makes no attempt to resume the session.
        let before = server.resumptions
        #expect(try await running.value == .takenOver)
        #expect(server.resumptions == before)
        server.setDown(false)
        try await other.run(server) {
            #expect(await other.session.stream.didResume)
            // The first process gets the session back only with `takingOver: true`.
            await #expect(throws: StorageError.self) { try await app.start(server).value }
            let back = await app.online(server, takingOver: true)
            #expect(await app.session.stream.didResume)
            await back.stop()
        }
        #expect(server.binds == 1)
    }

    @Test func requestsOfAnotherOwnerAreNotLost() async throws {
        let server = FakeServer(.withoutResumption)
        let app = try await Household()
        let other = try await Household(app.folder, takingOver: true)
        try await other.run(server) {
            try await other.request()
            try await server.receives(1)
            await #expect(throws: StorageError.self) { try await app.session.loseUnresumable() }
            await app.session.close()
            #expect(try await other.requests().map(\.end) == [nil])
        }
        #expect(app.journal.all == [])
    }

    // MARK: Lost sessions

    /// The second request waits for a connection.
    @Test(arguments: [FakeServer.Management.none, .full])
    func aLostSessionEndsItsRequestsAndNoOthers(management: FakeServer.Management) async throws {
        let server = FakeServer(management)
        let home = try await Household()
        try await home.run(server) {
            let answer = Task { [session = home.session] in try await session.request(xml("<iq type='get'/>")) }
            try await server.receives(1)
            try await home.request()
            try await server.receives(2)
            server.forget()
            try await home.disconnect(server)
            try await home.request(otherQuery)
            server.answer { $0["id"] == "q2" ? [otherAnswer] : [] }
            server.setDown(false)
            await #expect(throws: RequestError.disconnected) { try await answer.value }
            try await home.endsRequests()
        }
        #expect(home.journal.all.sorted() == ["answered error", "ended disconnected"])
        #expect(server.ids.dropFirst() == ["q1", "q2"])
    }

    // MARK: Room

    /// The session answers each message twice, and both queues are small.
    @Test func answersDoNotBlockReadingForEver() async throws {
        let home = try await Household {
            $0.maximumUnhandled = 4
            $0.maximumUnacknowledged = 5
            $0.acknowledgementRequests = AcknowledgementTrigger(count: 2)
            $0.acknowledgementTimeout = .milliseconds(50)
        }
        try await home.onMessage { id, work in
            for number in 1...2 { try work.send(xml("<message id='re-\(id)-\(number)'/>")) }
        }
        try await home.run(server) {
            server.say(1...20)
            try await server.receives(40)
        }
        #expect(server.ids == (1...20).flatMap { id in (1...2).map { "re-\(id)-\($0)" } })
    }
}
