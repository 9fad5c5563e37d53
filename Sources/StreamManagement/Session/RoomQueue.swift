// Senders that wait for room among the unacknowledged stanzas (D23): first come, first served.

/// The waiting senders in the order of their arrival. Belongs to the actor whose methods wait.
///
/// A sender keeps its place until it has room or gives up. So a transaction of ten stanzas gets its room, however many
/// senders of single stanzas arrive after it.
struct RoomQueue {
    private struct Sender {
        let id: UInt64
        /// How many stanzas it needs room for.
        var places: Int
        /// Resumes the sender; `nil` while it runs.
        var continuation: CheckedContinuation<Void, Never>?
    }

    private var senders: [Sender] = []
    private var nextID: UInt64 = 0

    var isEmpty: Bool { senders.isEmpty }

    var count: Int { senders.count }

    /// For how many stanzas the first sender needs room; 0 if none waits.
    var awaitedPlaces: Int { senders.first?.places ?? 0 }

    /// Appends a sender that needs room for this many stanzas, and returns its ticket.
    mutating func join(places: Int) -> UInt64 {
        nextID += 1
        senders.append(Sender(id: nextID, places: places))
        return nextID
    }

    /// Sets how many stanzas the sender needs room for.
    mutating func setPlaces(_ places: Int, of ticket: UInt64) {
        if let position = position(ticket) { senders[position].places = places }
    }

    /// Whether no other sender comes before this one.
    func isFirst(_ ticket: UInt64) -> Bool { senders.first?.id == ticket }

    mutating func wait(_ ticket: UInt64, _ continuation: CheckedContinuation<Void, Never>) {
        guard let position = position(ticket) else { return continuation.resume() }
        senders[position].continuation = continuation
    }

    mutating func leave(_ ticket: UInt64) { senders.removeAll { $0.id == ticket } }

    /// Resumes a sender whose task was canceled.
    mutating func cancel(_ ticket: UInt64) {
        if let position = position(ticket) { wake(at: position) }
    }

    mutating func wakeFirst() {
        if !senders.isEmpty { wake(at: 0) }
    }

    /// Resumes all senders: each finds out itself whether it still waits.
    mutating func wakeAll() {
        for position in senders.indices { wake(at: position) }
    }

    private func position(_ ticket: UInt64) -> Int? { senders.firstIndex { $0.id == ticket } }

    private mutating func wake(at position: Int) {
        let continuation = senders[position].continuation
        senders[position].continuation = nil
        continuation?.resume()
    }
}
