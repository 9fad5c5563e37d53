// Finding servers: hostile DNS answers, the order of attempts, and redirects by servers.

import Foundation
import Locking
import ServerSupport
import StreamManagement
import TestSupport
import Testing
import XMLTree
import XMPPCore

@testable import XMPPTransport

@Suite(.endsInTime) struct FindingTests: HostileServers {
    /// An answer with records for one name.
    static func answer(_ records: [DNSQuery.Record], type: UInt8 = 33) -> [UInt8] {
        DNSQuery(name: "_xmpp-client._tcp.example.org").answer(records, type: type)
    }

    @Test("Records are read, with names that point back") func records() {
        let pointer: [UInt8] = [1, UInt8(ascii: "a"), 0xC0, 12 + 18]
        let bytes = Self.answer([
            (1, 2, 5223, DNSQuery.name("xmpp.example.org")), (3, 4, 5222, pointer), (5, 0, 0, [0]),
        ])
        #expect(
            ServiceAnswer.records(in: bytes) == [
                ServiceRecord(priority: 1, weight: 2, port: 5223, target: "xmpp.example.org"),
                ServiceRecord(priority: 3, weight: 4, port: 5222, target: "a.example.org"),
                ServiceRecord(priority: 5, weight: 0, port: 0, target: ""),
            ])
        #expect(ServiceAnswer.records(in: Self.answer([(1, 2, 3, DNSQuery.name("a"))], type: 1)) == [])
    }

    @Test("Malformed answers have no records") func malformed() {
        let good = Self.answer([(1, 2, 5223, DNSQuery.name("a.example"))])
        #expect(ServiceAnswer.records(in: good).count == 1)
        // The end is missing, for any length.
        for count in good.indices { #expect(ServiceAnswer.records(in: Array(good.prefix(count))) == []) }
        let start = 12 + 31 + 4
        // A name that points to itself, forwards, or past the end; invalid names.
        for target: [UInt8] in [
            [0xC0, UInt8(start + 18)], [0xC0, 255], [0xFF, 255], [0x80, 0], [0x40, 1, 0], DNSQuery.name("a b"),
            [1, 0, 0], [200],
        ] {
            #expect(ServiceAnswer.records(in: Self.answer([(1, 2, 3, target)])) == [])
        }
        // An error of the server.
        var refused = good
        refused[3] |= 3
        #expect(ServiceAnswer.records(in: refused) == [])
    }

    @Test("A record that names no host does not discard the others") func oddLabel() {
        let bytes = Self.answer([
            (1, 2, 5222, DNSQuery.name("bad host")), (3, 4, 5222, DNSQuery.name("good.example")),
            (5, 6, 5222, DNSQuery.name("b\u{FC}cher.example")), (7, 8, 5223, [0]),
        ])
        #expect(ServiceAnswer.records(in: bytes).map(\.target) == ["good.example", ""])
    }

    @Test("There are never more records than a domain has servers") func limit() {
        let records = [DNSQuery.Record](repeating: (1, 1, 1, DNSQuery.name("a")), count: 200)
        #expect(ServiceAnswer.records(in: Self.answer(records)).count == ServiceAnswer.mostRecords)
    }

    @Test("Reading ends for any answer") func anything() {
        var generator = SeededGenerator(salt: 0xD45)
        let good = Self.answer([(1, 2, 5223, DNSQuery.name("xmpp.example.org")), (3, 4, 5222, [0xC0, 12])])
        for _ in 0..<SeededGenerator.cases(default: 5000) {
            var bytes = good
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = generator.pick([0, 0xC0, 0xFF, 1, 12, 63])
            }
            for record in ServiceAnswer.records(in: bytes) { #expect(record.target.utf8.count <= 255) }
        }
    }

    @Test("RFC 2782: by priority, and by weight among equals") func order() {
        var generator = SeededGenerator(salt: 0xD46)
        let records = [(20, 0), (10, 90), (10, 9), (10, 0)].map { priority, weight in
            (
                record: ServiceRecord(priority: UInt16(priority), weight: UInt16(weight), port: 1, target: "a"),
                value: weight + priority
            )
        }
        var first: [Int: Int] = [:]
        for _ in 0..<1000 {
            let order = ServiceRecord.ordered(records, using: &generator)
            #expect(order.sorted() == [10, 19, 20, 100].sorted())
            #expect(order.last == 20)
            first[order[0], default: 0] += 1
        }
        #expect(first[100, default: 0] > 700 && first[19, default: 0] > 20 && first[10, default: 0] > 0)
        // Small weights have the same ratio as large ones.
        let light = [1, 3].map { weight in
            (record: ServiceRecord(priority: 0, weight: UInt16(weight), port: 1, target: "a"), value: weight)
        }
        let count = (0..<4000).count { _ in ServiceRecord.ordered(light, using: &generator).first == 1 }
        #expect((850...1150).contains(count))
        let weightless = (0..<3).map { value in
            (record: ServiceRecord(priority: 0, weight: 0, port: 1, target: "a"), value: value)
        }
        #expect(Set((0..<100).map { _ in ServiceRecord.ordered(weightless, using: &generator)[0] }).count == 3)
        // The largest possible weights.
        let heavy = Array(
            repeating: (record: ServiceRecord(priority: 0, weight: .max, port: 1, target: "a"), value: 0), count: 32)
        #expect(ServiceRecord.ordered(heavy, using: &generator).count == 32)
    }

    @Test("XEP-0368: both kinds are one set; no records mean the domain itself, an empty target none") func endpoints()
    {
        var generator = SeededGenerator(salt: 0xD47)
        func record(_ priority: UInt16, _ target: String) -> ServiceRecord {
            ServiceRecord(priority: priority, weight: 0, port: 1, target: target)
        }
        func hosts(_ direct: [ServiceRecord], _ ordinary: [ServiceRecord]) -> [String] {
            ServerFinder.endpoints(of: "example.org", direct: direct, ordinary: ordinary, using: &generator)
                .map { "\($0.host) \($0.security)" }
        }
        #expect(hosts([], []) == ["example.org startTLS"])
        #expect(
            hosts([record(2, "b"), record(4, "d")], [record(1, "a"), record(3, "c")])
                == ["a startTLS", "b directTLS", "c startTLS", "d directTLS"])
        #expect(hosts([record(0, "")], [record(1, "a")]) == ["a startTLS"])
        #expect(hosts([], [record(0, "")]) == [])
        #expect(hosts([record(0, "")], [record(0, "")]) == [])
        #expect(hosts([record(0, "")], []) == ["example.org startTLS"])
        #expect(hosts([record(0, "a")], []) == ["a directTLS"])
    }

    @Test("A location that a server names is treated like the domain's servers; DNS resolves other names")
    func places() throws {
        let direct = ServerEndpoint(host: "a.example.org", port: 443, security: .directTLS)
        let ordinary = ServerEndpoint(host: "b.example.org", port: 5222, security: .startTLS)
        func endpoints(_ place: String, _ known: [ServerEndpoint]) throws -> [String]? {
            ServerFinder.endpoints(at: try #require(ServerLocation(place)), among: known)?
                .map { "\($0.host) \($0.port) \($0.security)" }
        }
        #expect(try endpoints("A.example.org", [ordinary, direct]) == ["a.example.org 443 directTLS"])
        #expect(try endpoints("a.example.org:443", [direct]) == ["a.example.org 443 directTLS"])
        // Another port or host is encrypted in the same way as the known ones.
        #expect(try endpoints("a.example.org:444", [direct]) == ["a.example.org 444 directTLS"])
        #expect(try endpoints("c.example.org:1", [direct, direct]) == ["c.example.org 1 directTLS"])
        #expect(
            try endpoints("c.example.org:1", [direct, ordinary]) == [
                "c.example.org 1 directTLS", "c.example.org 1 startTLS",
            ])
        #expect(
            try endpoints("192.0.2.1", [ordinary, direct]) == ["192.0.2.1 5222 startTLS", "192.0.2.1 5223 directTLS"])
        #expect(try endpoints("[2001:db8::1]:7", [ordinary]) == ["2001:db8::1 7 startTLS"])
        #expect(try endpoints("[2001:db8::1]", []) == ["2001:db8::1 5222 startTLS"])
        #expect(try endpoints("c.example.org", [direct]) == nil)
    }

    @Test("A name from a server is looked up at the same time as the domain, not after it")
    func bothAtOnce() async throws {
        let own = ServerEndpoint(host: "a.example.org", port: 443, security: .directTLS)
        let other = ServerEndpoint(host: "b.example.org", port: 1, security: .startTLS)
        let asked = Lock<[String]>([])
        func endpoints(_ place: String, isLookedUp: Bool = true) async throws -> [ServerEndpoint] {
            try await ServerFinder.endpoints(
                at: try #require(ServerLocation(place)), amongServersOf: "example.org"
            ) { name in
                asked.withLock { $0.append(name) }
                switch name {
                case "example.org":
                    try await eventually("both names are looked up") {
                        !isLookedUp || asked.withLock { $0.contains(place) }
                    }
                    return [own]
                // The test ends without waiting for an unneeded answer.
                case own.host: try await Task.sleep(for: .seconds(3600))
                default: break
                }
                return [other]
            }
        }
        #expect(try await endpoints("c.example.org") == [other])
        #expect(try await endpoints(own.host) == [own])
        asked.withLock { $0 = [] }
        // DNS has no SRV records for these.
        for place in ["192.0.2.1", "c.example.org:1"] {
            #expect(try await endpoints(place, isLookedUp: false).count == 1)
        }
        #expect(asked.withLock(\.self) == ["example.org", "example.org"])
    }

    @Test("The system's resolver answers, and an unknown domain is its own server")
    func resolver() async throws {
        // RFC 6761 reserves this name, so it never has an owner.
        let endpoints = try await ServerFinder.endpoints(of: "missing.invalid", within: .seconds(600))
        #expect(endpoints == [ServerEndpoint(host: "missing.invalid", port: 5222, security: .startTLS)])
    }

    @Test("A name in another script is looked up in A-labels, also one that is too long for DNS", arguments: [3, 60])
    func scripts(length: Int) async throws {
        let domain = String(repeating: "ü", count: length) + ".invalid"
        let endpoints = try await ServerFinder.endpoints(of: domain, within: .seconds(600))
        #expect(endpoints.count == 1)
        #expect(endpoints.allSatisfy { $0.host.hasPrefix("xn--") })
    }

    // MARK: Redirects by servers

    private static func redirect(_ server: ScriptedConnection, to port: UInt16) async throws {
        try await complain("see-other-host", "127.0.0.1:\(port)", on: server)
    }

    private static func complain(
        _ condition: String, _ text: String = "", on server: ScriptedConnection
    ) async throws {
        try await server.hear("xmlns:stream='http://etherx.jabber.org/streams'>")
        try await server.say(
            ScriptedConnection.header
                + "<stream:error><\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-streams'>\(text)"
                + "</\(condition)></stream:error></stream:stream>")
        try await server.wait()
    }

    @Test("The client follows a redirection only if no attacker can have sent it") func redirection() async throws {
        let target = try await ScriptedServer(.localhost) { server in
            try await server.logIn()
            try await server.open(ScriptedConnection.sm)
            try await server.wait()
        }
        let port = target.port
        let secure = try await ScriptedServer(.localhost) { try await Self.redirect($0, to: port) }
        #expect(try await connector(to: secure, .directTLS).connect().isEncrypted)
        let open = try await ScriptedServer { try await Self.redirect($0, to: port) }
        let failure = await #expect(throws: XMPPConnectionError.self) {
            try await connector(to: open, .unencrypted).connect()
        }
        guard case .streamError(let error)? = failure else {
            Issue.record("expected the redirection as an error, found \(String(describing: failure))")
            return
        }
        #expect(error.otherHost == ServerLocation("127.0.0.1:\(port)"))
    }

    @Test("Errors of a server found by redirection are not final, except those about the account")
    func errorsElsewhere() async throws {
        let broken = try await ScriptedServer(.localhost) { try await Self.complain("host-unknown", on: $0) }
        let strict = try await ScriptedServer(.localhost) { server in
            try await server.logIn("SCRAM-SHA-256", SCRAMServer(password: "other"))
            try await server.wait()
        }
        func failure(behind target: ScriptedServer) async throws -> XMPPConnectionError? {
            let port = target.port
            let first = try await ScriptedServer(.localhost) { try await Self.redirect($0, to: port) }
            return await #expect(throws: XMPPConnectionError.self) {
                try await connector(to: first, .directTLS).connect()
            }
        }
        guard case .streamError(let error)? = try await failure(behind: broken) else {
            Issue.record("expected the stream error")
            return
        }
        #expect(error.condition == "host-unknown" && !error.isFinal)
        let direct = await #expect(throws: XMPPConnectionError.self) {
            try await connector(to: broken, .directTLS).connect()
        }
        #expect(direct?.isFinal == true)
        #expect(try await failure(behind: strict)?.isFinal == true)
    }

    @Test("The client gives up servers that redirect it in circles") func circles() async throws {
        let count = Counter()
        let port = Lock<UInt16>(0)
        let server = try await ScriptedServer(.localhost) { server in
            count.next()
            try await Self.redirect(server, to: port.withLock(\.self))
        }
        port.withLock { $0 = server.port }
        await #expect(throws: XMPPConnectionError.tooManyRedirections) {
            try await connector(to: server, .directTLS).connect()
        }
        #expect(count.value == 4)
    }

    @Test("A connection to a location requires the certificate of the account's domain") func location() async throws {
        let elsewhere = try await ScriptedServer(ServerIdentity(domain: "elsewhere.example")) { try await $0.wait() }
        let good = try await ScriptedServer(.localhost) { server in
            try await server.logIn()
            try await server.open(ScriptedConnection.sm)
            try await server.wait()
        }
        let connector = try connector(to: good, .directTLS)
        #expect(try await connector.connect(to: ServerLocation("127.0.0.1:\(good.port)")).isEncrypted)
        await #expect(throws: XMPPConnectionError.certificateRejected("it is not for localhost")) {
            try await connector.connect(to: ServerLocation("127.0.0.1:\(elsewhere.port)"))
        }
    }

    /// DNS has no servers of this domain.
    @Test("Without a configured server, a location and its redirect are treated like the domain's servers")
    func placesOfADomain() async throws {
        let identity = ServerIdentity(domain: "missing.invalid")
        let target = try await ScriptedServer { server in
            server.domain = identity.domain
            try await server.encrypt(as: identity)
            try await server.logIn()
            try await server.open(ScriptedConnection.sm)
            try await server.wait()
        }
        let port = target.port
        let place = try await ScriptedServer { server in
            server.domain = identity.domain
            try await server.encrypt(as: identity)
            try await Self.redirect(server, to: port)
        }
        let configuration = try XMPPConnectorConfiguration.testing()
        let connector = try XMPPConnector(
            account: "alice@missing.invalid", password: Password("secret"), configuration: configuration)
        #expect(try await connector.connect(to: ServerLocation("127.0.0.1:\(place.port)")).isEncrypted)
        withExtendedLifetime((target, place)) {}
    }

    @Test("A host without a server is an error that names it") func hostWithoutServer() async throws {
        var configuration = XMPPConnectorConfiguration()
        configuration.timeouts = .patient
        configuration.server = ServerEndpoint(host: "127.0.0.1", port: 1, security: .startTLS)
        let connector = try XMPPConnector(
            account: "alice@localhost", password: Password("secret"), configuration: configuration)
        let failure = await #expect(throws: XMPPConnectionError.self) { try await connector.connect() }
        guard case .notConnected("127.0.0.1", 1, _)? = failure else {
            Issue.record("expected an error that names the host, found \(String(describing: failure))")
            return
        }
        #expect(failure?.isFinal == false)
        // The user gets a plain sentence, and no text of NIO.
        #expect(failure?.description.contains("refuses connections") == true)
        #expect(failure?.description.contains("errno") == false && failure?.description.contains("NIO") == false)
    }

    @Test("Errors that another attempt would meet again are final") func finality() throws {
        func streamError(_ condition: String) throws -> XMPPConnectionError {
            let text = """
                <error xmlns='http://etherx.jabber.org/streams'>\
                <\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></error>
                """
            return .streamError(try #require(ReceivedStreamError(try Element(parsing: text))))
        }
        let wrong = XMPPConnectionError.authenticationFailed(condition: "not-authorized", text: nil)
        let unknown = try streamError("host-unknown")
        let rejected = XMPPConnectionError.certificateRejected("")
        let down = XMPPConnectionError.notConnected(host: "a", port: 1, reason: "")
        for error in [
            wrong, unknown, try streamError("not-authorized"), .passwordNeeded, .tasksNeeded([]),
            .wrongAccount("a@b", expected: "c@d"), .serverNotAuthentic(.refused("invalid-proof")),
            .serverNotAuthentic(.refused("unknown-user")), .serverNotAuthentic(.refused("invalid-username-encoding")),
        ] { #expect(error.isFinal) }
        for condition in [
            "remote-connection-failed", "system-shutdown", "resource-constraint", "see-other-host", "conflict", "reset",
        ] {
            #expect(try !streamError(condition).isFinal)
        }
        #expect(!XMPPConnectionError.authenticationFailed(condition: "temporary-auth-failure", text: nil).isFinal)
        // An attacker on the path can cause these.
        let stripped: [XMPPConnectionError] = [
            .noMechanism(offered: ["PLAIN"]), .weakerMechanism("PLAIN", remembered: "SCRAM-SHA-1"),
            .serverNotAuthentic(.offerChanged), .serverNotAuthentic(.refused("channel-bindings-dont-match")),
        ]
        for error in [down, rejected, .encryptionNotOffered, .encryptionRefused] + stripped {
            #expect(!error.isFinal)
        }
        // A wrong password concerns the account. The other errors concern one server: another server of the domain may
        // have a certificate or know the host.
        #expect(wrong.isOfAccount && !unknown.isOfAccount && !rejected.isOfAccount)
        // While one of the servers may return, no error is final.
        #expect(down.orRather(unknown) == down && unknown.orRather(down) == down)
        #expect(unknown.orRather(rejected) == rejected && down.orRather(.connectionLost) == .connectionLost)
        // The error about security is reported, also if another server is only down.
        #expect(down.orRather(rejected) == rejected && rejected.orRather(down) == rejected)
        #expect(rejected.orRather(.encryptionNotOffered) == .encryptionNotOffered)
        let plainOnly = XMPPConnectionError.noMechanism(offered: ["PLAIN"], isFinal: true)
        #expect(plainOnly.isFinal && !plainOnly.isOfAccount && unknown.orRather(plainOnly).isFinal)
        #expect(down.orRather(plainOnly) == stripped[0] && plainOnly.orRather(down) == stripped[0])
        let unbound = XMPPConnectionError.noChannelBinding(kinds: ["x"], isFinal: true)
        #expect(unbound.isFinal && down.orRather(unbound) == .noChannelBinding(kinds: ["x"]))
        for error in stripped {
            #expect(!error.isOfAccount && down.orRather(error) == error && error.orRather(down) == error)
        }
    }

    @Test("A header names the client's account only on an encrypted stream") func headers() throws {
        let account: JID = "Juliet@Example.org/balcony"
        let open = String(decoding: StreamHeader.bytes(to: account.domain, from: nil), as: UTF8.self)
        #expect(open.contains(" to='example.org' version='1.0'") && !open.contains("juliet"))
        let secure = String(decoding: StreamHeader.bytes(to: account.domain, from: account), as: UTF8.self)
        #expect(secure.contains(" from='juliet@example.org' "))
    }
}
