// Stream management with real servers, on connections that the tests cut.

import Foundation
import ServerSupport
import StreamManagement
import TestSupport
import Testing
import XMLTree

@Suite(.serialized, .endsInTime) struct InteroperabilityTests {
    init() { ServerKind.tellWhatIsMissing() }

    /// A missing server is a failure, not a silence.
    @Test func serversAreThere() async throws {
        #expect(ServerKind.tested.contains(.prosody) || skipsProsody)
        #expect(ServerFailure.missing(.prosody).description.contains("STANZA_NO_PROSODY=1"))
        #expect(ServerFailure.missing(.ejabberd).description.contains("install the package ejabberd"))
    }

    @Test("Stanzas are acknowledged both ways, and a cut connection costs nothing", arguments: ServerKind.tested)
    func resumption(kind: ServerKind) async throws {
        let server = try await SharedServers.all.server(kind, for: "stream management")
        let (alice, bob) = try await TestAccount.pair(on: server)
        let (aliceAddress, bobAddress) = (await alice.address, await bob.address)
        #expect(aliceAddress.hasPrefix("alice@localhost/"))

        // Both ways, on a live stream.
        let ping = try await alice.session.send(
            element("<iq type='get' id='p1' to='localhost'><ping xmlns='urn:xmpp:ping'/></iq>"))
        #expect(await ping.outcome() == .acknowledged)
        let first = try await alice.say("a1", to: bobAddress)
        #expect(await first.outcome() == .acknowledged)
        try await bob.say("b1", to: aliceAddress)
        try await eventually("delivered") { await alice.messages == ["b1"] }
        try await eventually("answered") { await alice.received.contains { $0["id"] == "p1" } }

        // The connection breaks; both keep writing.
        try await alice.cut()
        #expect(await alice.session.canResume)
        for id in ["b2", "b3", "b4"] { try await bob.say(id, to: aliceAddress) }
        let waiting = try await alice.say("a2", to: bobAddress)
        #expect(waiting.state == .queued)
        try await alice.connect()
        #expect(await alice.session.didResume)
        #expect(await alice.address == aliceAddress)
        #expect(await waiting.outcome() == .acknowledged)
        try await eventually("replayed") { await alice.messages == ["b1", "b2", "b3", "b4"] }
        try await eventually("sent") { await bob.messages == ["a1", "a2"] }

        // Acknowledged stanzas are not replayed a second time.
        try await alice.session.sendAcknowledgement()
        try await alice.cut()
        try await alice.connect()
        try await bob.say("b5", to: aliceAddress)
        try await eventually("delivered once") { await alice.messages == ["b1", "b2", "b3", "b4", "b5"] }
        await alice.session.close()
        await bob.session.close()
    }

    @Test("Stanzas in flight when the connection breaks arrive once, in order", arguments: ServerKind.tested)
    func cutWhileSending(kind: ServerKind) async throws {
        let server = try await SharedServers.all.server(kind, for: "stream management")
        let (alice, bob) = try await TestAccount.pair(on: server)
        let bobAddress = await bob.address
        var sent: [SentStanza] = []
        for round in 0..<5 {
            for number in 0..<20 { sent.append(try await alice.say("m\(round * 20 + number)", to: bobAddress)) }
            try await alice.cut()
            try await alice.connect()
            #expect(await alice.session.didResume)
        }
        for stanza in sent { #expect(await stanza.outcome() == .acknowledged) }
        try await eventually("all arrive") { await bob.messages.count >= 100 }
        #expect(await bob.messages == (0..<100).map { "m\($0)" })
        await alice.session.close()
        await bob.session.close()
    }

    @Test("A session that the server does not know is not resumed, and a new one follows", arguments: ServerKind.tested)
    func wrongIdentifier(kind: ServerKind) async throws {
        let server = try await SharedServers.all.server(kind, for: "stream management")
        let storage = MemoryStorage()
        let store = try storage.open("alice@localhost")
        let stored = try StoredSession(
            resumption: ResumptionID("no-such-session").map { Resumption(id: $0, maximum: 600) },
            lastDisconnect: Date(),
            pending: [
                OutgoingStanza(
                    number: OutgoingNumber(rawValue: 1), id: "old",
                    element: element("<iq type='get' id='old' to='localhost'/>"), firstSent: Date(), isSent: true)
            ])
        try store.write([.replace(stored)])
        store.close()
        let alice = try await TestAccount("alice", on: server, storage: storage)
        let old = await alice.session.tracking(OutgoingNumber(rawValue: 1))
        try await alice.connect()
        #expect(await alice.session.didResume == false)
        #expect(await old?.outcome() == .unknown)
        try await eventually("reported") {
            await alice.events.contains { if case .notResumed = $0 { true } else { false } }
        }
        #expect(await alice.session.canResume == false)
        // The new session works.
        try await alice.cut()
        try await alice.connect()
        #expect(await alice.session.didResume)
        await alice.session.close()
    }

    @Test(
        "An expired session is not resumed; unacknowledged stanzas are sent again", arguments: ServerKind.tested
    )
    func timeIsOver(kind: ServerKind) async throws {
        let server = try await RunningServer(kind, resumptionTime: 1)
        let storage = MemoryStorage()
        let alice = try await TestAccount("alice", on: server, storage: storage)
        let bob = try await TestAccount("bob", on: server)
        try await alice.connect()
        try await bob.connect()
        let bobAddress = await bob.address
        #expect(await alice.session.resumptionTime == 1)
        #expect(await alice.session.probableExpiry == nil)
        try await alice.cut()
        let expiry = try #require(await alice.session.probableExpiry)
        #expect(expiry > .now - 1)
        let waiting = try await alice.say("a1", to: bobAddress)
        try await Task.sleep(for: .seconds(3))
        #expect(expiry < .now)
        try await alice.connect()
        #expect(await alice.session.didResume == false)
        try await eventually("reported") {
            await alice.events.contains { if case .notResumed = $0 { true } else { false } }
        }
        #expect(await waiting.outcome() == .acknowledged)
        try await eventually("all arrive once") { await bob.messages == ["a1"] }
        await alice.session.close()
        await bob.session.close()
    }

    /// As after a kill: the stored time of the last contact is older than the session.
    @Test("A session that seems to have expired is resumed", arguments: ServerKind.tested)
    func timeSeemsOver(kind: ServerKind) async throws {
        let server = try await SharedServers.all.server(kind, for: "stream management")
        let storage = MemoryStorage()
        let alice = try await TestAccount("alice", on: server, storage: storage)
        let bob = try await TestAccount("bob", on: server)
        try await alice.connect()
        try await bob.connect()
        let aliceAddress = await alice.address
        try await alice.session.suspend()
        try await alice.cut()
        let store = try storage.open("alice@localhost")
        try store.write([.lastDisconnect(.distantPast)])
        store.close()
        let ids = (1...50).map { "b\($0)" }
        for id in ids { try await bob.say(id, to: aliceAddress) }
        try await alice.connect()
        #expect(await alice.session.didResume)
        try await eventually("all arrive") { await alice.messages == ids }
        await alice.session.close()
        await bob.session.close()
    }

    @Test(
        "A server that is killed and started again has forgotten the session; nothing is lost",
        arguments: ServerKind.tested)
    func serverRestart(kind: ServerKind) async throws {
        let server = try await SharedServers.all.server(kind, for: "stream management")
        let alice = try await TestAccount("alice", on: server)
        try await alice.connect()
        let ping = try await alice.session.send(
            element("<iq type='get' id='p1' to='localhost'><ping xmlns='urn:xmpp:ping'/></iq>"))
        #expect(await ping.outcome() == .acknowledged)
        server.kill()
        _ = try await alice.end()
        let message = try await alice.say("a1", to: "bob@localhost")
        try await server.start()
        try await alice.connect()
        #expect(await alice.session.didResume == false)
        #expect(await message.outcome() == .acknowledged)
        // The server keeps it for bob, a client that was offline.
        let bob = try await TestAccount("bob", on: server)
        try await bob.connect()
        try await bob.session.send(element("<presence/>"))
        try await eventually("delivered") { await bob.messages == ["a1"] }
        await alice.session.close()
        await bob.session.close()
    }

    @Test("A session is resumed while the server believes the old connection alive", arguments: ServerKind.tested)
    func stillConnected(kind: ServerKind) async throws {
        let server = try await SharedServers.all.server(kind, for: "stream management")
        let (alice, bob) = try await TestAccount.pair(on: server)
        let aliceAddress = await alice.address
        try await bob.say("b1", to: aliceAddress)
        try await eventually("delivered") { await alice.messages == ["b1"] }
        // A second connection, with the first still open.
        try await alice.connect()
        try await eventually("resumed") { await alice.session.didResume }
        try await bob.say("b2", to: aliceAddress)
        try await eventually("delivered once") { await alice.messages == ["b1", "b2"] }
        await alice.session.close()
        await bob.session.close()
    }
}
