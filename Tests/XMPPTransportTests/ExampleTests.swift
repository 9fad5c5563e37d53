// The examples of the doc comments, word for word; .ci/check examples compares them.

import Foundation
import Testing
import XMPPTransport

@Suite(.endsInTime) struct ExampleTests {
    @Test func aConnector() throws {
        let secret = "wherefore"
        let connector = try XMPPConnector(account: "juliet@example.org", password: Password(secret))
        #expect(connector.account == "juliet@example.org")
    }
    @Test func settings() throws {
        let installation = UUID()
        var configuration = XMPPConnectorConfiguration()
        configuration.server = ServerEndpoint(host: "xmpp.example.org", port: 5223, security: .directTLS)
        configuration.userAgent = UserAgent(id: installation, software: "Balcony")
        configuration.timeouts.attempt = .seconds(20)
        #expect(configuration.server?.security == .directTLS)
        #expect(configuration.timeouts.attempt > ConnectionTimeouts().attempt)
        #expect(!configuration.mechanisms.contains(.plain))
    }

    @Test func aSaltedPassword() throws {
        func askForPassword() { Issue.record("it can be read") }
        let stored: [UInt8] = [1, 1, 0, 0, 16, 0] + [UInt8](repeating: 7, count: 20) + [9]
        guard let salted = SaltedPassword(bytes: stored) else { return askForPassword() }
        let connector = try XMPPConnector(account: "juliet@example.org", saltedPassword: salted)
        #expect(connector.saltedPassword == salted)
    }
}
