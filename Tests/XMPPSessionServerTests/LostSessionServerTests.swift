// Sessions that real servers lose: the greeting of the next one goes first, messages to a room wait for the room, and
// errors that come back are linked to their stanzas.

import ServerSupport
import StreamManagement
import TestSupport
import Testing

@testable import XMPPSession
@testable import XMPPSessionTests

@Suite(.serialized, .fewAtOnce) struct LostSessionServerTests {
    init() { ServerKind.tellWhatIsMissing() }

    /// How the server loses the session.
    enum Loss: CaseIterable {
        case refuses, restarts
    }

    /// ejabberd restarts too slowly for this test.
    static let losses =
        ServerKind.tested.map { ($0, Loss.refuses) }
        + (ServerKind.tested.contains(.prosody) ? [(.prosody, .restarts)] : [])

    private static func chat(_ id: String, to recipient: String, type: String = "chat") -> String {
        "<message type='\(type)' id='\(id)' to='\(recipient)'><body>\(id)</body></message>"
    }

    @Test("R30 After a lost session, a room gets the messages to it after the greeting, once", arguments: losses)
    func rooms(kind: ServerKind, loss: Loss) async throws {
        let server =
            switch loss {
            case .refuses: try await SharedServers.all.server(kind, for: "lost sessions", hasArchiveAndRooms: true)
            case .restarts: try await RunningServer(kind, hasArchiveAndRooms: true)
            }
        let link = try ResumptionLink(to: server.port)
        defer { link.end() }
        let room = "lost@rooms.localhost"
        var bob = try await Stranger(Stranger.connector("bob", server))
        try await bob.join(room, as: "bob")
        let alice = try await Phone(
            port: link.port,
            greeting: [
                "<presence id='greeting'/>",
                "<presence id='join' to='\(room)/alice'><x xmlns='http://jabber.org/protocol/muc'/></presence>",
            ])
        try await alice.start()
        try await eventually("alice is in the room") { await bob.received.contains { $0["from"] == "\(room)/alice" } }
        let first = try await alice.send(Self.chat("m1", to: room, type: "groupchat"))
        #expect(await first.outcome() == .acknowledged)
        try await eventually("the first message arrives") { await bob.messages("groupchat") == ["m1"] }

        // One stanza is in flight when the connection ends. The others wait.
        link.loseBytes()
        var sent = [try await alice.send(Self.chat("m2", to: room, type: "groupchat"))]
        try await eventually("it is in flight") { link.lastWritten.contains("m2") }
        link.goDown()
        if loss == .restarts {
            server.kill()
            await bob.leave()
            try await server.start()
            bob = try await Stranger(Stranger.connector("bob", server))
            try await bob.join(room, as: "bob")
        }
        sent.append(try await alice.send(Self.chat("m3", to: room, type: "groupchat")))
        sent.append(try await alice.send(Self.chat("c1", to: bob.address)))
        async let information = alice.session.request(
            xml("<iq type='get' id='i1' to='\(room)'><query xmlns='http://jabber.org/protocol/disco#info'/></iq>"))
        async let ping = alice.session.request(
            xml("<iq type='get' id='i2' to='localhost'><ping xmlns='urn:xmpp:ping'/></iq>"))
        try await eventually("all wait") {
            let waiting = await alice.session.stream.unacknowledged.map { $0.element["id"] }
            return waiting.contains("i1") && waiting.contains("i2")
        }
        link.comeUp(renamesSessions: loss == .refuses)

        try await eventually("the session is greeted") { link.idsOfLastSession.contains("join") }
        sent.append(try await alice.send(Self.chat("m4", to: room, type: "groupchat")))
        #expect(try await information["type"] == "result")
        #expect(try await ping["type"] == "result")
        try await eventually("the last message arrives") { await bob.messages("groupchat").last == "m4" }
        #expect(await bob.messages("groupchat") == (loss == .refuses ? ["m1"] : []) + ["m2", "m3", "m4"])
        #expect(await bob.messages("chat") == ["c1"])
        for stanza in sent { #expect(await stanza.outcome() == .acknowledged) }
        #expect(alice.errors == [])
        #expect(await bob.messages("error") == [])
        let ids = link.idsOfLastSession
        #expect(ids.prefix(2) == ["greeting", "join"])
        #expect(Set(ids) == ["greeting", "join", "c1", "m2", "m3", "m4", "i1", "i2"] && ids.count == 8)
        #expect(ids.filter { ["m2", "m3", "i1", "m4"].contains($0) }.first == "m2")
        try await alice.close()
        await bob.leave()
    }

    @Test(
        "R30 An error that comes back for an acknowledged message is reported, and not routed as a message",
        arguments: ServerKind.tested)
    func bounces(kind: ServerKind) async throws {
        let server = try await SharedServers.all.server(kind, for: "lost sessions", hasArchiveAndRooms: true)
        let room = "closed@rooms.localhost"
        let bob = try await Stranger(Stranger.connector("bob", server))
        try await bob.join(room, as: "bob")
        let alice = try await Phone(port: server.port, greeting: ["<presence/>"])
        let toRoom = try await alice.send(Self.chat("m1", to: room, type: "groupchat"))
        try await alice.start()

        // Alice does not join the room.
        let toMissing = try await alice.send(Self.chat("missing", to: "missing@localhost"))
        try await eventually("the server answers") { !alice.errors.isEmpty }
        #expect(toMissing.condition == "service-unavailable")
        #expect(toRoom.state == .queued)
        #expect(await alice.session.stream.held.map(\.number) == [toRoom.number])
        try await alice.session.stream.release { $0["id"] == "m1" }
        try await eventually("the room answers") { alice.errors.count == 2 }
        #expect(toRoom.condition == "not-acceptable")

        let refused = try await alice.send(Self.chat("refused", to: bob.address))
        #expect(await refused.outcome() == .acknowledged)
        try await eventually("bob has it") { await bob.messages("chat") == ["refused"] }
        let address = try #require(await alice.session.stream.address)
        let error = "<error type='cancel'><forbidden xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>"
        try await bob.say("<message type='error' id='refused' to='\(address)'><body>refused</body>\(error)</message>")
        try await bob.say(Self.chat("after", to: address))
        try await eventually("the last message arrives") { try await alice.received.last == "after" }
        #expect(refused.condition == "forbidden")
        #expect(await refused.states.reduce(into: []) { $0.append($1) }.suffix(2) == [.acknowledged, refused.state])
        #expect(try await alice.received == ["after"])
        #expect(alice.errors.map(\.condition) == ["service-unavailable", "not-acceptable", "forbidden"])
        #expect(await bob.messages("groupchat") == [])
        try await alice.close()
        await bob.leave()
    }
}

extension SentStanza {
    /// The condition of the error that came back for the stanza.
    fileprivate var condition: String? { if case .bounced(let error) = state { error.condition } else { nil } }
}
