// The rules about resuming: R24 to R37. Folder Session tests whole processes and streams as well.

import Foundation
import StreamManagement
import StreamSimulator
import Testing
import XMLTree

@Suite struct ResumingRules {
    @Test("R24 <resume/> is sent instead of binding, with the previous id and the handled count")
    func resume() {
        let core = TestCore.enabled()
        core.receiveMessage("1")
        core.handle(.transportLost)
        #expect(core.text(.resume) == ["send <resume previd='s1' h='1'/>"])
        let bound = TestCore()
        bound.handle(.bound(address: nil))
        #expect(bound.refusal(of: .resume) == .alreadyBound)
    }

    @Test("R25 Nothing is cleared before <resumed/> or <failed/> has come")
    func nothingCleared() {
        let core = TestCore.enabled()
        core.send("<message id='m1'/>")
        core.handle(.transportLost)
        for _ in 1...3 {
            #expect(core.text(.resume) == ["send <resume previd='s1' h='0'/>"])
            #expect(core.unacknowledged.map(\.id) == ["m1"])
            // The answer never comes.
            #expect(core.text(.transportLost) == [])
            #expect(core.resumption?.id.rawValue == "s1")
        }
        #expect(TestCore.sent(core.resume(h: 0)).count == 1)
    }

    @Test("R26 The core acknowledges, then resends the rest in order, before new stanzas; none counts twice")
    func resend() {
        let core = TestCore.enabled()
        for id in ["m1", "m2", "m3"] { core.send("<iq id='\(id)'/>") }
        core.handle(.transportLost)
        core.send("<iq id='m4'/>")
        core.handle(.resume)
        core.send("<iq id='m5'/>")
        #expect(
            core.receive("<sm:resumed previd='s1' h='1'/>") == [
                "report #1 acknowledged id=m1", "store later acknowledge 1, 1 of them",
                "notify resumed <resumed previd='s1' h='1'/>", "store sendWaiting", "transmit #2 <iq id='m2'/>",
                "transmit #3 <iq id='m3'/>", "transmit #4 <iq id='m4'/>", "transmit #5 <iq id='m5'/>",
            ])
        core.send("<iq id='m6'/>")
        core.receive("<sm:a h='6'/>")
        #expect(core.state == .enabled)
        #expect(core.unacknowledged.isEmpty)
    }

    @Test("D27 A resent message has the time of its first sending, once, and no sender; iq and presence do not")
    func delays() {
        let core = TestCore.enabled()
        let delay = "<delay xmlns='urn:xmpp:delay' stamp='1970-01-12T13:46:40.000Z'/>"
        core.send("<message id='m1'/>")
        core.send("<iq id='i2'/>")
        core.send("<presence id='p3'/>")
        core.send("<message id='m4'><delay xmlns='urn:xmpp:delay' from='room@example.org' stamp='x'/></message>")
        for own in ["from='Juliet@Example.org' ", "from='juliet@example.org/balcony' ", ""] {
            core.send("<message id='own'><delay xmlns='urn:xmpp:delay' \(own)stamp='x'/></message>")
        }
        for _ in 1...2 {
            core.wait(.seconds(10))
            core.handle(.transportLost)
            #expect(
                TestCore.sent(core.resume(h: 0)) == [
                    "transmit #1 <message id='m1'>\(delay)</message>", "transmit #2 <iq id='i2'/>",
                    "transmit #3 <presence id='p3'/>",
                    "transmit #4 <message id='m4'><delay xmlns='urn:xmpp:delay' from='room@example.org' stamp='x'/>"
                        + "\(delay)</message>",
                    "transmit #5 <message id='own'><delay xmlns='urn:xmpp:delay' from='Juliet@Example.org' stamp='x'/>"
                        + "</message>",
                    "transmit #6 <message id='own'><delay xmlns='urn:xmpp:delay' from='juliet@example.org/balcony' "
                        + "stamp='x'/></message>",
                    "transmit #7 <message id='own'><delay xmlns='urn:xmpp:delay' stamp='x'/></message>",
                ])
        }
        // A waiting stanza that is sent for the first time has no delay.
        core.handle(.transportLost)
        core.send("<message id='new'/>")
        #expect(core.resume(h: 7).last == "transmit #8 <message id='new'/>")
    }

    @Test("R28 After <resumed/> the core sends only unacknowledged stanzas")
    func nothingElse() {
        let core = TestCore.enabled()
        core.handle(.transportLost)
        #expect(core.resume(h: 0) == ["notify resumed <resumed previd='s1' h='0'/>"])
        #expect(core.didResume)
        core.handle(.transportLost)
        #expect(!core.didResume)
    }

    @Test("R29 The server may send <r/> at once after <resumed/>")
    func requestAtOnce() {
        let core = TestCore.enabled()
        core.receiveMessage("1")
        #expect(core.receive("<sm:r/>").last == "send <a h='1'/>")
        core.resume(h: 0)
        #expect(core.receive("<sm:r/>") == ["send <a h='1'/>"])
    }

    @Test("R30 <failed h/> acknowledges first; the policy decides about the rest")
    func failedWithCount() {
        func outcome(_ policy: FailurePolicy) -> [String] {
            let core = TestCore.enabled(.quiet { $0.failurePolicy = policy })
            for xml in ["<message id='m1'/>", "<message id='m2'/>", "<iq id='i3'/>"] { core.send(xml) }
            let actions = core.resumeAnswer("<sm:failed h='1'><err:item-not-found/></sm:failed>")
            let sent = TestCore.sent(core.text(.enable(resumption: true, maximum: nil, address: nil)))
            return actions.filter { $0.hasPrefix("report") } + sent.dropFirst().map { String($0.prefix(11)) }
        }
        let acknowledged = "report #1 acknowledged id=m1"
        #expect(
            outcome(.resendAll) == [
                acknowledged, "report #2 failed id=m2, resent", "report #3 failed id=i3, resent", "transmit #2",
                "transmit #3",
            ])
        #expect(
            outcome(.resendMessages) == [
                acknowledged, "report #2 failed id=m2, resent", "report #3 failed id=i3", "transmit #2",
            ])
        #expect(outcome(.resendNone) == [acknowledged, "report #2 failed id=m2", "report #3 failed id=i3"])
        #expect(
            outcome(.ask) == [acknowledged, "report #2 failed id=m2, undecided", "report #3 failed id=i3, undecided"])
    }

    @Test("R30 <failed/> without h: sent stanzas are unknown, and the others still wait")
    func failedWithoutCount() {
        let core = TestCore.enabled(.quiet { $0.failurePolicy = .resendNone })
        core.send("<message id='m1'/>")
        core.handle(.transportLost)
        core.send("<message id='m2'/>")
        core.handle(.resume)
        #expect(
            core.receive("<sm:failed/>") == [
                "notify notResumed <failed/>", "report #1 unknown id=m1",
                "store replace no resumption client=0 server=0 [#2 waiting]",
            ])
        #expect(
            TestCore.sent(core.text(.enable(resumption: true, maximum: nil, address: nil))).last
                == "transmit #2 <message id='m2'/>")
    }

    @Test("R30 The application decides about each stanza it is asked about, once")
    func decide() {
        let core = TestCore.enabled(.quiet { $0.failurePolicy = .ask })
        for id in ["m1", "m2", "m3"] { core.send("<message id='\(id)'/>") }
        #expect(core.resumeAnswer("<sm:failed/>").last == "notify undecided [#1 #2 #3]")
        #expect(core.undecided.count == 3)
        core.handle(.enable(resumption: true, maximum: nil, address: nil))
        core.receive("<sm:enabled id='s2' resume='true'/>")
        core.send("<message id='m4'/>")
        let wrong = TestCore.Core.Event.decide(resend: [OutgoingNumber(rawValue: 4)])
        #expect(core.refusal(of: wrong) == .nothingToDecide)
        let actions = core.text(.decide(resend: [OutgoingNumber(rawValue: 2)]))
        #expect(
            actions.dropLast() == [
                "report #1 unknown id=m1", "report #2 unknown id=m2, resent", "report #3 unknown id=m3",
                "store replace id=s2 client=0 server=0 [#4 #2]",
            ])
        #expect(actions.last?.hasPrefix("transmit #2 ") == true)
        #expect(core.refusal(of: .decide(resend: [])) == .nothingToDecide)
        #expect(
            core.receive("<sm:a h='2'/>").prefix(2) == ["report #4 acknowledged id=m4", "report #2 acknowledged id=m2"])
    }

    @Test("R31 After <failed/> the stream is alive: bind and enable again")
    func aliveAfterFailure() {
        let core = TestCore.enabled()
        #expect(!core.resumeAnswer("<sm:failed/>").contains { $0.hasPrefix("close") || $0.hasPrefix("abandon") })
        #expect(
            core.text(.enable(resumption: true, maximum: nil, address: nil)).contains("send <enable resume='true'/>"))
        core.receive("<sm:enabled id='s2' resume='true'/>")
        #expect(core.resumption?.id.rawValue == "s2")
        #expect(core.receiveMessage("1") != nil)
        #expect(core.handled == 1)
    }

    @Test("R32 A session with an id is resumed, however long ago the last contact was")
    func alwaysAttempted() {
        #expect(TestCore().refusal(of: .resume) == .noSession)
        // Long after `max`, and with a clock that was set back: neither proves that the server has lost the session.
        for time in [601, 10_000_000, -61, -10_000_000] as [Double] {
            let core = TestCore.enabled()
            core.handle(.transportLost)
            core.setDate(TestCore.start + time)
            #expect(core.canResume)
            #expect(core.text(.resume) == ["send <resume previd='s1' h='0'/>"])
        }
    }

    @Test("R32 A killed process leaves an old last contact, and its session is resumed all the same")
    func oldContact() {
        let resumption = ResumptionID("s1").map { Resumption(id: $0, maximum: 20) }
        for lastDisconnect in [nil, .distantPast, TestCore.start - 24, .distantFuture] {
            let core = TestCore(restoring: StoredSession(resumption: resumption, lastDisconnect: lastDisconnect))
            #expect(core.text(.resume) == ["send <resume previd='s1' h='0'/>"])
        }
    }

    @Test("R33 Requests survive a resumption, and the core reports a failed one")
    func requests() {
        let core = TestCore.enabled()
        core.send("<iq id='i1' type='get'/>")
        #expect(core.resume(h: 0).last == "transmit #1 <iq id='i1' type='get'/>")
        let actions = core.resumeAnswer("<sm:failed/>")
        #expect(actions.prefix(2) == ["notify notResumed <failed/>", "report #1 unknown id=i1"])
    }

    @Test("D34 A clean close removes the stored state; losing the connection keeps it")
    func storedState() {
        let lost = TestCore.enabled()
        lost.send("<message/>")
        #expect(!lost.text(.transportLost).contains("store remove"))
        #expect(lost.text(.close).suffix(2) == ["store remove", "close"])
        let closed = TestCore.enabled()
        #expect(closed.text(.close) == ["store remove", "close"])
    }

    @Test("R35 A stream that ends with conflict keeps the stored state; a complaint about a resumption does not")
    func conflict() {
        let core = TestCore.enabled()
        let actions = core.receive("<stream:error><err:conflict/></stream:error>")
        #expect(actions.last == "store lastDisconnect 1000000.0")
        #expect(core.text(.peerClosed) == [])
        #expect(core.text(.transportLost) == [])
        #expect(core.refusal(of: .resume) == nil)
        // The core gives up the session after an error that blames us.
        #expect(
            core.receive("<stream:error><err:undefined-condition/></stream:error>").contains(
                "notify sessionLost: complaint"))
        #expect(core.resumption == nil)
    }

    @Test("M36 One of two owners of a stored session gets an error")
    func oneOwner() throws {
        let storage = MemoryStorage()
        let first = try storage.open("juliet@example.org")
        #expect(throws: StorageError.inUse(account: "juliet@example.org")) { try storage.open("juliet@example.org") }
        let second = try storage.open("juliet@example.org", takingOver: true)
        #expect(throws: StorageError.takenOver(account: "juliet@example.org")) {
            try first.write([.handled(.zero)])
        }
        try second.write([.replace(StoredSession(address: "a"))])
        #expect(throws: StorageError.takenOver(account: "juliet@example.org")) { try first.load() }
        // Closing the old owner's store changes nothing for the new owner.
        first.close()
        #expect(throws: StorageError.inUse(account: "juliet@example.org")) { try storage.open("juliet@example.org") }
        second.close()
        #expect(try storage.open("juliet@example.org").load()?.address == "a")
    }

    @Test("R37 Inline: resuming comes before binding, and nothing is enabled twice")
    func inline() throws {
        let features = StreamFeatures(
            element(
                """
                <stream:features><sm:sm/><authentication xmlns='urn:xmpp:sasl:2'><mechanism>PLAIN</mechanism>\
                <inline><sm xmlns='urn:xmpp:sm:3'/><bind xmlns='urn:xmpp:bind:0'><inline>\
                <feature var='urn:xmpp:carbons:2'/><feature var='urn:xmpp:sm:3'/></inline></bind></inline>\
                </authentication></stream:features>
                """))
        let core = TestCore.enabled()
        core.handle(.transportLost)
        guard case .send(let resume)? = core.handle(.resume).first else { throw Unexpected() }
        let enable = Nonza.enable(resumption: true, maximum: nil)
        #expect(
            try InlineNegotiation.elements(resume: resume, enable: enable, tag: "Verona", features: features) == [
                element("<sm:resume previd='s1' h='0'/>"),
                element(
                    "<bind xmlns='urn:xmpp:bind:0'><tag>Verona</tag><enable xmlns='urn:xmpp:sm:3' resume='true'/></bind>"
                ),
            ])
        // Success: the core ignores the binding.
        let resumed = InlineNegotiation.Result(
            success: element(
                """
                <success xmlns='urn:xmpp:sasl:2'><resumed xmlns='urn:xmpp:sm:3' previd='s1' h='0'/>\
                <bound xmlns='urn:xmpp:bind:0'><enabled xmlns='urn:xmpp:sm:3'/></bound></success>
                """))
        #expect(resumed.isResumed)
        #expect(resumed.bound == nil)
        #expect(resumed.enabling == nil)
        // Failure, and a new session, in one answer.
        let bound = InlineNegotiation.Result(
            success: element(
                """
                <success xmlns='urn:xmpp:sasl:2'><failed xmlns='urn:xmpp:sm:3'/><bound xmlns='urn:xmpp:bind:0'>\
                <enabled xmlns='urn:xmpp:sm:3' id='s2' resume='true'/></bound></success>
                """))
        #expect(!bound.isResumed)
        if let failed = bound.resumption, let enabled = bound.enabling {
            core.handle(.received(failed))
            core.handle(.enable(resumption: true, maximum: nil, address: "juliet@example.org/Verona"))
            core.handle(.received(enabled))
        }
        #expect(core.resumption?.id.rawValue == "s2")
        // The features that follow do not make the core enable anything again.
        #expect(core.receive("<stream:features><sm:sm/></stream:features>").count == 1)
        #expect(core.refusal(of: .enable(resumption: true, maximum: nil, address: nil)) == .alreadyEnabled)
    }

    @Test("R37 The client asks inline only for inline features of the server")
    func inlineOffers() throws {
        let enable = Nonza.enable(resumption: true, maximum: nil)
        func elements(_ inline: String) throws -> [String] {
            let features = StreamFeatures(
                element(
                    "<stream:features><authentication xmlns='urn:xmpp:sasl:2'>\(inline)</authentication></stream:features>"
                ))
            return try InlineNegotiation.elements(
                resume: .resume(ResumptionID("s1")!, handled: .zero), enable: enable, features: features
            ).map(\.text)
        }
        #expect(try elements("") == [])
        #expect(try elements("<inline/>") == [])
        #expect(
            try elements("<inline><bind xmlns='urn:xmpp:bind:0'/></inline>") == ["<bind xmlns='urn:xmpp:bind:0'/>"])
        #expect(
            try elements("<inline><sm xmlns='urn:xmpp:sm:3'/></inline>") == ["<resume previd='s1' h='0'/>"])
        let nothing = InlineNegotiation.Result(success: element("<sm:resumed previd='s1' h='0'/>"))
        #expect(nothing == InlineNegotiation.Result(success: element("<success xmlns='urn:xmpp:sasl:2'/>")))
    }
}

struct Unexpected: Error {}
