// The system's resolver, with a name server on the loopback interface: its answers, its errors and its silence. The
// tests query no other name server.

import TestSupport
import Testing

@testable import XMPPTransport

@Suite(.endsInTime) struct ResolverTests {
    private static let ordinary = "_xmpp-client._tcp.example.test"
    private static let direct = "_xmpps-client._tcp.example.test"
    /// The one endpoint of a domain without records in DNS.
    private static let itself = [ServerEndpoint(host: "example.test", port: 5222, security: .startTLS)]

    private static func target(_ host: String) -> [UInt8] { DNSQuery.name(host + ".example.test") }

    private static func endpoint(_ host: String, _ port: UInt16, _ security: ConnectionSecurity) -> ServerEndpoint {
        ServerEndpoint(host: host + ".example.test", port: port, security: security)
    }

    @Test("Records arrive as the name server has sent them") func records() async throws {
        let server = try await NameServer { query in
            [query.answer([(10, 0, 5222, Self.target("a")), (5, 65_535, 443, Self.target("b")), (10, 20, 0, [0])])]
        }
        #expect(
            try await server.records(of: Self.ordinary) == [
                ServiceRecord(priority: 10, weight: 0, port: 5222, target: "a.example.test"),
                ServiceRecord(priority: 5, weight: 65_535, port: 443, target: "b.example.test"),
                ServiceRecord(priority: 10, weight: 20, port: 0, target: ""),
            ])
    }

    @Test("Both kinds of servers are looked up, and form one order") func endpoints() async throws {
        let server = try await NameServer { query in
            [
                query.name == Self.direct
                    ? query.answer([(20, 3, 443, Self.target("a")), (7, 0, 5223, Self.target("b"))])
                    : query.answer([(20, 1, 5222, Self.target("c")), (5, 0, 5222, Self.target("d"))])
            ]
        }
        let found = try await server.endpoints()
        #expect(
            Array(found.prefix(2)) == [Self.endpoint("d", 5222, .startTLS), Self.endpoint("b", 5223, .directTLS)])
        // These two have the same priority, so their order is random.
        #expect(
            Set(found.dropFirst(2)) == [Self.endpoint("a", 443, .directTLS), Self.endpoint("c", 5222, .startTLS)])
        #expect(found.count == 4)
        #expect(Set(server.asked.map(\.name)) == [Self.ordinary, Self.direct])
    }

    @Test("The root as a target means that the domain lacks the service") func root() async throws {
        let none = try await NameServer { [$0.answer([(0, 0, 0, [0])])] }
        #expect(try await none.endpoints() == [])
        let noDirect = try await NameServer { query in
            [query.answer([query.name == Self.direct ? (0, 0, 0, [0]) : (1, 0, 5222, Self.target("a"))])]
        }
        #expect(try await noDirect.endpoints() == [Self.endpoint("a", 5222, .startTLS)])
    }

    @Test(
        "Without a record, or with a failing name server, the domain is its own server",
        arguments: [DNSQuery.Outcome.noSuchName, .answered, .serverFailure, .refused])
    func nothing(outcome: DNSQuery.Outcome) async throws {
        let server = try await NameServer { [$0.answer([], outcome)] }
        #expect(try await server.endpoints() == Self.itself)
        #expect(Set(server.asked.map(\.name)) == [Self.ordinary, Self.direct])
    }

    @Test("A domain in another script is looked up in its DNS form") func script() async throws {
        let server = try await NameServer { [$0.answer([], .noSuchName)] }
        #expect(try await server.endpoints(of: "bücher.test").map(\.host) == ["xn--bcher-kva.test"])
        #expect(server.asked.map(\.name).contains("_xmpp-client._tcp.xn--bcher-kva.test"))
    }

    @Test("An answer that is too long for UDP arrives by TCP, up to nearly the limit") func truncation()
        async throws
    {
        let hosts = (0..<600).map { "\($0)." + String(repeating: "x", count: 60) }
        let server = try await NameServer { query in
            guard query.name == Self.ordinary else { return [query.answer([], .noSuchName)] }
            let records = hosts.enumerated().map { number, host in
                (UInt16(number), UInt16(0), UInt16(5222), Self.target(host))
            }
            return [query.isByTCP ? query.answer(records) : query.answer(Array(records.prefix(2)), .truncated)]
        }
        #expect(
            try await server.endpoints()
                == hosts.prefix(ServiceAnswer.mostRecords).map { Self.endpoint($0, 5222, .startTLS) })
        #expect(server.asked.contains { $0.isByTCP && $0.name == Self.ordinary })
    }

    @Test("Answers to other questions are ignored") func otherAnswers() async throws {
        let server = try await NameServer { query in
            guard query.name == Self.ordinary else { return [query.answer([], .noSuchName)] }
            var otherQuery = query
            otherQuery.id[0] ^= 1
            var otherName = query
            otherName.name = "_xmpp-client._tcp.elsewhere.test"
            let wrong = [otherQuery, otherName].map { $0.answer([(0, 0, 5222, Self.target("wrong"))]) }
            return wrong + [query.answer([(1, 0, 5222, Self.target("right"))])]
        }
        #expect(try await server.endpoints() == [Self.endpoint("right", 5222, .startTLS)])
    }

    @Test("Garbage has no records") func garbage() async throws {
        let scripts: [NameServer.Script] = [
            // Shorter than any answer.
            { _ in [[0xFF]] },
            { $0.isByTCP ? [[1, 2, 3, 4]] : [$0.answer([], .truncated)] },
            // The end is missing.
            { [$0.answer([(1, 0, 5222, Self.target("a"))]).dropLast(3)] },
            // The answer claims nine records.
            { query in
                var answer = query.answer([])
                answer[7] = 9
                return [answer + [UInt8](repeating: 0xFF, count: 400)]
            },
        ]
        for script in scripts {
            let server = try await NameServer(script)
            #expect(try await server.endpoints() == Self.itself)
            #expect(!server.asked.isEmpty)
        }
    }

    /// This takes the six seconds that the resolver waits.
    @Test("The resolver asks a silent name server twice, then gives up") func silence() async throws {
        let server = try await NameServer { _ in [] }
        #expect(try await server.endpoints() == Self.itself)
        for name in [Self.ordinary, Self.direct] {
            // The resolver has ended; the name server may not have received the last question yet.
            try await eventually("both questions have arrived") { server.asked.count { $0.name == name } >= 2 }
            #expect(server.asked.count { $0.name == name } == 2)
        }
    }

    /// The resolver itself would wait forever.
    @Test("A caller waits no longer than its own limit for an answer promised by TCP") func silenceByTCP() async throws
    {
        let server = try await NameServer { $0.isByTCP ? [] : [$0.answer([], .truncated)] }
        let finding = Task { try await server.endpoints() }
        try await eventually("both names are queried by TCP") {
            Set(server.asked.filter(\.isByTCP).map(\.name)) == [Self.ordinary, Self.direct]
        }
        finding.cancel()
        await #expect(throws: CancellationError.self) { try await finding.value }
        #expect(try await server.endpoints(within: .milliseconds(50)) == Self.itself)
    }
}
