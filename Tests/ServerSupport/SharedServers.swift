// One server of each kind for all tests that do not need it to themselves: starting one takes longer than most tests.

/// Servers that live as long as the tests' process.
package actor SharedServers {
    package static let all = SharedServers()

    private var servers: [String: Task<RunningServer, any Error>] = [:]

    /// - Parameters:
    ///   - user: the suite that shares it; some tests kill theirs.
    ///   - modules: more modules, the same in each call.
    ///   - certificateHash: as for ``RunningServer``, the same in each call.
    ///   - hasArchiveAndRooms: as for ``RunningServer``, the same in each call.
    package func server(
        _ kind: ServerKind, for user: String, modules: [String] = [], certificateHash: String = "",
        hasArchiveAndRooms: Bool = false
    ) async throws -> RunningServer {
        let name = "\(kind) \(user)"
        if let known = servers[name] { return try await known.value }
        let starting = Task {
            try await RunningServer(
                kind, modules: modules, certificateHash: certificateHash, hasArchiveAndRooms: hasArchiveAndRooms)
        }
        servers[name] = starting
        return try await starting.value
    }
}
