// An app whose write takes long, with real servers: the stream reads and answers in the meantime.

import Foundation
import ServerSupport
import TestSupport
import Testing

@testable import XMPPSessionTests

@Suite(.serialized, .fewAtOnce) struct SlowWriteServerTests {
    init() { ServerKind.tellWhatIsMissing() }

    /// The app's write ends when the test has seen the answer: no stored count can be the reason of that.
    @Test("The server's questions are answered while the app's write runs", arguments: ServerKind.tested)
    func acknowledgements(kind: ServerKind) async throws {
        let server = try await SharedServers.all.server(kind, for: "slow writes")
        let link = try ResumptionLink(to: server.port)
        defer { link.end() }
        func answers() -> Int { link.lastWritten.ranges(of: "<a ").count }
        let (hasBegun, gate) = (Counter(), DispatchSemaphore(value: 0))
        defer { gate.signal() }
        let alice = try await Phone(port: link.port, greeting: ["<presence/>"])
        try await alice.session.on("/{jabber:client}message/subject") { _, work in
            try work.changes.add { _ in
                hasBegun.next()
                gate.wait()
            }
        }
        try await alice.start()
        try await eventually("alice has an address") { await alice.session.stream.address != nil }
        let address = try #require(await alice.session.stream.address)
        let bob = try await Stranger(Stranger.connector("bob", server))

        try await bob.say("<message type='chat' to='\(address)'><subject>slow</subject></message>")
        try await eventually("the write runs") { hasBegun.value > 0 }
        for number in 1...3 {
            let before = answers()
            try await bob.say("<message type='chat' id='m\(number)' to='\(address)'><body>hello</body></message>")
            try await eventually("the question after it is answered") { answers() > before }
        }
        #expect(hasBegun.value == 1)

        gate.signal()
        try await eventually("all are handled") { try await alice.received == ["m1", "m2", "m3"] }
        try await alice.close()
        await bob.leave()
    }
}
