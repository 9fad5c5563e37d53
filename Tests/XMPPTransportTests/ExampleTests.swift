// The examples of the doc comments, word for word: .ci/examples sees to it.

import Testing
import XMPPTransport

@Suite struct ExampleTests {
    @Test func aConnector() throws {
        let secret = "wherefore"
        let connector = try XMPPConnector(account: "juliet@example.org", password: Password(secret))
        #expect(connector.account == (try AccountAddress("juliet@example.org")))
    }
}
