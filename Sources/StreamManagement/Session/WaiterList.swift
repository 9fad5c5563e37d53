// Tasks that wait inside an actor until something has changed.

/// Waiting tasks in the order of their coming. Belongs to the actor whose methods wait.
struct WaiterList {
    /// Reasons of a task to wait.
    struct Reasons: OptionSet {
        let rawValue: UInt8

        /// For a received stanza.
        static let stanza = Reasons(rawValue: 1)
        /// For a stanza that follows at once.
        static let followingStanza = Reasons(rawValue: 2)
        /// Until the session may read more.
        static let inputRoom = Reasons(rawValue: 4)
        /// Until all sent stanzas are acknowledged.
        static let acknowledgement = Reasons(rawValue: 8)
    }

    private var waiters: [(id: UInt64, reason: Reasons, continuation: CheckedContinuation<Void, Never>)] = []
    private var lastID: UInt64 = 0

    var isEmpty: Bool { waiters.isEmpty }

    mutating func makeID() -> UInt64 {
        lastID += 1
        return lastID
    }

    mutating func add(_ continuation: CheckedContinuation<Void, Never>, for reason: Reasons, id: UInt64 = 0) {
        waiters.append((id, reason, continuation))
    }

    /// Resumes a waiter whose task was canceled.
    mutating func cancel(_ id: UInt64) {
        guard let position = waiters.firstIndex(where: { $0.id == id }) else { return }
        waiters.remove(at: position).continuation.resume()
    }

    /// Resumes the waiters that have one of these reasons: each checks its own condition again.
    mutating func resume(_ reasons: Reasons) {
        let resumed = waiters.filter { !reasons.isDisjoint(with: $0.reason) }
        if resumed.isEmpty { return }
        waiters.removeAll { !reasons.isDisjoint(with: $0.reason) }
        for waiter in resumed { waiter.continuation.resume() }
    }
}
