// Requests that a server does not accept. They end, and the app learns why.

import Handlers
import Persistence
import StreamManagement
import TestSupport
import Testing
import XMLTree

@testable import XMPPSession

@Suite(.fewAtOnce) struct RefusedRequestTests {
    static func request(to recipient: String, bytes: Int) -> Element {
        xml(
            "<iq type='set' to='\(recipient)'><vCard xmlns='vcard-temp'><NOTE>"
                + String(repeating: "x", count: bytes) + "</NOTE></vCard></iq>")
    }

    @Test("XEP-0478: requests that wait for a server with a lower limit end, and a task gets the reason")
    func limit() async throws {
        let home = try await Household()
        let server = FakeServer()
        server.limit(to: 10_000)
        let large = Self.request(to: "room@example.org", bytes: 10_000)
        let request = Task { try await home.session.request(large) }
        try await home.request(large)
        try await home.session.stream.until("both wait") { $0.unacknowledged.count == 2 }
        try await home.run(server) {
            await #expect(throws: RequestError.deadLettered(.tooLarge(limit: 10_000))) { try await request.value }
            try await home.endsRequests()
        }
        #expect(home.journal.all == ["ended disconnected"])
        #expect(server.stanzas.isEmpty)
    }
}
