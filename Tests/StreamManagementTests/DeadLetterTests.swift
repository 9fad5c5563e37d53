// Stanzas that a server does not accept, and bounds in bytes.

import StreamManagement
import StreamSimulator
import Testing
import XMLTree

@Suite struct DeadLetterTests {
    private static func large(_ id: String, bytes: Int = 2000) -> String {
        "<message id='\(id)'><body>\(String(repeating: "x", count: bytes))</body></message>"
    }

    private static let enable = TestCore.Core.Event.enable(resumption: true, maximum: nil, address: nil)

    private static func ids(_ actions: [String]) -> [String] {
        actions.filter { $0.hasPrefix("transmit ") }.compactMap {
            $0.split(separator: " ").dropFirst().first.map(String.init)
        }
    }

    @Test("A stanza beyond the server's limit is refused, or given up if it waits")
    func knownLimit() {
        let core = TestCore(limit: 1000)
        #expect(core.refusal(of: .send(element(Self.large("m1")), id: nil)) == .tooLarge(limit: 1000))
        #expect(core.refusal(of: .send(element(Self.large("m1", bytes: 900)), id: nil)) == nil)
        // What counts is what is written: the same bytes escaped are more.
        let escaped = "<message><body>\(String(repeating: "&amp;", count: 300))</body></message>"
        #expect(core.refusal(of: .send(element(escaped), id: nil)) == .tooLarge(limit: 1000))

        for event in [Self.enable, .bound(address: nil)] {
            let core = TestCore()
            for id in ["m1", "m3"] { core.send("<message id='\(id)'/>") }
            core.send(Self.large("m2"))
            core.setLimit(1000)
            let actions = core.text(event)
            #expect(actions.prefix(2) == ["report #3 failed id=m2", "notify deadLettered #3 tooLarge(limit: 1000)"])
            #expect(Self.ids(actions) == ["#1", "#2"])
        }
    }

    @Test("On resumption the limit of the new stream counts, and both sides still agree on the count")
    func limitOnResumption() {
        let core = TestCore.enabled()
        core.send("<message id='m1'/>")
        core.send(Self.large("m2"))
        core.send("<message id='m3'/>")
        core.setLimit(1000)
        #expect(Self.ids(core.resume(h: 1)) == ["#3"])
        #expect(core.receive("<sm:a h='2'/>").contains("report #3 acknowledged id=m3"))
        #expect(core.state == .enabled)
    }

    @Test("D27 The time of the first sending makes no stanza too large that was accepted without it")
    func limitAndDelay() {
        let core = TestCore.enabled()
        core.setLimit(1000)
        core.send(Self.large("m1", bytes: 930))
        core.send(Self.large("m2", bytes: 500))
        core.handle(.transportLost)
        let sent = core.resume(h: 0).filter { $0.hasPrefix("transmit ") }
        #expect(sent.map { $0.contains("urn:xmpp:delay") } == [false, true])
        #expect(sent.count == 2)
    }

    @Test("A stanza that the server ends sessions for is given up, and no other is")
    func losses() {
        let core = TestCore()
        for id in ["m1", "m3"] { core.send("<message id='\(id)'/>") }
        core.send(Self.large("m4"))
        core.send("<message id='m5'/>")
        var transmissions: [String: Int] = [:]
        var deadLetters: [String] = []
        var sessions = 0
        while !core.unacknowledged.isEmpty, sessions < 20 {
            sessions += 1
            // The server acknowledges what it is asked for, and ends everything at the large one.
            var handled = 0
            var todo = core.text(Self.enable) + core.receive("<sm:enabled id='s\(sessions)' resume='true'/>")
            while !todo.isEmpty {
                let action = todo.removeFirst()
                if action.hasPrefix("transmit ") {
                    let id = Self.ids([action])[0]
                    transmissions[id, default: 0] += 1
                    if id == "#3" { break }
                    handled += 1
                }
                if action == "send <r/>" { todo += core.receive("<sm:a h='\(handled)'/>") }
            }
            guard !core.unacknowledged.isEmpty else { break }
            core.receive("<stream:error><err:policy-violation/></stream:error>")
            core.handle(.resume)
            deadLetters += core.receive("<sm:failed/>").filter { $0.hasPrefix("notify deadLettered") }
            if core.unacknowledged.map(\.id) == ["m5"] {
                core.handle(Self.enable)
                core.receive("<sm:enabled id='last' resume='true'/>")
                core.receive("<sm:a h='1'/>")
            }
        }
        #expect(deadLetters == ["notify deadLettered #3 losses(6)"])
        #expect(transmissions["#3"] ?? 0 <= 5)
        #expect(core.unacknowledged.isEmpty)
        #expect(sessions < 10)
    }

    @Test("Connections that are lost, and errors that have to do with the moment, blame no stanza")
    func innocent() {
        let core = TestCore.enabled()
        core.send("<message id='m1'/>")
        for _ in 1...20 {
            core.receive("<stream:error><err:system-shutdown/></stream:error>")
            #expect(Self.ids(core.resume(h: 0)) == ["#1"])
            core.handle(.transportLost)
            #expect(Self.ids(core.resume(h: 0)) == ["#1"])
        }
        // The server keeps the session, and blames what comes on each stream.
        for _ in 1...5 {
            #expect(Self.ids(core.resume(h: 0)) == ["#1"])
            core.receive("<stream:error><err:policy-violation/></stream:error>")
        }
        #expect(core.resume(h: 0).contains("notify deadLettered #1 losses(5)"))
    }

    @Test("Losses outlive the process")
    func storedLosses() {
        let storage = MemoryStorage()
        let core = TestCore.enabled()
        core.send("<message id='m1'/>")
        core.handle(.transportLost)
        core.handle(.resume)
        storage.perform(core.handle(.received(element("<sm:failed/>"))))
        #expect(storage.session(of: "")?.pending.map(\.losses) == [1])
    }

    /// A core on whose new stream the first of two stanzas is sent alone, because sessions were lost by it.
    private static func withSuspect() -> TestCore {
        let core = TestCore()
        for id in ["m1", "m2"] { core.send("<message id='\(id)'/>") }
        core.handle(enable)
        core.receive("<sm:enabled id='s1' resume='true'/>")
        core.receive("<stream:error><err:policy-violation/></stream:error>")
        core.handle(.resume)
        core.receive("<sm:failed/>")
        #expect(ids(core.text(enable)) == ["#1"])
        return core
    }

    @Test("A stanza that the app resends is queued after the stanzas that wait for a suspect")
    func decidingBehindSuspect() {
        func stanza(_ number: UInt64, losses: Int = 0) -> OutgoingStanza {
            OutgoingStanza(
                number: OutgoingNumber(rawValue: number), id: nil, element: element("<message id='m\(number)'/>"),
                firstSent: TestCore.start, isSent: false, losses: losses)
        }
        let core = TestCore(
            restoring: StoredSession(pending: [stanza(2, losses: 2), stanza(3)], undecided: [stanza(1)]))
        #expect(Self.ids(core.text(Self.enable)) == ["#2"])
        core.receive("<sm:enabled id='s1' resume='true'/>")
        #expect(Self.ids(core.text(.decide(resend: [OutgoingNumber(rawValue: 1)]))) == [])
        #expect(core.unacknowledged.map(\.isSent) == [true, false, false])
        #expect(Self.ids(core.receive("<sm:a h='1'/>")) == ["#3", "#1"])
        core.receive("<sm:a h='3'/>")
        #expect(core.state == .enabled && core.unacknowledged.isEmpty)
    }

    @Test("The answer to a request beyond a limit does not overtake what waits for a suspect")
    func answerBehindSuspect() {
        let core = Self.withSuspect()
        core.receive("<sm:enabled id='s2' resume='true'/>")
        let request = rejected("<iq type='get' id='q1' from='a@b'><a><b/></a></iq>")
        #expect(Self.ids(core.text(.rejected(request))) == [])
        #expect(Self.ids(core.receive("<sm:a h='1'/>")) == ["#2", "#3"])
        core.receive("<sm:a h='3'/>")
        #expect(core.state == .enabled && core.unacknowledged.isEmpty)
    }

    @Test("What waits for a suspect is sent if the server refuses stream management")
    func refusedWithSuspect() {
        let core = Self.withSuspect()
        #expect(Self.ids(core.receive("<sm:failed/>")) == ["#2"])
        #expect(Self.ids(core.send("<message id='m3'/>")) == ["#3"])
        core.handle(.written(through: OutgoingNumber(rawValue: 3)))
        #expect(core.unacknowledged.isEmpty)
    }

    @Test("0 gives up no stanza, however often it is blamed")
    func noLimitOfLosses() {
        let core = TestCore.enabled(.quiet { $0.maximumLosses = 0 })
        core.send("<message id='m1'/>")
        for _ in 1...20 {
            core.receive("<stream:error><err:policy-violation/></stream:error>")
            #expect(Self.ids(core.resume(h: 0)) == ["#1"])
        }
    }

    // MARK: Bytes

    @Test("D23 The queue is bounded in bytes, too, and asks when it is full")
    func unacknowledgedBytes() {
        let core = TestCore.enabled(.quiet { $0.maximumUnacknowledgedBytes = 10_000 })
        var count = 0
        while core.hasRoom, count < 100 {
            count += 1
            core.send(Self.large("m\(count)"))
        }
        #expect((4...5).contains(count))
        // Senders wait for room; the core takes what belongs to a transaction that had room.
        #expect(core.refusal(of: .send(element(Self.large("last")), id: nil)) == nil)
        count += 1
        core.receive("<sm:a h='2'/>")
        #expect(core.hasRoom)
        // One stanza that is larger than the bound is sent alone.
        core.receive("<sm:a h='\(count)'/>")
        core.send(Self.large("m", bytes: 20_000))
        #expect(!core.hasRoom)
    }

    @Test("What is unhandled is bounded in bytes, too")
    func unhandledBytes() {
        let core = TestCore.enabled(.quiet { $0.maximumUnhandledBytes = 10_000 })
        var stanzas: [ReceivedStanza] = []
        while core.wantsInput, stanzas.count < 100 {
            for case .deliver(let stanza) in core.handle(.received(element(Self.large("in")))) {
                stanzas.append(stanza)
            }
        }
        #expect((4...5).contains(stanzas.count))
        for stanza in stanzas { if let number = stanza.number { core.handle(.markHandled(number)) } }
        #expect(core.wantsInput)
    }
}
