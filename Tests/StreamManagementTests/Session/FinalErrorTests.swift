// Stream errors of a running stream: some end the loop of connections.

import Locking
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

    @Test("A number of refused logins ends no run in which a login has succeeded", arguments: [0, 2])
    func refusedLogins(allowed: Int) async throws {
        let session = try await InlineResumptionTests.session()
        let refused = TestConnector.Failure(isFinal: true, isRefusedLogin: true)
        var policy = ReconnectionPolicy.impatient
        policy.maximumRefusedLogins = allowed
        // Without a login that has succeeded, the password may be wrong.
        let wrong = TestConnector(errors: [refused])
        await #expect(throws: refused) { try await session.run(connecting: wrong, policy: policy) }
        #expect(wrong.places.count == 1)

        let attempts = Lock(0)
        let connector = TestConnector { _ in
            // Each success allows the same number again.
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            let isGood = attempt == 1 || attempt == 1 + allowed + 1 && allowed > 0
            if !isGood { throw refused }
            return ScriptedTransport { $0.hasPrefix("<enable ") ? ["<sm:enabled id='s' resume='true'/>"] : [] }
        }
        let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
        for count in allowed > 0 ? 1...2 : 1...1 { try await connector.server(count).cut() }
        await #expect(throws: refused) { try await run.value }
        #expect(connector.places.count == (allowed > 0 ? 2 + 2 * allowed + 1 : 2))
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
