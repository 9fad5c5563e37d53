// The rules about counting: R1 to R8.

import StreamManagement
import StreamSimulator
import TestSupport
import Testing
import XMLTree

@Suite struct CountingRules {
    @Test("R1 Only iq, message and presence count")
    func onlyStanzasCount() {
        let core = TestCore.enabled()
        for xml in ["<iq/>", "<message/>", "<presence/>", "<message xmlns='jabber:server'/>"] {
            #expect(core.receive(xml).contains { $0.hasPrefix("deliver @") })
        }
        for xml in [
            "<sm:r/>", "<sm:a h='0'/>", "<stream:features/>", "<message xmlns='urn:x'/>", "<body/>",
            "<iq xmlns='jabber:component:accept'/>",
        ] {
            #expect(!core.receive(xml).contains { $0.hasPrefix("deliver") })
        }
        for number in 1...4 { core.handle(.markHandled(IncomingNumber(rawValue: UInt64(number)))) }
        #expect(core.text(.sendAcknowledgement).last == "send <a h='4'/>")
        #expect(core.refusal(of: .send(element("<sm:r/>"), id: nil)) == .notAStanza("r"))
        #expect(core.refusal(of: .send(element("<message xmlns='urn:x'/>"), id: nil)) == .notAStanza("message"))
    }

    @Test("R2 The outgoing count starts with <enable/>, the incoming count with <enabled/>")
    func countsStart() {
        let core = TestCore()
        core.handle(.bound(address: nil))
        core.send("<presence/>")
        core.handle(.enable(resumption: true, maximum: nil, address: nil))
        #expect(core.receive("<message id='early'/>") == ["deliver uncounted <message id='early'/>"])
        core.receive("<sm:enabled/>")
        #expect(core.receive("<sm:r/>") == ["send <a h='0'/>"])
        #expect(core.receiveMessage("first") != nil)
        #expect(core.text(.sendAcknowledgement) == ["send <a h='1'/>"])
        #expect(core.unacknowledged.isEmpty)
        #expect(core.receive("<sm:a h='0'/>") == [])
    }

    @Test("R3 Stanzas sent between <enable/> and <enabled/> count")
    func sentInBetween() {
        let core = TestCore()
        core.handle(.enable(resumption: true, maximum: nil, address: nil))
        core.send("<message id='m1'/>")
        core.receive("<sm:enabled id='s1' resume='true'/>")
        core.send("<message id='m2'/>")
        #expect(
            core.receive("<sm:a h='2'/>") == [
                "report #1 acknowledged id=m1", "report #2 acknowledged id=m2", "store later acknowledge 2, 2 of them",
            ])
    }

    @Test("R4 Counters wrap from 2^32-1 to 0", arguments: [UInt32.max, UInt32.max - 1, 0, 1, 0x8000_0000] as [UInt32])
    func wrap(start: UInt32) {
        let counter = StanzaCounter(rawValue: start)
        #expect(counter.advanced(by: 1).rawValue == start &+ 1)
        #expect(counter.advanced(by: 1).distance(from: counter) == 1)
        #expect(counter.distance(from: counter) == 0)
        #expect(counter.distance(from: counter.advanced(by: 1)) == .max)
        // A core with these counters acknowledges and counts across the wrap.
        let core = TestCore(
            restoring: StoredSession(
                resumption: Resumption(id: ResumptionID("s1")!), handledByClient: counter, handledByServer: counter))
        #expect(core.text(.resume) == ["send <resume previd='s1' h='\(start)'/>"])
        core.receive("<sm:resumed previd='s1' h='\(start)'/>")
        for id in 1...3 {
            core.send("<message id='\(id)'/>")
            core.receiveMessage("\(id)")
        }
        #expect(core.text(.sendAcknowledgement).last == "send <a h='\(start &+ 3)'/>")
        #expect(core.receive("<sm:a h='\(start &+ 1)'/>").count == 2)
        #expect(core.receive("<sm:a h='\(start &+ 3)'/>").count == 3)
        #expect(core.unacknowledged.isEmpty)
    }

    @Test("D5 h is valid if it covers only unacknowledged stanzas")
    func validCounts() {
        var random = SeededGenerator(salt: 5)
        for _ in 0..<SeededGenerator.cases(default: 300) {
            let last = UInt32.max &- UInt32.random(in: 0...6, using: &random)
            let count = UInt32.random(in: 0...8, using: &random)
            let distance = random.chance(70) ? UInt32.random(in: 0...10, using: &random) : random.next32()
            let core = TestCore(
                restoring: StoredSession(
                    resumption: Resumption(id: ResumptionID("s1")!),
                    handledByServer: StanzaCounter(rawValue: last)))
            core.resume(h: Int(last))
            for _ in 0..<count { core.send("<message/>") }
            let actions = core.receive("<sm:a h='\(last &+ distance)'/>")
            if distance <= count {
                #expect(core.state == .enabled)
                #expect(core.unacknowledged.count == Int(count - distance))
                #expect(core.acknowledged == last &+ distance)
            } else {
                #expect(core.state == .ended)
                #expect(actions.last?.hasPrefix("error handledCountTooHigh") == true)
            }
        }
        let error = StreamError.handledCountTooHigh(
            handled: StanzaCounter(rawValue: 9), sent: StanzaCounter(rawValue: 2))
        #expect(
            error.element
                == element(
                    """
                    <stream:error><err:undefined-condition/><err:text xml:lang='en'>the acknowledgement covers 9 \
                    stanzas, but only 2 were sent</err:text>\
                    <sm:handled-count-too-high h='9' send-count='2'/></stream:error>
                    """))
    }

    @Test("M6 An ack does not forget stanzas in flight")
    func inFlight() {
        let core = TestCore.enabled()
        for id in 1...5 { core.send("<message id='\(id)'/>") }
        core.receive("<sm:a h='3'/>")
        core.send("<message id='6'/>")
        core.receive("<sm:a h='5'/>")
        #expect(core.unacknowledged.map(\.id) == ["6"])
    }

    @Test("R7 A stanza that the application cannot parse counts as handled")
    func malformed() {
        let core = TestCore.enabled()
        for xml in ["<message type='no-such-type'><body><nonsense/></body></message>", "<iq/>", "<presence to=''/>"] {
            guard case .deliver(let stanza)? = core.handle(.received(element(xml))).first, let number = stanza.number
            else {
                Issue.record("not delivered: \(xml)")
                continue
            }
            core.handle(.markHandled(number))
        }
        #expect(core.handled == 3)
    }

    /// The report of a parser with small limits.
    private static func beyond(_ start: String) -> RejectedStanza {
        rejected("<\(start)><a><b/></a></\(start.prefix { $0 != " " })>")
    }

    @Test("R7 A stanza beyond a limit of the parser is reported, and counts as handled in its place")
    func beyondLimits() {
        let core = TestCore.enabled()
        let first = core.receiveMessage("1", handled: false)
        #expect(core.text(.rejected(Self.beyond("message id='m2' from='a@b'"))) == ["notify rejected message id=m2"])
        core.receiveMessage("3")
        #expect(core.handled == 0)
        if let first { core.handle(.markHandled(first)) }
        #expect(core.receive("<sm:r/>") == ["store handled 3", "send <a h='3'/>"])
        // The stanza comes again if the server lacks its acknowledgement, and is not reported a second time.
        let other = TestCore.enabled()
        other.receiveMessage("1", handled: false)
        other.handle(.rejected(Self.beyond("message id='m2'")))
        other.resume(h: 0)
        #expect(other.receive("<message id='1'/>") == [])
        #expect(other.text(.rejected(Self.beyond("message id='m2'"))) == [])
        #expect(other.text(.rejected(Self.beyond("message id='m3'"))) == ["notify rejected message id=m3"])
    }

    @Test("R7 A request beyond a limit gets an error, which is stored before its count")
    func requestBeyondLimits() {
        let core = TestCore.enabled()
        let answer =
            "<iq type='error' id='q1' to='a@b'><error type='modify'>"
            + "<policy-violation xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>"
            + "<text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas' xml:lang='en'>"
            + "the request is beyond a limit of the recipient's parser</text></error></iq>"
        for type in ["get", "set"] {
            let number = core.unacknowledged.count + 1
            #expect(
                core.text(.rejected(Self.beyond("iq type='\(type)' id='q1' from='a@b'"))) == [
                    "notify rejected iq id=q1", "store append #\(number)", "store later handled \(number)",
                    "transmit #\(number) \(answer)",
                ])
        }
        // The core answers no other stanza, nor one whose answer would be too long.
        for start in [
            "iq type='result' id='q1'", "iq type='error' id='q1'", "iq type='get'", "message type='get' id='q1'",
            "iq type='get' id='\(String(repeating: "q", count: 1025))'",
            "iq type='get' id='q1' from='\(String(repeating: "q", count: 3072))'",
        ] { #expect(core.text(.rejected(Self.beyond(start))).count == 2, "\(start)") }
        // It does not answer a stanza whose sender may follow after the limit.
        let cut = rejected("<iq type='get' id='q1' a='' from='a@b'/>", limits: ParserLimits(attributes: 3))
        #expect(core.text(.rejected(cut)).count == 2)
        core.configuration.maximumUnacknowledged = 2
        #expect(core.text(.rejected(Self.beyond("iq type='get' id='q1'"))).count == 2)
    }

    @Test("R7 A stanza with a fault of namespaces counts, and a request gets not-acceptable")
    func namespaceFaults() {
        let core = TestCore.enabled()
        core.receiveMessage("1")
        let message = rejected("<message id='m2' from='a@b'><x xmlns='urn:p' p:y='1'/></message>")
        #expect(core.text(.rejected(message)) == ["notify rejected message id=m2", "store later handled 2"])
        let request = rejected("<iq type='get' id='q1' from='a@b' p:y='1'/>")
        let answer =
            "<iq type='error' id='q1' to='a@b'><error type='modify'>"
            + "<not-acceptable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>"
            + "<text xmlns='urn:ietf:params:xml:ns:xmpp-stanzas' xml:lang='en'>"
            + "the request is not namespace-well-formed</text></error></iq>"
        #expect(
            core.text(.rejected(request)) == [
                "notify rejected iq id=q1", "store append #1", "store later handled 3", "transmit #1 \(answer)",
            ])
        // The name of the stanza itself has the fault: it does not count.
        #expect(core.text(.rejected(rejected("<p:message id='m4'/>"))) == ["notify rejected message id=m4"])
        #expect(core.receive("<sm:r/>") == ["store handled 3", "send <a h='3'/>"])
    }

    @Test("R1 The core reports an element beyond a limit that is not a stanza, and does not count it")
    func othersBeyondLimits() {
        let core = TestCore.enabled()
        for start in ["other", "message xmlns='urn:x'", "sm:a xmlns:sm='urn:xmpp:sm:3' h='7'"] {
            #expect(core.text(.rejected(Self.beyond(start))).count == 1)
        }
        #expect(core.handled == 0)
        // Uncounted stanzas are reported, too; before a resource is bound, the server may not send any.
        let bound = TestCore()
        #expect(bound.text(.rejected(Self.beyond("message"))).first?.hasPrefix("error ") == true)
        let other = TestCore()
        other.handle(.bound(address: nil))
        #expect(other.text(.rejected(Self.beyond("message"))) == ["notify rejected message id=none"])
        #expect(other.text(.rejected(Self.beyond("iq type='get' id='q1'"))).count == 3)
    }

    @Test(
        "R8 An h that is not a counter is the peer's violation",
        arguments: [
            "", "h=''", "h='-1'", "h='1.0'", "h='one'", "h='4294967296'", "h='99999999999999999999'", "h=' 1'",
            "h='+1'",
            "h='0x1'", "h='\u{661}'",
        ])
    func invalidCounts(attribute: String) {
        let core = TestCore.enabled()
        core.send("<message/>")
        #expect(core.receive("<sm:a \(attribute)/>").last == "error invalidHandledCount")
        #expect(core.state == .ended)

        let resuming = TestCore.enabled()
        resuming.send("<message/>")
        #expect(resuming.resumeAnswer("<sm:resumed previd='s1' \(attribute)/>").last == "error invalidHandledCount")
        #expect(resuming.state == .ended)
        #expect(resuming.resumption == nil)

        let failing = TestCore.enabled()
        failing.send("<message/>")
        let actions = failing.resumeAnswer("<sm:failed \(attribute)/>")
        #expect((actions.last == "error invalidHandledCount") == !attribute.isEmpty)
        #expect(StreamError.invalidHandledCount.element.firstChild?.name == "invalid-xml")
    }

    @Test("R8 Leading zeros and the largest number are valid")
    func validSpellings() {
        #expect(StanzaCounter("4294967295")?.rawValue == .max)
        #expect(StanzaCounter("000000000000000000007")?.rawValue == 7)
        #expect(StanzaCounter("0")?.rawValue == 0)
    }
}

extension TestCore {
    /// Loses the connection, asks for resumption, and receives an answer.
    func resumeAnswer(_ xml: String) -> [String] {
        handle(.transportLost)
        handle(.resume)
        return receive(xml)
    }
}

extension SeededGenerator {
    fileprivate mutating func next32() -> UInt32 { UInt32(truncatingIfNeeded: next()) }
}
