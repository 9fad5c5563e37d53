// The greeting of a new session, and the stanzas that wait for it or for their room.

import StreamSimulator
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct HoldingTests {
    private static let enable = TestCore.Core.Event.enable(
        resumption: true, maximum: nil, address: "juliet@example.org/balcony")

    private static func join(_ room: String, status: String = "110") -> String {
        "<presence from='\(room)/nick'><x xmlns='http://jabber.org/protocol/muc#user'><status code='\(status)'/></x>"
            + "</presence>"
    }

    private static func groupchat(_ id: String, to room: String) -> String {
        "<message id='\(id)' type='groupchat' to='\(room)'/>"
    }

    /// Begins a session, and returns the numbers of the stanzas that it begins with.
    private func begin(_ core: TestCore, id: String = "s1") -> [String] {
        let actions = core.text(Self.enable)
        return TestCore.transmitted(actions + core.receive("<sm:enabled id='\(id)' resume='true'/>"))
    }

    private func greet(_ core: TestCore, _ xml: String) -> [String] {
        TestCore.transmitted(core.text(.greet(element(xml), id: nil)))
    }

    // MARK: The greeting

    @Test("R30 The greeting of a new session goes before all other stanzas, earlier and later ones")
    func greeting() {
        let core = TestCore(awaitsGreetings: true)
        core.send("<message id='m1'/>")
        #expect(begin(core) == [])
        #expect(TestCore.transmitted(core.send("<message id='m2'/>")) == [])
        #expect(greet(core, "<presence id='p3'/>") == ["#3"])
        #expect(core.held.map(\.id) == ["m1", "m2"])
        #expect(
            core.text(.greeted) == [
                "store later greeted", "store release [#1 #2]", "store sendWaiting", "transmit #1 <message id='m1'/>",
                "transmit #2 <message id='m2'/>",
            ])
        #expect(TestCore.transmitted(core.send("<message id='m4'/>")) == ["#4"])
        core.receive("<sm:a h='4'/>")
        #expect(core.unacknowledged.isEmpty)
    }

    @Test("R30 After a refused resumption, resent stanzas wait for the greeting", arguments: [true, false])
    func afterALostSession(isCounted: Bool) {
        let core = TestCore(awaitsGreetings: true)
        _ = begin(core)
        core.handle(.greeted)
        core.send("<message id='m1'/>")
        core.send("<message id='m2'/>")
        core.handle(.transportLost)
        core.send("<message id='m3'/>")
        core.handle(.resume)
        core.receive(isCounted ? "<sm:failed h='1'/>" : "<sm:failed/>")
        #expect(begin(core, id: "s2") == [])
        #expect(greet(core, "<presence id='p4'/>") == ["#4"])
        #expect(TestCore.transmitted(core.text(.greeted)) == (isCounted ? ["#2", "#3"] : ["#1", "#2", "#3"]))
    }

    @Test("R30 A resumed session resends its stanzas at once, and held ones after the greeting")
    func resumed() {
        let core = TestCore(awaitsGreetings: true)
        core.send("<message id='m1'/>")
        _ = begin(core)
        _ = greet(core, "<presence id='p2'/>")
        #expect(TestCore.transmitted(core.resume(h: 0)) == ["#2"])
        #expect(core.held.map(\.id) == ["m1"])
        #expect(TestCore.transmitted(core.text(.greeted)) == ["#1"])
        // A session is greeted once.
        #expect(core.text(.greeted) == [])
    }

    @Test("R30 A session without stream management is greeted, too, unless the application enables it later")
    func bound() {
        let core = TestCore(awaitsGreetings: true)
        core.send("<message id='m1'/>")
        #expect(TestCore.transmitted(core.text(.bound(address: nil))) == [])
        #expect(greet(core, "<presence id='p2'/>") == ["#2"])
        #expect(TestCore.transmitted(core.text(.greeted)) == ["#1"])
        let late = TestCore(.quiet { $0.enablesAutomatically = false }, awaitsGreetings: true)
        late.send("<message id='m1'/>")
        #expect(TestCore.transmitted(late.text(.bound(address: nil))) == ["#1"])
        #expect(begin(late) == [])
        late.send("<message id='m2'/>")
        #expect(TestCore.transmitted(late.text(.greeted)) == ["#2"])
    }

    @Test("R30 Held stanzas are stored, and a later process sends them after its greeting")
    func stored() throws {
        let storage = MemoryStorage()
        func perform(_ core: TestCore, _ event: TestCore.Core.Event) { storage.perform(core.handle(event)) }
        let core = TestCore(awaitsGreetings: true)
        perform(core, .send(element("<message id='m1'/>"), id: nil))
        perform(core, Self.enable)
        perform(core, .received(element("<sm:enabled id='s1' resume='true'/>")))
        perform(core, .send(element("<message id='m2'/>"), id: nil))
        perform(core, .identify(OutgoingNumber(rawValue: 2), as: "late"))
        let stored = try #require(storage.session(of: "juliet@example.org"))
        #expect(stored.held.map(\.id) == ["m1", "late"] && stored.pending.isEmpty && !stored.isGreeted)
        let next = TestCore(restoring: stored, awaitsGreetings: true)
        perform(next, .send(element("<message id='m3'/>"), id: nil))
        perform(next, .resume)
        perform(next, .received(element("<sm:resumed previd='s1' h='0'/>")))
        #expect(next.unacknowledged.isEmpty && next.held.map(\.number.rawValue) == [1, 2, 3])
        perform(next, .withdraw(OutgoingNumber(rawValue: 2)))
        perform(next, .greet(element("<presence id='p4'/>"), id: nil))
        perform(next, .greeted)
        let greeted = try #require(storage.session(of: "juliet@example.org"))
        #expect(greeted.isGreeted && greeted.held.isEmpty)
        #expect(greeted.pending == next.unacknowledged && greeted.pending.map(\.number.rawValue) == [4, 1, 3])
        // A process that greets no session lets nothing wait.
        let plain = TestCore(restoring: stored)
        #expect(plain.held.isEmpty && plain.unacknowledged.map(\.number.rawValue) == [1, 2])
    }

    @Test("D23 A greeting needs no room in a queue that waits for it")
    func room() {
        let core = TestCore(.quiet { $0.maximumUnacknowledged = 2 }, awaitsGreetings: true)
        for number in 1...2 { core.send("<message id='m\(number)'/>") }
        _ = begin(core)
        #expect(!core.hasRoom)
        #expect(greet(core, "<presence id='p3'/>") == ["#3"])
        #expect(TestCore.transmitted(core.text(.greeted)) == ["#1", "#2"])
    }

    @Test("R30 A closed session reports the held stanzas") func closed() {
        let core = TestCore(awaitsGreetings: true)
        core.send("<message id='m1'/>")
        _ = begin(core)
        #expect(core.text(.close).contains("report #1 failed id=m1"))
        #expect(core.held.isEmpty)
    }

    // MARK: Rooms

    @Test("R30 A message to a room that waited goes when the room was joined", arguments: [true, false])
    func rooms(isGreeted: Bool) {
        let core = TestCore(awaitsGreetings: isGreeted)
        core.send(Self.groupchat("m1", to: "coven@chat.example.net"))
        core.send("<message id='m2' to='romeo@example.net'/>")
        core.send(Self.groupchat("m3", to: "Other@Chat.example.net"))
        // To keep the order of a room; its presence joins it.
        core.send("<iq id='i4' type='get' to='coven@chat.example.net'/>")
        core.send("<presence id='p5' to='coven@chat.example.net/nick'/>")
        if isGreeted {
            #expect(begin(core) == [])
            #expect(TestCore.transmitted(core.text(.greeted)) == ["#2", "#5"])
        } else {
            #expect(begin(core) == ["#2", "#5"])
        }
        #expect(TestCore.transmitted(core.send(Self.groupchat("m6", to: "coven@chat.example.net"))) == [])
        // Others are in the room, or are the account in another room.
        for xml in [
            Self.join("coven@chat.example.net", status: "100"), Self.join("third@chat.example.net"),
            "<presence type='unavailable' from='coven@chat.example.net/nick'>"
                + "<x xmlns='http://jabber.org/protocol/muc#user'><status code='110'/></x></presence>",
        ] {
            #expect(TestCore.transmitted(core.receive(xml)) == [])
        }
        #expect(TestCore.transmitted(core.receive(Self.join("coven@chat.example.net"))) == ["#1", "#4", "#6"])
        #expect(TestCore.transmitted(core.receive(Self.join("other@chat.example.net"))) == ["#3"])
        #expect(core.held.isEmpty)
        // The room is joined, or the application knows better.
        #expect(TestCore.transmitted(core.send(Self.groupchat("m7", to: "coven@chat.example.net"))) == ["#7"])
    }

    @Test("R30 A room that was joined before the greeting was done holds nothing")
    func joinedEarly() {
        let core = TestCore(awaitsGreetings: true)
        core.send(Self.groupchat("m1", to: "coven@chat.example.net"))
        _ = begin(core)
        _ = greet(core, "<presence id='p2' to='coven@chat.example.net/nick'/>")
        #expect(TestCore.transmitted(core.receive(Self.join("coven@chat.example.net"))) == [])
        #expect(TestCore.transmitted(core.text(.greeted)) == ["#1"])
    }

    @Test("R30 The application can hold other kinds, and release held stanzas")
    func otherKinds() {
        let core = TestCore()
        core.hold { $0.name == "iq" }
        core.send("<iq id='i1' type='get' to='pubsub.example.net'/>")
        core.send(Self.groupchat("m2", to: "coven@chat.example.net"))
        #expect(begin(core) == ["#2"])
        #expect(TestCore.transmitted(core.text(.release([OutgoingNumber(rawValue: 1)]))) == ["#1"])
        #expect(core.text(.release([OutgoingNumber(rawValue: 1)])) == [])
    }

    @Test("R30 A resumed session holds no message to a room that was sent before, and a new session holds it")
    func resumedRooms() {
        let core = TestCore()
        _ = begin(core)
        core.send(Self.groupchat("m1", to: "coven@chat.example.net"))
        #expect(TestCore.transmitted(core.resume(h: 0)) == ["#1"])
        core.handle(.transportLost)
        core.handle(.resume)
        core.receive("<sm:failed/>")
        #expect(begin(core, id: "s2") == [])
        #expect(core.held.map(\.id) == ["m1"])
        let actions = core.receive(Self.join("coven@chat.example.net"))
        #expect(TestCore.transmitted(actions) == ["#1"])
    }

    // MARK: Sessions

    @Test("R30 A stream session sends its greeting first, and releases what the application names")
    func session() async throws {
        let session = try await StreamSession.quiet()
        await session.awaitGreetings()
        let waiting = try await session.send(element("<message id='m1'/>"))
        try await session.send(element(Self.groupchat("m2", to: "coven@chat.example.net")))
        let server = ScriptedTransport.server()
        let run = try await session.enabled(on: server)
        #expect(waiting.state == .queued)
        try await session.greet(with: [element("<presence id='p3'/>")])
        try await waiting.becomes(.sent)
        #expect(server.heard.suffix(2) == ["<presence id='p3'/>", "<message id='m1'/>"])
        #expect(await session.held.map(\.id) == ["m2"])
        #expect(await session.unacknowledged.count == 3)
        try await session.release { $0["id"] == "m2" }
        try await server.until { $0.heard.last?.contains("m2") == true }
        try await server.cut(ending: run)
    }
}
