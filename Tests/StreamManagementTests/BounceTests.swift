// Errors that answer sent stanzas, and the stanzas that they are linked to.

import StreamSimulator
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct BounceTests {
    /// The numbers of the stanzas that an error is reported for.
    private func bounced(_ core: TestCore, _ xml: String) -> [UInt64] {
        core.handle(.received(element(xml))).compactMap { action in
            guard case .report(let report) = action, case .bounced = report.state else { return nil }
            return report.number.rawValue
        }
    }

    @Test(
        "R30 An error finds its stanza by id, kind and address, before and after the acknowledgement",
        arguments: [true, false])
    func linked(isAcknowledged: Bool) {
        let core = TestCore.enabled()
        core.send("<message id='m1' to='Romeo@Example.net'/>")
        core.send("<presence id='p2' to='coven@chat.example.net/nick'/>")
        core.send("<message id='m3'/>")
        core.send("<message id='m4' to='romeo@example.net'/>", id: "mine")
        if isAcknowledged { core.receive("<sm:a h='4'/>") }
        #expect(bounced(core, bounce(of: "m1", from: "romeo@example.net")) == [1])
        #expect(bounced(core, bounce(of: "p2", from: "coven@chat.example.net/nick", name: "presence")) == [2])
        #expect(bounced(core, bounce(of: "m3")) == [3])
        // A device of the recipient can answer as well.
        let actions = core.receive(bounce(of: "m4", from: "romeo@example.net/orchard"))
        #expect(actions.contains { $0.hasPrefix("report #4 bounced") && $0.contains("id=mine") })
        // The application gets the error, too.
        #expect(actions.contains { $0.hasPrefix("deliver ") })
    }

    @Test("An error of another sender, id or kind, and a stanza of another type, answers nothing")
    func notLinked() {
        let core = TestCore.enabled()
        core.send("<message id='m1' to='coven@chat.example.net/firstwitch'/>")
        core.send("<message id='m2'/>")
        core.receive("<sm:a h='2'/>")
        let from = "coven@chat.example.net/firstwitch"
        for xml in [
            bounce(of: "m1", from: "coven@chat.example.net/secondwitch"), bounce(of: "m1", from: "eve@example.net"),
            bounce(of: "m1"), bounce(of: "m2", from: "eve@example.net"), bounce(of: "m3", from: from),
            bounce(of: "m1", from: from, name: "iq"),
            "<message id='m1' from='\(from)'/>",
        ] {
            #expect(bounced(core, xml) == [], "\(xml)")
        }
        #expect(bounced(core, bounce(of: "m1", from: from)) == [1])
        // The own server answers a stanza without a recipient.
        #expect(bounced(core, bounce(of: "m2", from: "juliet@example.org")) == [2])
        // Each stanza bounces once.
        #expect(bounced(core, bounce(of: "m1", from: from)) == [])
    }

    @Test("An error finds a stanza that waits to be sent again")
    func waitingAgain() {
        let core = TestCore.enabled()
        core.send("<message id='m1'/>")
        core.send("<message id='m2'/>")
        core.receive("<stream:error><err:policy-violation/></stream:error>")
        #expect(TestCore.transmitted(core.resume(h: 0)) == ["#1"])
        core.send("<message id='m3'/>")
        #expect(bounced(core, bounce(of: "m2")) == [2])
        #expect(bounced(core, bounce(of: "m3")) == [])
    }

    @Test("An error finds a stanza that waits for a decision")
    func undecided() {
        let core = TestCore.enabled(.quiet { $0.failurePolicy = .ask })
        core.send("<message id='m1'/>")
        core.handle(.transportLost)
        core.handle(.resume)
        core.receive("<sm:failed/>")
        core.handle(.enable(resumption: true, maximum: nil, address: "juliet@example.org/balcony"))
        #expect(core.undecided.map(\.number.rawValue) == [1])
        #expect(bounced(core, bounce(of: "m1")) == [1])
    }

    @Test("Without stream management, an error finds a stanza that the transport has taken")
    func uncounted() {
        let core = TestCore()
        core.handle(.bound(address: nil))
        core.send("<message id='m1'/>")
        core.handle(.written(through: OutgoingNumber(rawValue: 1)))
        #expect(core.unacknowledged.isEmpty && bounced(core, bounce(of: "m1")) == [1])
    }

    @Test("The core remembers a bounded number of stanzas, and a bounded number of bytes")
    func bounds() {
        let core = TestCore.enabled()
        let limit = AcknowledgedStanzas.maximumCount
        for number in 1...2 * limit {
            core.send("<message id='m\(number)'/>")
            core.receive("<sm:a h='\(number)'/>")
        }
        #expect(core.copy.acknowledged.count == limit)
        #expect(bounced(core, bounce(of: "m\(limit)")) == [])
        #expect(bounced(core, bounce(of: "m\(limit + 1)")) == [UInt64(limit + 1)])
        #expect(bounced(core, bounce(of: "m\(2 * limit)")) == [UInt64(2 * limit)])
        var remembered = AcknowledgedStanzas()
        for number in 1...10 {
            remembered.append(
                OutgoingStanza(
                    number: OutgoingNumber(rawValue: UInt64(number)), id: nil,
                    element: element(message("m\(number)", bytes: AcknowledgedStanzas.maximumBytes / 4)),
                    firstSent: nil,
                    isSent: true))
        }
        #expect(remembered.count == 3)
    }

    @Test("A sequence of states ends when the session has forgotten the stanza") func forgotten() async throws {
        let session = try await StreamSession.quiet()
        let server = ScriptedTransport.acknowledgingWhenAsked()
        let run = try await session.enabled(on: server)
        let first = try await session.send(element("<message id='first'/>"))
        let states = Task { await first.states.reduce(into: []) { $0.append($1) } }
        for number in 1...3 * AcknowledgedStanzas.maximumCount {
            try await session.send(element("<message id='m\(number)'/>"))
        }
        #expect(await states.value.last == .acknowledged)
        #expect(first.state == .acknowledged && first.sequenceCount == 0)
        try await server.cut(ending: run)
    }
}
