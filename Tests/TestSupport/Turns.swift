// Turns for a limited number of tasks at once.

/// So many at once, in the order in which they come.
public actor Turns {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    public init(_ count: Int) { free = count }

    /// Waits for a turn. The caller gives it back.
    public func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    public func giveBack() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }

    /// Waits for a turn, and runs the body in it.
    ///
    /// - Parameters:
    ///   - limit: After this time, the turn goes to the next caller, and `overrun` is called. The body continues.
    public func turn(
        limit: Duration, _ body: @Sendable () async throws -> Void, overrun: @escaping @Sendable () -> Void
    ) async throws {
        await take()
        let alarm = Task {
            try await Task.sleep(for: limit)
            giveBack()
            overrun()
        }
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body())
        } catch {
            outcome = .failure(error)
        }
        alarm.cancel()
        // The alarm has given the turn back if it was not canceled in time.
        if case .failure = await alarm.result { giveBack() }
        try outcome.get()
    }
}
