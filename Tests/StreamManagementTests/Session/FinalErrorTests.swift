// Stream errors of a running stream: some end the loop of connections.

import StreamSimulator
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct FinalErrorTests {
    private static func error(_ condition: String) -> String { "<stream:error><err:\(condition)/></stream:error>" }

    @Test("A stream error that would only come again ends the loop", arguments: ["host-unknown", "not-authorized"])
    func final(condition: String) async throws {
        let session = try await InlineResumptionTests.session()
        let connector = TestConnector()
        let run = Task { try await session.run(connecting: connector, policy: .impatient) }
        let server = try await connector.server(1)
        try await session.until { $0.state == .enabled }
        server.say(Self.error(condition))
        let failure = await #expect(throws: ReceivedStreamError.self) { try await run.value }
        #expect(failure?.condition == condition && failure?.isFinal == true)
        #expect(connector.places.count == 1)
        await session.close()
    }

    @Test(
        "Others do not, nor does one that another place than the ordinary one says",
        arguments: [
            "remote-connection-failed", "system-shutdown", "resource-constraint", "see-other-host", "conflict", "reset",
            "undefined-condition", "host-unknown", "invalid-from", "improper-addressing",
        ])
    func temporary(condition: String) async throws {
        let session = try await InlineResumptionTests.session()
        let isElsewhere = condition == "host-unknown"
        let connector = TestConnector(location: isElsewhere ? "near.example.org" : nil)
        let run = Task { try await session.run(connecting: connector, policy: .impatient) }
        let first = try await connector.server(1)
        try await session.until { $0.state == .enabled }
        if isElsewhere { first.cut() } else { first.say(Self.error(condition)) }
        let second = try await connector.server(2)
        if isElsewhere {
            try await second.until { !$0.heard.isEmpty }
            second.say(Self.error(condition))
            _ = try await connector.server(3)
        }
        await session.close()
        #expect("\(try await run.value)" == "closed")
    }
}
