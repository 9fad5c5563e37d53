// Tasks that wait inside an actor until something has changed.

/// Waiting tasks in the order of their coming. Belongs to the actor whose methods wait.
struct WaiterList {
    private var waiters: [(id: UInt64, continuation: CheckedContinuation<Void, Never>)] = []
    private var nextID: UInt64 = 0

    var isEmpty: Bool { waiters.isEmpty }

    mutating func makeID() -> UInt64 {
        nextID += 1
        return nextID
    }

    mutating func add(_ id: UInt64, _ continuation: CheckedContinuation<Void, Never>) {
        waiters.append((id, continuation))
    }

    /// Resumes a waiter whose task was canceled.
    mutating func cancel(_ id: UInt64) {
        guard let position = waiters.firstIndex(where: { $0.id == id }) else { return }
        waiters.remove(at: position).continuation.resume()
    }

    /// Resumes all waiters: each checks its own condition again.
    mutating func resumeAll() {
        let all = waiters
        waiters = []
        for waiter in all { waiter.continuation.resume() }
    }
}
