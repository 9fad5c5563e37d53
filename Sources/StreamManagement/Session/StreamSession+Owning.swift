// Owning the stored session: claiming it, closing it, and suspending it.

extension StreamSession {
    /// Throws if the session is over.
    func checkOpen() throws(StreamManagementError) {
        if isClosed { throw .ended }
    }

    /// Makes all changes durable that the write policy holds back. The stream continues.
    ///
    /// Call it before the application goes to the background, or ends without closing the session.
    ///
    /// - Throws: the storage's errors. After a ``TemporaryStorageError`` the changes wait for the next write. After any
    ///   other error the stream has ended.
    public func flush() async throws { try await record.flush(for: self) }

    /// Claims the session in the storage, if it was suspended or lost to another process.
    ///
    /// If another process took the session, a running stream and ``run(connecting:tag:policy:)`` end with
    /// ``StreamEnd/takenOver``. Run the session again then.
    ///
    /// - Parameter takingOver: whether to take the session from another process that owns it.
    /// - Throws: `StreamManagementError.ended` if the session was closed, and the storage's errors. If the storage
    ///   cannot name the owner, nothing has changed.
    public func claim(takingOver: Bool = false) async throws {
        try checkOpen()
        try await record.claim(takingOver: takingOver, for: self)
    }

    /// Closes the stream and the session: acknowledges the handled stanzas (rule R17) and removes the session from the
    /// storage (D34). This also removes a suspended session, unless another owner has it now.
    ///
    /// If the storage fails, such as on a full disk, the session is closed and stays stored. For the next
    /// ``StreamSession`` of the account, it is a session whose process was killed: the server does not resume it, and
    /// ``StreamManagementConfiguration/failurePolicy`` decides whether its stanzas are sent again.
    ///
    /// The session cuts a connection that accepts no more bytes after
    /// ``StreamManagementConfiguration/closingTimeout``. Another call waits for the same connection. With no time to
    /// wait, it also ends the first call's wait for acknowledgements.
    ///
    /// - Parameter waiting: how long to wait first until sent stanzas are acknowledged, or written where the server
    ///   does not acknowledge.
    public func close(waiting: Duration = .zero) async {
        await closeSession(waiting: waiting)?.task.value
    }

    /// Closes the session like ``close(waiting:)``, without waiting for the connection.
    ///
    /// - Returns: The connection that is being closed, if any.
    package func closeSession(waiting: Duration) async -> ClosingTransport? {
        if isClosed {
            await endSession()
            return closingTransport
        }
        // The stream is closed even if the storage fails or has another owner.
        record.needsClaim = false
        try? takeUp()
        if waiting > .zero { await drain(waiting) }
        if isClosed {
            await endSession()
            return closingTransport
        }
        // A call that suspended the session during the wait could not know of its end.
        record.needsClaim = false
        try? takeUp()
        await endSession()
        return closingTransport
    }

    /// Suspends the session, so that this or another process can resume it. ``run(on:features:resuming:inline:)``
    /// continues it.
    ///
    /// The session acknowledges the handled stanzas, stores everything, gives up the storage, and cuts the connection
    /// without closing the stream. After the resumption the server delivers unhandled stanzas again; until then the
    /// session does not offer them. ``SentStanza``s report nothing until then. The session cuts a connection that
    /// accepts no more bytes after ``StreamManagementConfiguration/closingTimeout``.
    ///
    /// - Throws: the storage's errors; the stream has ended then, too.
    public func suspend() async throws { try await suspend(untilClaimed: false) }

    /// Suspends the session like ``suspend()``, with two more settings.
    ///
    /// - Parameters:
    ///   - untilClaimed: whether only ``claim(takingOver:)`` can continue the session. Until then, sending throws
    ///     `StorageError.takenOver`, as if another process had the session already.
    ///   - end: the uptime at which a connection that accepts no more bytes is cut.
    package func suspend(untilClaimed: Bool, by end: Duration? = nil) async throws {
        if isClosed { return }
        if untilClaimed { record.needsClaim = true }
        // Tasks that wait for room wake up, and throw.
        defer { if untilClaimed { wakeSenders() } }
        stopConnecting(because: .suspended)
        guard isOwner else {
            _ = countStream()
            return
        }
        restore()
        record.acknowledgeHandled(for: self)
        // A count that cannot be stored for now is not sent.
        do { try await record.flush(for: self) } catch  where error.isTemporaryStorageError {}
        await finishWriting(by: end)
        if isClosed { return }
        // A call that was about to begin another stream does not begin it.
        _ = countStream()
        // Another stream may have begun during the write.
        let transport = endStream(because: .suspended)
        do {
            try await storeSuspended()
        } catch {
            await transport?.abort()
            throw error
        }
        await transport?.abort()
    }
}

/// A connection that is being closed.
package struct ClosingTransport: Sendable {
    package let transport: any StanzaTransport
    /// Ends when the connection is closed or cut.
    package let task: Task<Void, Never>
}
