// Orders a domain's servers after one of them has ended an attempt.

import Locking

/// Remembers the server that ended the last attempt, so that a broken server cannot keep the client from the others.
/// All copies of a connector share it.
final class ServerOrder: Sendable {
    private let last = Lock<ServerEndpoint?>(nil)

    /// Notes the server that received a proof of the password and gave no proof of its own, which ended the attempt.
    func note(_ endpoint: ServerEndpoint) { last.withLock { $0 = endpoint } }

    /// The servers of the next attempt: those after the noted server come first. The attempt after that one begins
    /// with the first server again.
    func next(_ endpoints: [ServerEndpoint]) -> [ServerEndpoint] {
        let last = last.withLock { last in
            defer { last = nil }
            return last
        }
        guard let last, let index = endpoints.firstIndex(of: last) else { return endpoints }
        return Array(endpoints[(index + 1)...] + endpoints[...index])
    }
}
