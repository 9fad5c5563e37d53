// Where an account's servers are: what DNS says (RFC 6120 §3.2, XEP-0368). What is found there has to prove that it is the
// domain's by its certificate, whatever DNS says.

import CResolv
import Dispatch

/// Finds the servers of a domain.
enum ServerFinder {
    /// The servers to try, in order; none if the domain says that it has none.
    static func endpoints(of domain: String) async -> [ServerEndpoint] {
        guard let domain = TLSContext.asciiName(of: domain) else { return [] }
        async let direct = records(of: "_xmpps-client._tcp.\(domain)")
        async let ordinary = records(of: "_xmpp-client._tcp.\(domain)")
        var generator = SystemRandomNumberGenerator()
        return endpoints(of: domain, direct: await direct, ordinary: await ordinary, using: &generator)
    }

    /// Both kinds count as one set (XEP-0368 §5).
    static func endpoints(
        of domain: String, direct: [ServiceRecord], ordinary: [ServiceRecord],
        using generator: inout some RandomNumberGenerator
    ) -> [ServerEndpoint] {
        let all =
            direct.map { (record: $0, value: endpoint($0, .directTLS)) }
            + ordinary.map { (record: $0, value: endpoint($0, .startTLS)) }
        // Who says nothing has a server of the domain's name; who names nothing has none.
        if all.isEmpty { return [ServerEndpoint(host: domain, port: 5222, security: .startTLS)] }
        return ServiceRecord.ordered(all.filter { !$0.record.target.isEmpty && $0.record.port > 0 }, using: &generator)
    }

    private static func endpoint(_ record: ServiceRecord, _ security: ConnectionSecurity) -> ServerEndpoint {
        ServerEndpoint(host: record.target, port: record.port, security: security)
    }

    /// The resolver holds up a thread, which therefore is none of the tasks'.
    private static func records(of name: String) async -> [ServiceRecord] {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var answer = [UInt8](repeating: 0, count: longestAnswer)
                let length = stanza_query_srv(name, &answer, Int32(answer.count))
                let bytes = Array(answer.prefix(max(0, Int(length))))
                continuation.resume(returning: ServiceAnswer.records(in: bytes))
            }
        }
    }

    /// What a name server may send.
    private static let longestAnswer = 1 << 16
}
