// The state after a suspension: the session has acknowledged its handled stanzas, and no file is open.

import TestSupport
import Testing

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct SuspendedStateTests {
    @Test func theServerHasTheHandledCountAndNoFileIsOpen() async throws {
        let server = FakeServer()
        // Only the suspension acknowledges stanzas.
        let home = try await Household { $0.acknowledgements = .off }
        try await home.onMessage()
        let running = await home.online(server)
        server.say(1...2)
        try await home.handles(2)
        #expect(server.unacknowledgedCount == 2)
        #expect(try openFiles(of: home) != [])
        try await home.session.suspend(deadline: .seconds(600))
        #expect(server.unacknowledgedCount == 0)
        #expect(try openFiles(of: home) == [])
        _ = try await running.value
        #expect(home.journal.all == ["1", "2"])
    }

    /// The files that this process has open: the database, its log, and the file with the owners' locks.
    private func openFiles(of home: Household) throws -> [String] {
        try TestSupport.openFiles().filter { $0.contains(home.folder.url.lastPathComponent) }
    }
}
