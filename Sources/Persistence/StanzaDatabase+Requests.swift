// Requests, for the thread of the stream that their answers come on.

extension StanzaDatabase {
    /// Notes that nobody could handle the answer to a request, unless another process owns the account's session by
    /// now. It waits for the disk.
    ///
    /// - Parameters:
    ///   - id: The request's `id`.
    ///   - account: The account.
    ///   - isAnswered: Whether what nobody could handle is the answer to that request.
    package func setAsideRequest(
        _ id: String, of account: String, if isAnswered: (StoredRequest) -> Bool
    ) throws {
        let hasChanged = try writePatiently(for: account) { transaction in
            guard let owner = try transaction.sessions.owner(of: account), owners.has(owner),
                let request = try transaction.requests.request(id, of: account), isAnswered(request)
            else { return false }
            try transaction.requests.setAside(id, of: account)
            return true
        }
        if hasChanged { tellOfChanges() }
    }

    /// Forgets what is stored of a session that was closed, and gives up its requests; unless somebody has the
    /// account's session by now. An owner that does not live has not been able to say that it gave it up.
    ///
    /// - Returns: The requests that have ended by that, or had before: what is stored later is somebody else's.
    package func forgetClosed(_ account: String) async throws -> [StoredRequest] {
        let owners = owners
        return try await write { transaction in
            if let owner = try transaction.sessions.owner(of: account), try owners.lives(owner) { return [] }
            try transaction.sessions.apply(.remove, to: account)
            try transaction.sessions.removeOwner(of: account)
            try transaction.requests.loseUnresumable(of: account)
            return try transaction.requests.ended(of: account, at: .distantPast)
        }
    }
}
