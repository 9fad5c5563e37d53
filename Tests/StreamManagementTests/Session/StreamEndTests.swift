// The end of a stream, as an application reads it.

import StreamManagement
import StreamSimulator
import TestSupport
import Testing
import XMLTree

@Suite struct StreamEndTests {
    @Test("A stream error that ends a running stream has a type") func streamErrors() async throws {
        let session = try await StreamSession.quiet()
        let server = ScriptedTransport.server()
        let run = try await session.enabled(on: server)
        server.say("<stream:error><err:conflict/><err:text>replaced</err:text></stream:error>")
        let end = try await run.value
        #expect(end.streamError?.condition == "conflict" && end.streamError?.text == "replaced")
        #expect(StreamEnd.closed.streamError == nil)
        #expect(StreamEnd.abandoned(.negotiationTimedOut).streamError == nil)
    }
}
