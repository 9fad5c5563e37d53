// How calls end: commits that wait, stanzas that are given up, handlers that do not return.

import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct PhaseTests {
    private let folder: TemporaryFolder
    private let server = FakeServer()

    init() throws { folder = try TemporaryFolder() }

    /// The server acknowledges nothing, so a commit waits for room. The stanza comes again in the next run.
    @Test(arguments: [false, true]) func aCommitThatWaitsForRoomEndsWithTheRun(isSuspended: Bool) async throws {
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumUnacknowledged = 1
        let home = try await Household(folder, configuration: configuration)
        try await home.session.on("/{jabber:client}message") { [journal = home.journal] stanza, work in
            journal.note(stanza["id"] ?? "")
            try work.send(xml("<message id='re-\(stanza["id"] ?? "")'/>"))
        }
        server.setAcknowledging(false)
        let running = home.start(server)
        try await eventually("the session runs") { await home.session.stream.state == .enabled }
        for id in 1...2 { server.say("<message id='\(id)'/>") }
        try await eventually("both handlers have run") { home.journal.all.contains("2") }
        try await eventually("the second reply waits") { await home.session.stream.waitingSenderCount == 1 }
        if isSuspended {
            try await home.session.suspend(deadline: .milliseconds(10), freezing: false)
        } else {
            running.cancel()
        }
        _ = await running.result
        server.setAcknowledging(true)
        try await home.run(server) {
            try await eventually("both are answered") { server.stanzas.count == 2 }
        }
        #expect(server.stanzas.map { $0["id"] } == ["re-1", "re-2"])
        #expect(home.journal.all == ["1", "2", "2"])
    }

    /// The server does not count the stanza. The app receives the event all the same.
    @Test func aStanzaThatIsNotCountedIsReportedWhenItIsGivenUp() async throws {
        let server = FakeServer(.none)
        var configuration = StreamManagementConfiguration.patient
        configuration.maximumHandlingAttempts = 2
        let home = try await Household(folder, configuration: configuration)
        try await home.session.on("/{jabber:client}message") { _, _ in throw Household.Failure() }
        let events = await home.session.stream.events()
        try await home.run(server) {
            try await eventually("the session runs") { server.binds == 1 }
            server.say("<message id='1'/>")
            for await event in events {
                guard case .setAside(let stanza, let attempts, let error) = event else { continue }
                #expect(stanza["id"] == "1" && attempts == 2)
                #expect(error?.error is Household.Failure)
                break
            }
        }
    }

    /// Closing waits a limited time for a handler. Then the handler's request ends without an answer. An invalidation
    /// that takes longer than that time ends the request when it returns.
    @Test(arguments: [1, 50]) func closingWaitsForNoHandlerThatDoesNotEnd(milliseconds: Int) async throws {
        let home = try await Household(folder, grace: .milliseconds(milliseconds))
        let running = home.start(server)
        try await home.session.request(query, handler: home.handler("Test|deaf"), timeout: nil)
        try await eventually("it was sent") { server.stanzas.count == 1 }
        server.say("<iq type='result' from='room@chat.example.org' id='q1'/>")
        try await eventually("the handler runs") { home.journal.all == ["deaf"] }
        await home.session.close()
        try await eventually("its request has ended") { try await home.requests() == [] }
        #expect(home.journal.all == ["deaf", "ended disconnected"])
        home.journal.note("go on")
        guard case .closed = try await running.value else {
            Issue.record("expected the run to end because the session was closed")
            return
        }
    }
}
