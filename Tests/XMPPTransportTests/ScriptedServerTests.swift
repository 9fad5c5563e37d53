// The tests' own helpers: a server that is released early, and tests that take turns.

import ServerSupport
import TestSupport
import Testing

@testable import XMPPTransport

@Suite(.endsInTime) struct ScriptedServerTests {
    @Test("A server may be released before it has accepted its clients") func early() async throws {
        for isEncrypted in [false, true] {
            for _ in 1...20 {
                var server: ScriptedServer? = try await ScriptedServer(isEncrypted ? .localhost : nil) {
                    try await $0.wait()
                }
                let port = try #require(server?.port)
                let connecting = (1...5).map { _ in
                    Task { try await ByteChannel.connect(host: "127.0.0.1", port: port, timeout: .seconds(3600)) }
                }
                server = nil
                // The system may refuse a client of a server that is gone. A connection ends.
                for task in connecting {
                    guard let channel = try? await task.value else { continue }
                    await #expect(throws: XMPPConnectionError.self) { while true { _ = try await channel.read() } }
                }
            }
        }
    }

    @Test("A test that hangs in its turn gives the turn to the next, and is reported once") func turns() async throws {
        let turns = Turns(1)
        let reported = Counter()
        let (end, continuation) = AsyncStream.makeStream(of: Void.self)
        let hanging = Task {
            try await turns.turn(limit: .milliseconds(10)) {
                for await _ in end {}
            } overrun: {
                reported.next()
            }
        }
        try await eventually("the limit is over") { reported.value == 1 }
        let count = Counter()
        for _ in 1...3 {
            try await turns.turn(limit: .seconds(3600)) {
                count.next()
            } overrun: {
                reported.next()
            }
        }
        #expect(count.value == 3)
        continuation.finish()
        try await hanging.value
        #expect(reported.value == 1)
    }
}
