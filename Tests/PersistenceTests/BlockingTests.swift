// Blocking code of the database, run on a queue.

import Dispatch
import Persistence
import Testing

@Suite struct BlockingTests {
    private struct Failure: Error {}

    @Test func blockingCodeReturnsItsResult() async throws {
        let queue = DispatchQueue(label: "test")
        #expect(
            try await runBlocking {
                7
            } on: {
                queue.async(execute: $0)
            } == 7)
        await #expect(throws: Failure.self) {
            try await runBlocking {
                throw Failure()
            } on: {
                $0()
            }
        }
    }
}
