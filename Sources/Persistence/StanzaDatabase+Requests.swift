// Requests, for the thread of the stream that receives their answers.

package import XMPPCore

extension StanzaDatabase {
    /// Stores why no handler is called with the answer to a request, unless another process owns the account's session
    /// now. Waits for the disk.
    ///
    /// - Parameters:
    ///   - id: The request's `id`.
    ///   - account: The account.
    ///   - end: Why the request ends.
    ///   - isAnswered: Whether the answer belongs to the stored request.
    package func endRequest(
        _ id: String, of account: JID, because end: StoredRequest.End, if isAnswered: (StoredRequest) -> Bool
    ) throws {
        let hasChanged = try writePatiently(for: account) { transaction in
            guard let session = openSessions.session(of: account), try session.isOwner(in: transaction),
                let request = try transaction.requests.request(id, of: account), isAnswered(request)
            else { return false }
            try transaction.requests.end(request.serial, because: end)
            return true
        }
        if hasChanged { notifyListeners() }
    }

    /// Forgets the stored session that was closed, and gives up its requests. Does nothing if another owner has had the
    /// account's session since: that owner may have suspended it.
    ///
    /// - Parameters:
    ///   - account: The account.
    ///   - last: The last owner of the closed session (`DatabaseSession.token`).
    /// - Returns: The requests that have ended by now. Requests that are stored later belong to another owner.
    package func forgetClosed(_ account: JID, of last: Int64) async throws -> [StoredRequest] {
        try await write { transaction in
            // A removed account has no owner.
            guard try transaction.sessions.owner(of: account)?.token == last else { return [] }
            try transaction.sessions.apply(.remove, to: account)
            try transaction.requests.lose(of: account, sentIn: nil)
            return try transaction.requests.lost(of: account)
        }
    }
}
