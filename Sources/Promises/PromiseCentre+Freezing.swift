// Letting go of the store before the process is suspended. Applications freeze and unfreeze as the system tells them
// to, from several tasks and faster than a file is opened: each waits for the one before, so that the last wish counts.

extension PromiseCentre {
    /// Lets go of the store before the process is suspended. Who waits goes on to wait; everything else is refused.
    ///
    /// When it returns, no lock is held, unless `unfreeze()` was called meanwhile: the last wish counts. Call it again
    /// freely.
    public func freeze() async throws {
        wishes += 1
        try await inTurn { try await self.freezeNow() }
    }

    /// Takes the store up again, and delivers what other processes have resolved in the meantime.
    public func unfreeze() async throws {
        wishes += 1
        let wish = wishes
        try await inTurn { try await self.unfreezeNow(wish) }
    }

    private func freezeNow() async throws {
        isFrozen = true
        alarm?.cancel()
        await collecting?.value
        try await store.freeze()
    }

    private func unfreezeNow(_ wish: Int) async throws {
        try await store.unfreeze()
        // Whoever wants it frozen again is next.
        if wish != wishes { return }
        isFrozen = false
        collect()
    }

    /// Does something when everything before it is done, also when the task that wants it was cancelled.
    private func inTurn(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let before = lastTurn
        let task = Task {
            await before?.value
            try await body()
        }
        lastTurn = Task { _ = await task.result }
        try await task.value
    }
}
