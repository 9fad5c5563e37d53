// Requests, for the thread of the stream that their answers come on.

extension StanzaDatabase {
    /// Notes why no handler is called with the answer to a request, unless another process owns the account's session
    /// by now. It waits for the disk.
    ///
    /// - Parameters:
    ///   - id: The request's `id`.
    ///   - account: The account.
    ///   - end: Why it ends.
    ///   - isAnswered: Whether the answer is to that request.
    package func endRequest(
        _ id: String, of account: String, because end: StoredRequest.End, if isAnswered: (StoredRequest) -> Bool
    ) throws {
        let hasChanged = try writePatiently(for: account) { transaction in
            guard let owner = try transaction.sessions.owner(of: account), owners.has(owner),
                let request = try transaction.requests.request(id, of: account), isAnswered(request)
            else { return false }
            try transaction.requests.end(request.serial, because: end)
            return true
        }
        if hasChanged { tellOfChanges() }
    }

    /// Forgets what is stored of a session that was closed, and gives up its requests; unless somebody else has had the
    /// account's session since, and perhaps laid it aside.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - last: The owner that the session was last (`DatabaseSession.token`).
    /// - Returns: The requests that have ended by that, or had before: what is stored later is somebody else's.
    package func forgetClosed(_ account: String, of last: Int64) async throws -> [StoredRequest] {
        try await write { transaction in
            // It may not have been able to say that it gave it up. Older versions leave no owner.
            guard let owner = try transaction.sessions.owner(of: account), owner == last || owner == -last else {
                return []
            }
            try transaction.sessions.apply(.remove, to: account)
            try transaction.requests.loseUnresumable(of: account)
            return try transaction.requests.ended(of: account, at: .distantPast)
        }
    }
}
