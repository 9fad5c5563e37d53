// A session's executor lives at least as long as its running jobs.

import Dispatch
import Testing

@testable import StreamManagement

@Suite struct SessionExecutorTests {
    @Test func itOutlivesTheLastOfItsJobs() async {
        let (answers, continuation) = AsyncStream.makeStream(of: Bool.self)
        let gate = DispatchSemaphore(value: 0)
        await Self.beginJob(waitingFor: gate, telling: continuation)
        // From here on only its own job knows the actor, and lets go of it in the end.
        gate.signal()
        var isAlive: [Bool] = []
        for await answer in answers { isAlive.append(answer) }
        #expect(isAlive == [true])
    }

    private static func beginJob(
        waitingFor gate: DispatchSemaphore, telling continuation: AsyncStream<Bool>.Continuation
    ) async {
        await Owner(telling: continuation).beginJob(waitingFor: gate)
    }
}

/// An actor with an executor, as a session is.
private actor Owner {
    private nonisolated let executor: SessionExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Goes with the actor, after its executor.
    private let witness: Witness

    init(telling continuation: AsyncStream<Bool>.Continuation) {
        let executor = SessionExecutor(label: "SessionExecutorTests")
        self.executor = executor
        witness = Witness(executor, continuation)
    }

    /// Begins a job that keeps the actor. It blocks the executor's own thread.
    func beginJob(waitingFor gate: DispatchSemaphore) {
        Task { self.wait(for: gate) }
    }

    private func wait(for gate: DispatchSemaphore) { gate.wait() }
}

/// Reports at its end whether the executor still exists.
private final class Witness {
    private weak var executor: SessionExecutor?
    private let continuation: AsyncStream<Bool>.Continuation

    init(_ executor: SessionExecutor, _ continuation: AsyncStream<Bool>.Continuation) {
        self.executor = executor
        self.continuation = continuation
    }

    deinit {
        continuation.yield(executor != nil)
        continuation.finish()
    }
}
