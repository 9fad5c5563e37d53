// How calls end: commits that wait, stanzas that are given up, handlers that do not return.

import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct PhaseTests {
    private let server = FakeServer()

    /// The server acknowledges nothing, so a commit waits for room. The stanza comes again in the next run.
    @Test(arguments: [false, true]) func aCommitThatWaitsForRoomEndsWithTheRun(isSuspended: Bool) async throws {
        let home = try await Household { $0.maximumUnacknowledged = 1 }
        try await home.onMessage { id, work in try work.send(xml("<message id='re-\(id)'/>")) }
        server.setAcknowledging(false)
        let running = await home.online(server)
        server.say(1...2)
        try await eventually("the second reply waits") { await home.session.stream.waitingSenderCount == 1 }
        if isSuspended {
            try await home.suspend(gracePeriod: .milliseconds(10))
        } else {
            running.cancel()
        }
        _ = await running.result
        server.setAcknowledging(true)
        try await home.run(server) { try await server.receives(2) }
        #expect(server.ids == ["re-1", "re-2"])
        #expect(home.journal.all == ["1", "2", "2"])
    }

    /// The server does not count the stanza. The app receives the event all the same.
    @Test func aStanzaThatIsNotCountedIsReportedWhenItIsGivenUp() async throws {
        let home = try await Household { $0.maximumHandlingAttempts = 2 }
        try await home.onMessage { _, _ in throw Household.Failure() }
        let (server, events) = (FakeServer(.none), await home.session.stream.events())
        try await home.run(server) {
            server.say(1...1)
            for await case .incomingDeadLetter(let stanza, let attempts, let error) in events {
                #expect(stanza["id"] == "1" && attempts == 2)
                #expect(error?.error is Household.Failure)
                break
            }
        }
        #expect(home.journal.all == ["1", "1"])
    }

    /// Closing waits a limited time for a handler. Then the handler's request ends without an answer. An invalidation
    /// that takes longer than that time ends the request when it returns.
    @Test(arguments: [1, 50]) func closingWaitsForNoHandlerThatDoesNotEnd(milliseconds: Int) async throws {
        let home = try await Household(grace: .milliseconds(milliseconds))
        let running = home.start(server)
        try await home.request(query, home.handler("Test|deaf"))
        try await server.receives(1)
        server.say(answer)
        try await home.notes("deaf")
        await home.session.close()
        try await home.endsRequests()
        #expect(home.journal.all == ["deaf", "ended disconnected"])
        home.journal.note("go on")
        #expect(try await running.value == .closed)
    }
}
