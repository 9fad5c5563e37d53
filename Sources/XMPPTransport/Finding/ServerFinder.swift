// Where an account's servers are: what DNS says (RFC 6120 §3.2, XEP-0368). What is found there has to prove that it is
// the domain's by its certificate, whatever DNS says.

import CResolv
import Foundation
import StreamManagement

/// Finds the servers of a domain.
enum ServerFinder {
    /// The servers to try, in order; none if the domain says that it has none.
    ///
    /// - Parameters:
    ///   - limit: how long name servers may take; what they have not said by then, they have not said.
    ///   - nameServer: whom to ask; `nil` for the system's name servers.
    /// - Throws: `CancellationError`.
    static func endpoints(
        of domain: String, within limit: Duration, from nameServer: sockaddr_in? = nil
    ) async throws -> [ServerEndpoint] {
        guard let domain = TLSContext.asciiName(of: domain) else { return [] }
        async let direct = records(of: "_xmpps-client._tcp.\(domain)", within: limit, from: nameServer)
        async let ordinary = records(of: "_xmpp-client._tcp.\(domain)", within: limit, from: nameServer)
        let (xmpps, xmpp) = (try await direct, try await ordinary)
        var generator = SystemRandomNumberGenerator()
        return endpoints(of: domain, direct: xmpps, ordinary: xmpp, using: &generator)
    }

    /// Both kinds count as one set (XEP-0368 §5).
    static func endpoints(
        of domain: String, direct: [ServiceRecord], ordinary: [ServiceRecord],
        using generator: inout some RandomNumberGenerator
    ) -> [ServerEndpoint] {
        let all =
            direct.map { (record: $0, value: endpoint($0, .directTLS)) }
            + ordinary.map { (record: $0, value: endpoint($0, .startTLS)) }
        // Who says nothing has a server of the domain's name; who names nothing has none. That TLS does not come first
        // anywhere says nothing of servers where it does not.
        if ordinary.isEmpty, direct.allSatisfy(\.target.isEmpty) {
            return [ServerEndpoint(host: domain, port: 5222, security: .startTLS)]
        }
        return ServiceRecord.ordered(all.filter { !$0.record.target.isEmpty && $0.record.port > 0 }, using: &generator)
    }

    private static func endpoint(_ record: ServiceRecord, _ security: ConnectionSecurity) -> ServerEndpoint {
        ServerEndpoint(host: record.target, port: record.port, security: security)
    }

    /// Where a place is that a server has named: encrypted as the domain's servers are, the one of that name in
    /// particular.
    ///
    /// - Parameter known: the domain's servers, or the one that has sent us there.
    /// - Returns: `nil` for another host's name without a port: whoever names that means what DNS says of it (RFC 6120
    ///   §4.9.3.19).
    static func endpoints(at place: ServerLocation, among known: [ServerEndpoint]) -> [ServerEndpoint]? {
        let host = place.host.lowercased()
        let same = known.filter { $0.host.lowercased() == host && (place.port ?? $0.port) == $0.port }
        if !same.isEmpty { return same }
        if isDomain(place) { return nil }
        var kinds: [ConnectionSecurity] = []
        for endpoint in known where !kinds.contains(endpoint.security) { kinds.append(endpoint.security) }
        if kinds.isEmpty { kinds = [.startTLS] }
        return kinds.map { kind in
            ServerEndpoint(host: place.host, port: place.port ?? (kind == .directTLS ? 5223 : 5222), security: kind)
        }
    }

    /// Where a place is that a server of a domain has named. Only what DNS says of the domain tells whether the place
    /// has to be looked up, too: both are asked for at once.
    ///
    /// - Parameter servers: finds a domain's servers.
    static func endpoints(
        at place: ServerLocation, amongServersOf domain: String,
        finding servers: @escaping @Sendable (String) async throws -> [ServerEndpoint]
    ) async throws -> [ServerEndpoint] {
        async let others = isDomain(place) ? servers(place.host) : []
        if let endpoints = endpoints(at: place, among: try await servers(domain)) { return endpoints }
        return try await others
    }

    /// Whether DNS may know more of a place: it is a name, without a port.
    private static func isDomain(_ place: ServerLocation) -> Bool {
        let isAddress =
            place.host.contains(":")
            || place.host.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || $0 == UInt8(ascii: ".") }
        return place.port == nil && !isAddress
    }

    /// What name servers say of a name; nothing if they do not say it in time.
    static func records(
        of name: String, within limit: Duration, from nameServer: sockaddr_in?
    ) async throws -> [ServiceRecord] {
        try await answer(within: limit) {
            var answer = [UInt8](repeating: 0, count: longestAnswer)
            let nameServers = nameServer.map { [$0] }
            let length = stanza_query_srv(name, nameServers, &answer, Int32(answer.count))
            return ServiceAnswer.records(in: Array(answer.prefix(max(0, Int(length)))))
        } ?? []
    }

    /// Whoever connects again and again while name servers say nothing does not hold up more threads than these.
    private static let threads = threads(atMost: 16)

    static func threads(atMost count: Int) -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = count
        return queue
    }

    /// What a resolver says. It holds up a thread, which therefore is none of the tasks', and which nobody waits for
    /// who is cancelled, or has waited for so long: then it is `nil`.
    static func answer<Value: Sendable>(
        within limit: Duration, on threads: OperationQueue = threads, _ resolve: @escaping @Sendable () -> Value
    ) async throws -> Value? {
        let race = Race<Value?>()
        threads.addOperation {
            // Whoever has waited for a thread may be gone.
            if !race.hasEnded { race.end(.success(resolve())) }
        }
        let alarm = Task {
            try await Task.sleep(for: limit)
            race.end(.success(nil))
        }
        defer { alarm.cancel() }
        return try await withTaskCancellationHandler {
            try await race.value()
        } onCancel: {
            race.giveUp()
        }
    }

    /// What a name server may send.
    private static let longestAnswer = 1 << 16
}
