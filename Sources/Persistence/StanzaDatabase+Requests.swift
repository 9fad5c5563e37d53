// Requests, for the thread of the stream that their answers come on.

extension StanzaDatabase {
    /// Notes that nobody could handle the answer to a request, unless another process owns the account's session by now. It
    /// waits for the disk.
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
}
