// The rules about acknowledgements: R15 to D23.

import Foundation
import StreamManagement
import StreamSimulator
import Testing
import XMLTree

@Suite struct AcknowledgingRules {
    @Test("R15 The core answers a request at once, with the handled count, not the received one")
    func answers() {
        let core = TestCore.enabled()
        core.receiveMessage("1")
        core.receiveMessage("2", handled: false)
        #expect(core.receive("<sm:r/>") == ["store handled 1", "send <a h='1'/>"])
    }

    @Test("R16 The handled count advances over a gap-free prefix only")
    func prefix() {
        let core = TestCore.enabled()
        let numbers = (1...4).compactMap { core.receiveMessage("\($0)", handled: false) }
        core.handle(.markHandled(numbers[0]))
        core.handle(.markHandled(numbers[2]))
        #expect(core.handled == 1)
        core.handle(.markHandled(numbers[2]))
        #expect(core.handled == 1)
        #expect(core.text(.markHandled(numbers[1])) == ["store later handled 3"])
        #expect(core.handled == 3)
        #expect(core.refusal(of: .markHandled(IncomingNumber(rawValue: 99))) == .unknownStanza)
    }

    @Test("R17 A last <a/> is an event of its own: a stream closes without a count that cannot be stored (rule D51)")
    func lastAcknowledgement() {
        let core = TestCore.enabled()
        core.receiveMessage("1")
        #expect(core.text(.sendAcknowledgement).last == "send <a h='1'/>")
        #expect(core.text(.close).allSatisfy { !$0.hasPrefix("send") })
    }

    @Test("D18 At most one request in flight, and none without anything new")
    func oneRequest() {
        let core = TestCore.enabled()
        core.send("<message/>")
        #expect(core.text(.requestAcknowledgement) == ["send <r/>", "notify requested"])
        #expect(core.text(.requestAcknowledgement) == [])
        core.send("<message/>")
        #expect(core.text(.requestAcknowledgement) == [])
        // The core sends the skipped request when the answer has come.
        #expect(TestCore.sent(core.receive("<sm:a h='1'/>")) == ["send <r/>"])
        // The core does not repeat its requests forever to a peer that counts wrongly and answers less.
        #expect(TestCore.sent(core.receive("<sm:a h='1'/>")) == [])
        #expect(core.text(.requestAcknowledgement) == [])
        core.send("<message/>")
        #expect(TestCore.sent(core.text(.requestAcknowledgement)) == ["send <r/>"])
    }

    @Test("D18 A request for a sign of life needs no new stanza, is alone in flight, and has to be answered (D48)")
    func signOfLife() {
        let core = TestCore.enabled(.quiet { $0.acknowledgementTimeout = .seconds(30) })
        for _ in 1...2 {
            #expect(TestCore.sent(core.text(.signOfLifeIsDue)) == ["send <r/>"])
            #expect(core.text(.signOfLifeIsDue) == [])
            core.receive("<sm:a h='0'/>")
        }
        core.handle(.signOfLifeIsDue)
        core.send("<message/>")
        #expect(core.text(.requestAcknowledgement) == [])
        // The server has answered the first request only.
        #expect(TestCore.sent(core.receive("<sm:a h='0'/>")) == ["send <r/>"])
        core.wait(.seconds(30))
        #expect(core.text(.deadline(.missingAcknowledgement)).first == "abandon: acknowledgementMissing")
    }

    @Test("D19 Automatic requests come after N stanzas or T seconds, whichever is first")
    func automaticRequests() {
        let core = TestCore.enabled(.quiet { $0.acknowledgementRequests = .init(count: 5, interval: .seconds(2)) })
        // Five in a row.
        for _ in 1...4 { #expect(!core.send("<message/>").contains("send <r/>")) }
        #expect(
            core.send("<message/>").suffix(3) == ["cancel request", "send <r/>", "notify requested"])
        core.receive("<sm:a h='5'/>")
        // One: two seconds later.
        #expect(core.send("<message/>").last == "arm request at 2.0")
        core.wait(.seconds(1))
        #expect(core.text(.deadline(.request)) == [])
        core.send("<message/>")
        core.wait(.seconds(1))
        #expect(core.text(.deadline(.request)) == ["send <r/>", "notify requested"])
    }

    @Test("D19 Zero turns one of them off")
    func halfOff() {
        let byCount = TestCore.enabled(.quiet { $0.acknowledgementRequests = .init(count: 2) })
        #expect(TestCore.sent(byCount.send("<iq/>")) == ["transmit #1 <iq/>"])
        #expect(TestCore.sent(byCount.send("<iq/>")) == ["transmit #2 <iq/>", "send <r/>"])
        let byTime = TestCore.enabled(.quiet { $0.acknowledgementRequests = .init(interval: .milliseconds(500)) })
        #expect(byTime.send("<iq/>").last == "arm request at 0.5")
        for _ in 1...50 { #expect(TestCore.sent(byTime.send("<iq/>")).count == 1) }
        let off = TestCore.enabled(.quiet { $0.acknowledgementRequests = .init(count: -1, interval: .seconds(-1)) })
        for _ in 1...50 { #expect(off.send("<iq/>").count == 2) }
    }

    @Test("M20 A clock that runs backwards limits repeated answers all the same")
    func backwards() {
        let core = TestCore.enabled()
        core.setUptime(.seconds(100))
        #expect(core.receive("<sm:r/>") == ["send <a h='0'/>"])
        core.setUptime(.seconds(50))
        #expect(core.receive("<sm:r/>") == ["arm answer at 51.0"])
        for _ in 1...100 { #expect(core.receive("<sm:r/>") == []) }
        core.setUptime(.seconds(51))
        #expect(core.text(.deadline(.answer)) == ["send <a h='0'/>"])
    }

    @Test("M20 A storm of requests is answered once a second, but news at once")
    func storm() {
        let core = TestCore.enabled()
        var answers = 0
        for _ in 1...1000 {
            answers += TestCore.sent(core.receive("<sm:r/>")).count
            core.wait(.milliseconds(10))
            answers += TestCore.sent(core.text(.deadline(.answer))).count
        }
        // At 0, 1, … and 10 seconds.
        #expect(answers == 11)
        core.receiveMessage("news")
        core.wait(.seconds(2))
        core.text(.deadline(.answer))
        core.receiveMessage("more")
        #expect(TestCore.sent(core.receive("<sm:r/>")) == ["send <a h='2'/>"])
    }

    @Test("M21 Requests are not sent after every stanza")
    func fewRequests() {
        let core = TestCore.enabled(.quiet { $0.acknowledgementRequests = .init(count: 10, interval: .seconds(2)) })
        var requests = 0
        for count in 1...1000 {
            requests += TestCore.sent(core.send("<message/>")).count - 1
            if count.isMultiple(of: 10) { core.receive("<sm:a h='\(count)'/>") }
        }
        #expect(requests == 100)
    }

    @Test("M22 The tail is asked for, too")
    func tail() {
        let core = TestCore.enabled(.quiet { $0.acknowledgementRequests = .init(count: 10, interval: .seconds(2)) })
        for _ in 1...13 { core.send("<message/>") }
        // Three more than the request that is in flight covers.
        core.receive("<sm:a h='10'/>")
        #expect(core.unacknowledged.count == 3)
        core.wait(.seconds(2))
        #expect(TestCore.sent(core.text(.deadline(.request))) == ["send <r/>"])
        core.receive("<sm:a h='13'/>")
        #expect(core.unacknowledged.isEmpty)
    }

    @Test("D23 The queue is bounded, and drops nothing")
    func bounded() {
        let core = TestCore.enabled(.quiet { $0.maximumUnacknowledged = 3 })
        for _ in 1...3 {
            #expect(core.hasRoom)
            core.send("<message/>")
        }
        #expect(!core.hasRoom)
        #expect(core.refusal(of: .send(element("<message/>"), id: nil)) == .queueFull(limit: 3))
        #expect(core.unacknowledged.count == 3)
        core.receive("<sm:a h='1'/>")
        #expect(core.hasRoom)
        core.handle(.transportLost)
        core.send("<message/>")
        #expect(core.refusal(of: .send(element("<message/>"), id: nil)) == .queueFull(limit: 3))
    }

    @Test("D23 A full queue makes a request due, once, and again when it is full of others")
    func fullQueueAsks() {
        let core = TestCore.enabled(.quiet { $0.maximumUnacknowledged = 3 })
        for _ in 1...2 { #expect(!core.send("<message/>").contains("send <r/>")) }
        #expect(core.send("<message/>").contains("send <r/>"))
        // The server has handled one by now.
        #expect(TestCore.sent(core.receive("<sm:a h='1'/>")) == [])
        #expect(core.send("<message/>").contains("send <r/>"))
        #expect(TestCore.sent(core.receive("<sm:a h='1'/>")) == [])
        // If the queue fills between two streams, the request goes out on the next one.
        core.handle(.transportLost)
        #expect(TestCore.sent(core.resume(h: 1)).last == "send <r/>")
    }

    @Test("Stanzas that were sent before <enable/> do not count, and leave when the server has answered it")
    func sentBeforeEnabling() {
        let core = TestCore()
        core.handle(.bound(address: "juliet@example.org/balcony"))
        core.send("<message id='m1'/>")
        core.handle(.enable(resumption: true, maximum: nil, address: nil))
        core.send("<message id='m2'/>")
        #expect(core.receive("<sm:enabled id='s1' resume='true'/>").contains("report #1 sent id=m1"))
        #expect(core.receive("<sm:a h='2'/>").last?.hasPrefix("error ") == true)
    }

    @Test("The core bounds unhandled stanzas by reading no more")
    func boundedInput() {
        let core = TestCore.enabled(.quiet { $0.maximumUnhandled = 2 })
        let first = core.receiveMessage("1", handled: false)
        #expect(core.wantsInput)
        core.receiveMessage("2", handled: false)
        #expect(!core.wantsInput)
        if let first { core.handle(.markHandled(first)) }
        #expect(core.wantsInput)
    }
}
