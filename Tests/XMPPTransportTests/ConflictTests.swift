// Conflicts about a resource: the program that loses one requests another resource, a limited number of times.

import Locking
import ServerSupport
import StreamManagement
import TestSupport
import Testing

@testable import XMPPTransport

@Suite(.endsInTime) struct ConflictTests: HostileServers {
    // MARK: The choice

    @Test("Each conflict changes the resource, which keeps its beginning, and the fourth in a row is an error")
    func choice() throws {
        let start = ContinuousClock.now
        var choice = ResourceChoice(configured: "bot")
        #expect(choice.requested == "bot")
        for (seconds, suffix) in [(0, "a"), (1, "b"), (3600, "c")] {
            try choice.noteConflict(at: start + .seconds(seconds), suffix: suffix)
            #expect(choice.requested == "bot-\(suffix)")
        }
        for suffix in ["d", "e"] {
            #expect(throws: XMPPConnectionError.resourceConflict("bot")) {
                try choice.noteConflict(at: start + .seconds(7200), suffix: suffix)
            }
            #expect(choice.requested == "bot-\(suffix)")
        }
        // Much later, a conflict is a new one.
        try choice.noteConflict(at: start + .seconds(7200 + 3601), suffix: "f")
        #expect(choice.requested == "bot-f")
    }

    @Test("A long resource stays within the limit of an address, and the server still chooses if none is configured")
    func lengths() throws {
        for configured in [String(repeating: "x", count: 1023), String(repeating: "\u{1F600}", count: 255)] {
            var choice = ResourceChoice(configured: configured)
            try choice.noteConflict(at: .now, suffix: "abc")
            let requested = try #require(choice.requested)
            #expect(requested.hasSuffix("-abc") && (1019...1023).contains(requested.utf8.count))
        }
        var choice = ResourceChoice(configured: nil)
        try choice.noteConflict(at: .now, suffix: "abc")
        #expect(choice.requested == nil)
    }

    @Test("The error names the cause, the resource and the repair") func text() {
        let error = XMPPConnectionError.resourceConflict("bot")
        #expect(error.isFinal && "\(error)".contains("another connection") && "\(error)".contains(": bot)"))
        #expect("\(XMPPConnectionError.resourceConflict(nil))".contains("again and again: the server"))
    }

    // MARK: Binding

    private static let conflict =
        "<error type='modify'><conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>"

    /// Reads a request to bind, and returns its `id` and its resource.
    private static func hearBinding(_ server: ScriptedConnection) async throws -> (id: String, resource: String) {
        let request = try await server.hear("</iq>")
        let id = request.firstMatch(of: /id=['"]([^'"]*)['"]/).map { String($0.1) } ?? ""
        return (id, request.firstMatch(of: /<resource>([^<]*)</).map { String($0.1) } ?? "")
    }

    /// Connects to a server that answers this many bindings with a conflict, and binds.
    private func bind(after count: Int) async throws -> (Result<String, any Error>, requested: [String]) {
        let resources = Listed<String>()
        let (connected, server) = try await connect(change: { $0.resource = "bot" }) { server in
            try await server.logIn()
            try await server.open(ScriptedConnection.bindFeature)
            for number in 0... {
                let (id, resource) = try await Self.hearBinding(server)
                resources.add(resource)
                let answer =
                    number < count
                    ? "<iq type='error' id='\(id)'>\(Self.conflict)</iq>"
                    : "<iq type='result' id='\(id)'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
                        + "<jid>alice@localhost/\(resource)</jid></bind></iq>"
                try await server.say(answer)
            }
        }
        let result = await Task { try await connected.transport.bind() }.result
        withExtendedLifetime(server) {}
        return (result, resources.all)
    }

    @Test("A taken resource is followed by another one on the same stream") func takenResource() async throws {
        let (result, requested) = try await bind(after: 3)
        #expect(requested.count == 4 && Set(requested).count == 4)
        #expect(requested.first == "bot" && requested.allSatisfy { $0.hasPrefix("bot") })
        #expect(try result.get() == "alice@localhost/\(requested.last ?? "")")
    }

    @Test("A server that refuses every resource gets a limited number of requests") func endlessConflict() async throws
    {
        let (result, requested) = try await bind(after: .max)
        #expect(throws: XMPPConnectionError.resourceConflict("bot")) { try result.get() }
        #expect(requested.count == 4)
    }

    // MARK: Live sessions

    @Test("Two programs whose connections a server ends for each other stop fighting, and learn the cause")
    func fight() async throws {
        let resources = Listed<String>()
        // It allows one connection of the account.
        let server = try await ScriptedServer { server in
            try await server.logIn()
            try await server.open(ScriptedConnection.bindFeature)
            let (id, resource) = try await Self.hearBinding(server)
            resources.add(resource)
            try await server.say(
                "<iq type='result' id='\(id)'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
                    + "<jid>alice@localhost/\(resource)</jid></bind></iq>")
            try await server.say(
                "<stream:error><conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>")
            try await server.wait()
        }
        let connector = try connector(to: server) { $0.resource = "bot" }
        let session = try await StreamSession(
            account: "alice@localhost", storage: MemoryStorage(), configuration: .patient)
        var policy = ReconnectionPolicy()
        policy.first = .milliseconds(1)
        policy.maximum = .milliseconds(1)
        let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
        await #expect(throws: XMPPConnectionError.resourceConflict("bot")) { try await run.value }
        #expect(resources.all.count == 4 && Set(resources.all).count == 4)
        #expect(resources.all.first == "bot" && resources.all.dropFirst().allSatisfy { $0.hasPrefix("bot-") })
        await session.close()
    }

    @Test("Two programs with one resource share an account of a real server", arguments: ServerKind.tested)
    func realServers(kind: ServerKind) async throws {
        let server = try await SharedServers.all.server(kind, for: "transport")
        var sessions: [(StreamSession, Task<StreamEnd, any Error>)] = []
        let conflicts = Counter()
        var policy = ReconnectionPolicy()
        policy.first = .milliseconds(50)
        for _ in 1...2 {
            var configuration = try RealServerTests.configuration(.startTLS, server)
            configuration.resource = "bot"
            let connector = try XMPPConnector(
                account: "alice@localhost", password: Password("secret"), configuration: configuration)
            let session = try await StreamSession(
                account: "alice@localhost", storage: MemoryStorage(), configuration: .patient)
            let events = await session.events()
            Task {
                for await event in events {
                    if case .disconnected(let end) = event, end.streamError?.condition == "conflict" {
                        conflicts.next()
                    }
                }
            }
            let run = Task { [policy] in try await session.run(connecting: connector, policy: policy) }
            try await eventually("a program is connected") { await session.state == .enabled }
            sessions.append((session, run))
        }
        let (first, second) = (sessions[0].0, sessions[1].0)
        try await eventually("the first program is connected again") {
            let address = await first.address
            return await first.state == .enabled && address?.hasPrefix("alice@localhost/bot-") == true
        }
        #expect(await second.address == "alice@localhost/bot")
        #expect(await second.state == .enabled && conflicts.value == 1)
        for (session, run) in sessions {
            await session.close()
            _ = try await run.value
        }
    }
}

/// A list that grows.
private final class Listed<Item: Sendable>: Sendable {
    private let items = Lock<[Item]>([])

    var all: [Item] { items.withLock(\.self) }

    func add(_ item: Item) { items.withLock { $0.append(item) } }
}
