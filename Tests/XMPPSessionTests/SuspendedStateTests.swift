// The state after a suspension: the session has acknowledged its handled stanzas, and no file is open.

import Foundation
import TestSupport
import Testing

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct SuspendedStateTests {
    @Test func theServerKnowsWhatWasHandledAndNoFileIsOpen() async throws {
        let folder = try TemporaryFolder()
        let server = FakeServer()
        var configuration = StreamManagementConfiguration.durable
        // Only the suspension acknowledges stanzas.
        configuration.acknowledgements = .off
        configuration.closingTimeout = .seconds(86_400)
        let home = try await Household(folder, configuration: configuration)
        try await home.session.on("/{jabber:client}message") { [journal = home.journal] stanza, _ in
            journal.note("handled \(stanza["id"] ?? "")")
        }
        let running = home.start(server)
        try await eventually("the session runs") { await home.session.stream.state == .enabled }
        server.say("<message id='1'/>")
        server.say("<message id='2'/>")
        try await eventually("both are handled") { await home.session.stream.hasHandled(2) }
        #expect(server.unacknowledgedCount == 2)
        #expect(try Self.openFiles(in: folder) != [])
        try await home.session.suspend(deadline: .seconds(600))
        #expect(server.unacknowledgedCount == 0)
        #expect(try Self.openFiles(in: folder) == [])
        _ = try await running.value
        #expect(home.journal.all == ["handled 1", "handled 2"])
    }

    /// The files in a folder that this process has open: the database, its log, and the file with the owners' locks.
    private static func openFiles(in folder: TemporaryFolder) throws -> [String] {
        try TestSupport.openFiles().filter { $0.contains(folder.url.lastPathComponent) }
    }
}

extension StreamSession {
    /// Whether this many stanzas have arrived and all are handled.
    fileprivate func hasHandled(_ count: Int) -> Bool {
        core.handledCounter == StanzaCounter(rawValue: UInt32(count)) && core.unhandledCount == 0
    }
}
