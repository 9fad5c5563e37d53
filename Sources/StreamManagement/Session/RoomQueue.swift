// Senders that wait for room among the unacknowledged stanzas (D23): first come, first served.

/// The waiting senders in the order of their arrival. Belongs to the session.
///
/// A sender keeps its place until it has room or gives up. So a transaction of ten stanzas gets its room, however many
/// senders of single stanzas arrive after it.
final class RoomQueue {
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

    /// Waits until there is room for stanzas, and no other sender comes first. Then calls `body`, which passes the
    /// stanzas to the core.
    ///
    /// - Parameters:
    ///   - places: Returns the number of stanzas, which may fall during the wait.
    ///   - session: The session.
    ///   - body: Passes the stanzas.
    /// - Throws: `StreamManagementError.ended` if the session was closed, `.queueFull` for more stanzas than fit at
    ///   all, `CancellationError`, and the errors of the storage and of `body`.
    func withRoom<Value>(
        for places: () -> Int, in session: isolated StreamSession, _ body: () throws -> Value
    ) async throws -> Value {
        if isEmpty, try canSend(places(), in: session) { return try body() }
        let ticket = join(places: places())
        defer {
            leave(ticket, session)
            session.wakeFirstSender()
        }
        while true {
            let wanted = places()
            let canSend = try canSend(wanted, in: session)
            if canSend, senders.first?.id == ticket {
                // The wait is over: the core must not ask for room for stanzas that it has.
                leave(ticket, session)
                return try body()
            }
            if let position = position(ticket) { senders[position].places = wanted }
            // The session may now read more than before.
            session.wakeReaders(.inputRoom)
            session.awaitRoom(for: awaitedPlaces)
            await session.wait(asSender: ticket)
            try Task.checkCancellation()
        }
    }

    /// Whether there is room, in a session that this process owns.
    private func canSend(_ places: Int, in session: isolated StreamSession) throws -> Bool {
        try session.checkOpen()
        try session.takeUp()
        let limit = session.configuration.maximumUnacknowledged
        if places > limit { throw StreamManagementError.queueFull(limit: limit) }
        return session.hasRoom(for: places)
    }

    /// Appends a sender that needs room for this many stanzas, and returns its ticket.
    private func join(places: Int) -> UInt64 {
        nextID += 1
        senders.append(Sender(id: nextID, places: places))
        return nextID
    }

    /// The sender waits until the continuation is resumed.
    func wait(_ ticket: UInt64, _ continuation: CheckedContinuation<Void, Never>) {
        guard let position = position(ticket) else { return continuation.resume() }
        senders[position].continuation = continuation
    }

    private func leave(_ ticket: UInt64, _ session: isolated StreamSession) {
        senders.removeAll { $0.id == ticket }
        session.awaitRoom(for: awaitedPlaces)
    }

    /// Resumes a sender whose task was canceled.
    func cancel(_ ticket: UInt64) {
        if let position = position(ticket) { wake(at: position) }
    }

    func wakeFirst() {
        if !senders.isEmpty { wake(at: 0) }
    }

    /// Resumes all senders: each finds out itself whether it still waits.
    func wakeAll() {
        for position in senders.indices { wake(at: position) }
    }

    private func position(_ ticket: UInt64) -> Int? { senders.firstIndex { $0.id == ticket } }

    private func wake(at position: Int) {
        let continuation = senders[position].continuation
        senders[position].continuation = nil
        continuation?.resume()
    }
}
