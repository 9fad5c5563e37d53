// Finds an account's servers in DNS (RFC 6120 §3.2, XEP-0368). DNS proves nothing: the server's certificate has to be
// for the account's domain.

import CResolv
import Foundation
import StreamManagement
import XMPPCore

/// Finds the servers of a domain.
enum ServerFinder {
    /// Finds the servers to try, in order; empty if the domain declares that it has none.
    ///
    /// - Parameters:
    ///   - limit: how long name servers may take; later answers are ignored.
    ///   - nameServer: the name server to ask; `nil` for the system's name servers.
    /// - Throws: `CancellationError`.
    static func endpoints(
        of domain: String, within limit: Duration, from nameServer: sockaddr_in? = nil
    ) async throws -> [ServerEndpoint] {
        let domain = asciiDomain(domain)
        async let direct = records(of: "_xmpps-client._tcp.\(domain)", within: limit, from: nameServer)
        async let ordinary = records(of: "_xmpp-client._tcp.\(domain)", within: limit, from: nameServer)
        let (xmpps, xmpp) = (try await direct, try await ordinary)
        var generator = SystemRandomNumberGenerator()
        return endpoints(of: domain, direct: xmpps, ordinary: xmpp, using: &generator)
    }

    /// The form of a domain for DNS and certificates. The host of a redirection need not be a domain of addresses.
    static func asciiDomain(_ domain: String) -> String { (try? JID(domain: domain))?.asciiDomain ?? domain }

    /// Both kinds count as one set (XEP-0368 §5).
    static func endpoints(
        of domain: String, direct: [ServiceRecord], ordinary: [ServiceRecord],
        using generator: inout some RandomNumberGenerator
    ) -> [ServerEndpoint] {
        let all =
            direct.map { (record: $0, value: endpoint($0, .directTLS)) }
            + ordinary.map { (record: $0, value: endpoint($0, .startTLS)) }
        // A domain without records has a server of its own name; a domain with an empty target has none. No direct TLS
        // does not mean no STARTTLS.
        if ordinary.isEmpty, direct.allSatisfy(\.target.isEmpty) {
            return [ServerEndpoint(host: domain, port: 5222, security: .startTLS)]
        }
        return ServiceRecord.ordered(all.filter { !$0.record.target.isEmpty && $0.record.port > 0 }, using: &generator)
    }

    private static func endpoint(_ record: ServiceRecord, _ security: ConnectionSecurity) -> ServerEndpoint {
        ServerEndpoint(host: record.target, port: record.port, security: security)
    }

    /// The endpoints of a place that a server has named. They use the encryption of the domain's servers, or of the
    /// server with that name.
    ///
    /// - Parameter known: the domain's servers, or the one that sent the redirection.
    /// - Returns: `nil` for another host's name without a port: that name has to be looked up in DNS (RFC 6120
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

    /// The endpoints of a place that a server of a domain has named. Only the domain's own records decide whether the
    /// place must be looked up, so both look-ups run at once.
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

    /// Whether DNS may have more data about a place: it is a name, without a port.
    private static func isDomain(_ place: ServerLocation) -> Bool {
        let isAddress =
            place.host.contains(":")
            || place.host.utf8.allSatisfy { ($0 >= 0x30 && $0 <= 0x39) || $0 == UInt8(ascii: ".") }
        return place.port == nil && !isAddress
    }

    /// The records that name servers have for a name; none if the answer does not arrive in time.
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

    /// Repeated connection attempts with silent name servers block at most this many threads.
    private static let threads = threads(atMost: 16)

    static func threads(atMost count: Int) -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = count
        return queue
    }

    /// A resolver's answer. The resolver blocks a thread outside the task pool. A canceled caller, or one past its
    /// limit, stops waiting and gets `nil`.
    static func answer<Value: Sendable>(
        within limit: Duration, on threads: OperationQueue = threads, _ resolve: @escaping @Sendable () -> Value
    ) async throws -> Value? {
        let race = Race<Value?>()
        threads.addOperation {
            // The caller may have left before a thread was free.
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

    /// The size limit of a name server's answer.
    private static let longestAnswer = 1 << 16
}
