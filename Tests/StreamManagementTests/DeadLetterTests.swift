// Stanzas that a server does not accept.

import StreamManagement
import StreamSimulator
import Testing
import XMLTree

@Suite struct DeadLetterTests {
    private static let enable = TestCore.Core.Event.enable(resumption: true, maximum: nil, address: nil)

    @Test("A stanza beyond the server's limit is refused, or given up if it waits")
    func knownLimit() {
        let core = TestCore(limit: 1000)
        #expect(core.refusal(of: .send(element(message("m1")), id: nil)) == .tooLarge(limit: 1000))
        #expect(core.refusal(of: .send(element(message("m1", bytes: 900)), id: nil)) == nil)
        // The limit counts written bytes: escapes make the same text longer.
        let escaped = "<message><body>\(String(repeating: "&amp;", count: 300))</body></message>"
        #expect(core.refusal(of: .send(element(escaped), id: nil)) == .tooLarge(limit: 1000))

        for event in [Self.enable, .bound(address: nil)] {
            let core = TestCore()
            for id in ["m1", "m3"] { core.send("<message id='\(id)'/>") }
            core.send(message("m2"))
            core.setLimit(1000)
            let actions = core.text(event)
            #expect(
                actions.prefix(2) == [
                    "report #3 failed id=m2 tooLarge(limit: 1000)",
                    "notify deadLettered #3 tooLarge(limit: 1000)",
                ])
            #expect(TestCore.transmitted(actions) == ["#1", "#2"])
        }
    }

    @Test("On resumption the limit of the new stream counts, and both sides still agree on the count")
    func limitOnResumption() {
        let core = TestCore.enabled()
        core.send("<message id='m1'/>")
        core.send(message("m2"))
        core.send("<message id='m3'/>")
        core.setLimit(1000)
        #expect(TestCore.transmitted(core.resume(h: 1)) == ["#3"])
        #expect(core.receive("<sm:a h='2'/>").contains("report #3 acknowledged id=m3"))
        #expect(core.state == .enabled)
    }

    @Test("D27 The time of the first sending makes no stanza too large that was accepted without it")
    func limitAndDelay() {
        let core = TestCore.enabled()
        core.setLimit(1000)
        core.send(message("m1", bytes: 930))
        core.send(message("m2", bytes: 500))
        core.handle(.transportLost)
        let sent = core.resume(h: 0).filter { $0.hasPrefix("transmit ") }
        #expect(sent.map { $0.contains("urn:xmpp:delay") } == [false, true])
        #expect(sent.count == 2)
    }

    @Test("The core gives up a stanza that the server ends sessions for, and no other")
    func losses() {
        let core = TestCore()
        for id in ["m1", "m3"] { core.send("<message id='\(id)'/>") }
        core.send(message("m4"))
        core.send("<message id='m5'/>")
        var transmissions: [String: Int] = [:]
        var deadLetters: [String] = []
        var sessions = 0
        while !core.unacknowledged.isEmpty, sessions < 20 {
            sessions += 1
            // The server answers requests, and ends the stream at the large stanza.
            var handled = 0
            var todo = core.text(Self.enable) + core.receive("<sm:enabled id='s\(sessions)' resume='true'/>")
            while !todo.isEmpty {
                let action = todo.removeFirst()
                if action.hasPrefix("transmit ") {
                    let id = TestCore.transmitted([action])[0]
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
        #expect(deadLetters == ["notify deadLettered #3 losses(5)"])
        #expect(transmissions["#3"] == 5)
        #expect(core.unacknowledged.isEmpty)
        #expect(sessions < 10)
    }

    @Test("One stanza of a thousand is found in five sessions", arguments: [1, 2, 500, 999, 1000])
    func manyInnocent(large: Int) {
        let core = TestCore()
        for number in 1...1000 { core.send(number == large ? message("large") : "<message id='m\(number)'/>") }
        var sessions = 0
        var deadLetters: [String] = []
        while !core.unacknowledged.isEmpty, sessions < 20 {
            sessions += 1
            var handled = 0
            var todo = core.text(Self.enable) + core.receive("<sm:enabled id='s\(sessions)' resume='true'/>")
            var isRefused = false
            while !todo.isEmpty, !isRefused {
                let action = todo.removeFirst()
                isRefused = action.hasPrefix("transmit #\(large) ")
                if action.hasPrefix("transmit ") { handled += 1 }
                if action == "send <r/>" { todo += core.receive("<sm:a h='\(handled)'/>") }
            }
            if isRefused {
                core.receive(Self.complaint)
                core.handle(.resume)
                deadLetters += core.receive("<sm:failed/>").filter { $0.hasPrefix("notify deadLettered") }
            } else {
                core.receive("<sm:a h='\(handled)'/>")
            }
        }
        #expect(deadLetters == ["notify deadLettered #\(large) losses(5)"])
        #expect(core.unacknowledged.isEmpty && sessions <= 6, "\(sessions)")
    }

    private static let complaint = "<stream:error><err:policy-violation/></stream:error>"

    @Test("A server that keeps the session, and complains on each stream, blames the stanza in flight")
    func endedStreams() {
        let core = TestCore.enabled()
        core.send("<message id='m1'/>")
        core.send("<message id='m2'/>")
        for losses in 1...5 {
            core.receive(Self.complaint)
            #expect(core.canResume)
            #expect(core.unacknowledged.map(\.losses) == [losses, 1])
            if losses < 5 { #expect(TestCore.transmitted(core.resume(h: 0)) == ["#1"]) }
        }
        let actions = core.resume(h: 0)
        #expect(actions.contains("notify deadLettered #1 losses(5)"))
        // The next suspect goes alone, and is asked about at once.
        #expect(TestCore.transmitted(actions) == ["#2"])
        #expect(actions.contains("send <r/>"))
    }

    @Test("An acknowledgement acquits a suspect, and the core sends the waiting stanzas")
    func acquittal() {
        let core = TestCore.enabled()
        for id in ["m1", "m2"] { core.send("<message id='\(id)'/>") }
        core.receive(Self.complaint)
        core.send("<message id='m3'/>")
        #expect(TestCore.transmitted(core.resume(h: 0)) == ["#1"])
        #expect(TestCore.transmitted(core.send("<message id='m4'/>")) == [])
        #expect(TestCore.transmitted(core.receive("<sm:a h='1'/>")) == ["#2"])
        #expect(TestCore.transmitted(core.receive("<sm:a h='2'/>")) == ["#3", "#4"])
        #expect(core.unacknowledged.map(\.losses) == [0, 0])
        #expect(TestCore.transmitted(core.send("<message id='m5'/>")) == ["#5"])
    }

    @Test(
        "D18 The session asks again if the server has received a suspect, and has not handled it",
        arguments: [Duration.seconds(10), .zero])
    func askingAgain(timeout: Duration) {
        let core = TestCore.enabled(.quiet { $0.acknowledgementTimeout = timeout })
        core.send("<message id='m1'/>")
        core.receive(Self.complaint)
        core.send("<message id='m2'/>")
        #expect(core.resume(h: 0).contains("send <r/>"))
        #expect(core.receive("<sm:a h='0'/>").allSatisfy { $0 != "send <r/>" })
        for _ in 1...3 {
            core.wait(timeout > .zero ? timeout : .seconds(30))
            #expect(core.text(.deadline(.repetition)).contains("send <r/>"))
            core.receive("<sm:a h='0'/>")
        }
        #expect(TestCore.transmitted(core.receive("<sm:a h='1'/>")) == ["#2"])
    }

    @Test("D18 The session asks again if the answer leaves no room in a full queue")
    func askingAgainAtFullQueue() {
        let core = TestCore.enabled(.quiet { $0.maximumUnacknowledged = 2 })
        core.send("<message id='m1'/>")
        #expect(core.send("<message id='m2'/>").contains("send <r/>"))
        core.receive("<sm:a h='0'/>")
        core.wait(.seconds(30))
        #expect(core.text(.deadline(.repetition)).contains("send <r/>"))
        core.receive("<sm:a h='2'/>")
        core.wait(.seconds(30))
        #expect(core.hasRoom && core.text(.deadline(.repetition)) == [])
    }

    @Test("D18 The session asks for stanzas in front of a suspect", arguments: [false, true])
    func askingInFrontOfSuspect(isAskedBefore: Bool) {
        func stanza(_ number: UInt64, losses: Int) -> OutgoingStanza {
            OutgoingStanza(
                number: OutgoingNumber(rawValue: number), id: nil, element: element("<message id='m\(number)'/>"),
                firstSent: TestCore.start, isSent: false, losses: losses)
        }
        let core = TestCore(
            restoring: StoredSession(pending: [stanza(2, losses: 0)], undecided: [stanza(1, losses: 1)]))
        #expect(TestCore.transmitted(core.text(Self.enable)) == ["#2"])
        core.receive("<sm:enabled id='s1' resume='true'/>")
        if isAskedBefore {
            #expect(core.text(.requestAcknowledgement).contains("send <r/>"))
            core.receive("<sm:a h='0'/>")
        }
        let actions = core.text(.decide(resend: [OutgoingNumber(rawValue: 1)]))
        #expect(TestCore.transmitted(actions) == [])
        #expect(actions.contains("send <r/>") == !isAskedBefore)
        if isAskedBefore {
            core.wait(.seconds(30))
            #expect(core.text(.deadline(.repetition)).contains("send <r/>"))
        }
        #expect(TestCore.transmitted(core.receive("<sm:a h='1'/>")) == ["#1"])
    }

    @Test("A suspect goes alone without stream management, too: until it is written")
    func suspectsWithoutStreamManagement() {
        let core = TestCore()
        core.handle(.bound(address: nil))
        for id in ["m1", "m2"] { core.send("<message id='\(id)'/>") }
        core.receive(Self.complaint)
        #expect(core.unacknowledged.map(\.losses) == [1, 1])
        core.send("<message id='m3'/>")
        #expect(TestCore.transmitted(core.text(.bound(address: nil))) == ["#1"])
        #expect(TestCore.transmitted(core.text(.written(through: OutgoingNumber(rawValue: 1)))) == ["#2"])
        #expect(TestCore.transmitted(core.text(.written(through: OutgoingNumber(rawValue: 2)))) == ["#3"])
    }

    @Test("Losses outlive the process, also those of a session that can be resumed")
    func storedLosses() {
        let storage = MemoryStorage()
        let core = TestCore()
        storage.perform(core.handle(Self.enable))
        storage.perform(core.handle(.received(element("<sm:enabled id='s1' resume='true'/>"))))
        storage.perform(core.handle(.send(element("<message id='m1'/>"), id: nil)))
        let actions = core.handle(.received(element(Self.complaint)))
        storage.perform(actions)
        #expect(core.canResume)
        #expect(storage.session(of: "juliet@example.org")?.pending.map(\.losses) == [1])
        // The core stores them with the date of the disconnect.
        #expect(actions.prefix(3).contains(.store(.blameSent, .deferrable)))
        // The next process is killed as well.
        let next = TestCore(restoring: storage.session(of: "juliet@example.org"))
        storage.perform(next.handle(.resume))
        storage.perform(next.handle(.received(element("<sm:resumed previd='s1' h='0'/>"))))
        storage.perform(next.handle(.received(element(Self.complaint))))
        #expect(storage.session(of: "juliet@example.org")?.pending.map(\.losses) == [2])
        #expect(storage.session(of: "juliet@example.org")?.pending == next.unacknowledged)
    }

    @Test("R40 Dead letters and decisions leave the attempts at handling as they are")
    func attempts() throws {
        let stanza = OutgoingStanza(
            number: OutgoingNumber(rawValue: 1), id: nil, element: element("<message id='m1'/>"),
            firstSent: TestCore.start, isSent: true, losses: 5)
        let undecided = OutgoingStanza(
            number: OutgoingNumber(rawValue: 2), id: nil, element: element("<message id='m2'/>"),
            firstSent: TestCore.start, isSent: false)
        let storage = MemoryStorage()
        let session = StoredSession(
            resumption: ResumptionID("s1").map { Resumption(id: $0) }, lastDisconnect: TestCore.start,
            pending: [stanza], undecided: [undecided], handlingAttempts: 2)
        let core = TestCore(restoring: session)
        storage.perform(core.handle(.resume))
        storage.perform(core.handle(.received(element("<sm:resumed previd='s1' h='0'/>"))))
        #expect(core.unacknowledged.isEmpty)
        #expect(storage.session(of: "juliet@example.org")?.handlingAttempts == 2)
        // The third attempt begins.
        let received = core.handle(.received(element("<message id='in'/>")))
        storage.perform(received)
        #expect(storage.session(of: "juliet@example.org")?.handlingAttempts == 3)
        storage.perform(core.handle(.decide(resend: [])))
        #expect(storage.session(of: "juliet@example.org")?.handlingAttempts == 3)
        for case .deliver(let stanza) in received {
            storage.perform(core.handle(.markHandled(try #require(stanza.number))))
        }
        #expect(storage.session(of: "juliet@example.org")?.handlingAttempts == 0)
    }

    /// A core that sends the first of two stanzas alone on its new stream, because that stanza has a loss.
    private static func withSuspect() -> TestCore {
        let core = TestCore()
        for id in ["m1", "m2"] { core.send("<message id='\(id)'/>") }
        core.handle(enable)
        core.receive("<sm:enabled id='s1' resume='true'/>")
        core.receive("<stream:error><err:policy-violation/></stream:error>")
        core.handle(.resume)
        core.receive("<sm:failed/>")
        #expect(TestCore.transmitted(core.text(enable)) == ["#1"])
        return core
    }

    @Test("A stanza that the app resends is queued after the stanzas that wait for a suspect")
    func decidingAfterSuspect() {
        func stanza(_ number: UInt64, losses: Int = 0) -> OutgoingStanza {
            OutgoingStanza(
                number: OutgoingNumber(rawValue: number), id: nil, element: element("<message id='m\(number)'/>"),
                firstSent: TestCore.start, isSent: false, losses: losses)
        }
        let core = TestCore(
            restoring: StoredSession(pending: [stanza(2, losses: 1), stanza(3)], undecided: [stanza(1)]))
        #expect(TestCore.transmitted(core.text(Self.enable)) == ["#2"])
        core.receive("<sm:enabled id='s1' resume='true'/>")
        #expect(TestCore.transmitted(core.text(.decide(resend: [OutgoingNumber(rawValue: 1)]))) == [])
        #expect(core.unacknowledged.map(\.isSent) == [true, false, false])
        #expect(TestCore.transmitted(core.receive("<sm:a h='1'/>")) == ["#3", "#1"])
        core.receive("<sm:a h='3'/>")
        #expect(core.state == .enabled && core.unacknowledged.isEmpty)
    }

    @Test("The answer to a request beyond a limit does not overtake stanzas that wait for a suspect")
    func answerAfterSuspect() {
        let core = Self.withSuspect()
        core.receive("<sm:enabled id='s2' resume='true'/>")
        let request = rejected("<iq type='get' id='q1' from='a@b'><a><b/></a></iq>")
        #expect(TestCore.transmitted(core.text(.rejected(request))) == [])
        // The second one was sent with the first, and is a suspect, too.
        #expect(TestCore.transmitted(core.receive("<sm:a h='1'/>")) == ["#2"])
        #expect(TestCore.transmitted(core.receive("<sm:a h='2'/>")) == ["#3"])
        core.receive("<sm:a h='3'/>")
        #expect(core.state == .enabled && core.unacknowledged.isEmpty)
    }

    @Test("The core sends the stanzas after a suspect if the server refuses stream management")
    func refusedWithSuspect() {
        let core = Self.withSuspect()
        core.receive("<sm:failed/>")
        #expect(TestCore.transmitted(core.send("<message id='m3'/>")) == [])
        #expect(TestCore.transmitted(core.text(.written(through: OutgoingNumber(rawValue: 1)))) == ["#2"])
        #expect(TestCore.transmitted(core.text(.written(through: OutgoingNumber(rawValue: 2)))) == ["#3"])
        core.handle(.written(through: OutgoingNumber(rawValue: 3)))
        #expect(core.unacknowledged.isEmpty)
    }

    @Test("0 gives up no stanza, however often it is blamed")
    func noLimitOfLosses() {
        let core = TestCore.enabled(.quiet { $0.maximumLosses = 0 })
        core.send("<message id='m1'/>")
        for _ in 1...20 {
            core.receive("<stream:error><err:policy-violation/></stream:error>")
            #expect(TestCore.transmitted(core.resume(h: 0)) == ["#1"])
        }
    }

    @Test("A dead letter has failed, and its report says why", arguments: [nil, 0])
    func reports(handled: Int?) {
        let core = TestCore.enabled(.quiet { $0.maximumLosses = 2 })
        core.send("<message id='m1'/>")
        for _ in 1...2 {
            core.receive(Self.complaint)
            if core.unacknowledged[0].losses < 2 { core.resume(h: 0) }
        }
        core.handle(.resume)
        let actions = core.receive(handled.map { "<sm:failed h='\($0)'/>" } ?? "<sm:failed/>")
        #expect(actions.contains("report #1 failed id=m1 losses(2)"))
    }
}
