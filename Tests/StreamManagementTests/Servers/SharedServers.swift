// One server of each kind for all tests that do not need it to themselves: starting one takes longer than most tests.

/// Servers that live as long as the tests' process.
actor SharedServers {
    static let all = SharedServers()

    private var servers: [ServerKind: Task<RunningServer, any Error>] = [:]

    func server(_ kind: ServerKind) async throws -> RunningServer {
        if let known = servers[kind] { return try await known.value }
        let starting = Task { try await RunningServer(kind) }
        servers[kind] = starting
        return try await starting.value
    }
}
