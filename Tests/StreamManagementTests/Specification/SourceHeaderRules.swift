// Rules of the header that the module follows, which are easy to miss: R41 to R44, D48.

import Foundation
import StreamManagement
import StreamSimulator
import Testing
import XMLTree

@Suite struct SourceHeaderRules {
    @Test(
        "R41 max is sent for a positive time, in whole seconds, fractions cut off",
        arguments: [
            (Duration.seconds(300), " max='300'"), (.milliseconds(300_999), " max='300'"),
            (.milliseconds(1000), " max='1'"),
            (.milliseconds(999), ""), (.zero, ""), (.seconds(-5), ""), (.milliseconds(-1500), ""),
            (.seconds(Int64.max), " max='4294967295'"),
        ])
    func maximum(time: Duration, attribute: String) {
        let core = TestCore()
        #expect(
            core.text(.enable(resumption: true, maximum: time, address: nil)).last
                == "send <enable resume='true'\(attribute)/>")
        let without = TestCore()
        #expect(
            without.text(.enable(resumption: false, maximum: time, address: nil)).last == "send <enable\(attribute)/>")
    }

    @Test("R42 Automatic actions are off by default, readable and exact")
    func defaults() {
        var configuration = StreamManagementConfiguration()
        #expect(!configuration.resumesAutomatically)
        #expect(configuration.acknowledgementRequests == AcknowledgementTrigger(count: 0, interval: .zero))
        #expect(configuration.acknowledgements == AcknowledgementTrigger(count: 0, interval: .zero))
        #expect(configuration.answerDelay == .zero)
        configuration.answerDelay = .milliseconds(500)
        configuration.acknowledgements = .init(count: 3, interval: .nanoseconds(1))
        let core = TestCore(configuration)
        #expect(core.configuration.answerDelay == .milliseconds(500))
        #expect(core.configuration.acknowledgements.interval == .nanoseconds(1))
        // A change counts from the next event on.
        let changed = TestCore.enabled()
        #expect(changed.receive("<sm:r/>").last == "send <a h='0'/>")
        changed.configuration.answerDelay = .milliseconds(500)
        changed.receiveMessage("1")
        #expect(changed.receive("<sm:r/>") == ["arm answer at 0.5"])
    }

    @Test("R42 Resuming by hand is possible instead of binding, and binding follows if it fails")
    func byHand() {
        let core = TestCore.enabled()
        core.handle(.transportLost)
        #expect(core.refusal(of: .resume) == nil)
        core.receive("<sm:failed/>")
        #expect(core.refusal(of: .resume) == .noSession)
        #expect(core.refusal(of: .bound(address: nil)) == nil)
    }

    @Test("R43 An ack by hand or in answer resets the automatic ones")
    func resets() throws {
        let core = TestCore.enabled(.quiet { $0.acknowledgements = .init(count: 3, interval: .seconds(2)) })
        core.receiveMessage("1")
        core.receiveMessage("2")
        #expect(core.text(.sendAcknowledgement) == ["cancel acknowledgement", "store handled 2", "send <a h='2'/>"])
        core.receiveMessage("3")
        core.receiveMessage("4")
        #expect(core.receive("<sm:r/>") == ["cancel acknowledgement", "store handled 4", "send <a h='4'/>"])
        core.receiveMessage("5")
        core.receiveMessage("6")
        guard case .deliver(let stanza)? = core.handle(.received(element("<iq/>"))).first, let number = stanza.number
        else { throw Unexpected() }
        #expect(
            core.text(.markHandled(number)) == [
                "store later handled 7", "cancel acknowledgement", "store handled 7", "send <a h='7'/>",
            ])
    }

    @Test("Automatic acks come T seconds after the first stanza that was handled since the last one")
    func automaticAcknowledgements() throws {
        let core = TestCore.enabled(.quiet { $0.acknowledgements = .init(count: 0, interval: .seconds(2)) })
        guard case .deliver(let stanza)? = core.handle(.received(element("<iq/>"))).first, let number = stanza.number
        else { throw Unexpected() }
        #expect(core.text(.markHandled(number)) == ["store later handled 1", "arm acknowledgement at 2.0"])
        core.wait(.seconds(1))
        core.receiveMessage("2")
        core.wait(.seconds(1))
        #expect(core.text(.deadline(.acknowledgement)) == ["store handled 2", "send <a h='2'/>"])
    }

    @Test("R43 Several requests during a response delay get one answer")
    func delayedAnswer() {
        let core = TestCore.enabled(.quiet { $0.answerDelay = .milliseconds(500) })
        #expect(core.receive("<sm:r/>") == ["arm answer at 0.5"])
        core.receiveMessage("1")
        #expect(core.receive("<sm:r/>") == [])
        #expect(core.receive("<sm:r/>") == [])
        core.wait(.milliseconds(500))
        #expect(core.text(.deadline(.answer)) == ["store handled 1", "send <a h='1'/>"])
        // An ack by hand answers, too.
        core.receiveMessage("2")
        core.receive("<sm:r/>")
        #expect(core.text(.sendAcknowledgement) == ["cancel answer", "store handled 2", "send <a h='2'/>"])
    }

    @Test("R44 A stanza without id counts, is stored, and is only missing among the ids")
    func withoutID() {
        let core = TestCore.enabled()
        core.send("<message id='m1'/>")
        core.send("<message/>")
        core.send("<message id='m3'/>", id: "mine")
        #expect(core.unacknowledged.map(\.id) == ["m1", nil, "mine"])
        let actions = core.handle(.received(element("<sm:a h='3'/>")))
        let ids = actions.compactMap { action in
            if case .report(let report) = action { report.id } else { StanzaID?.none }
        }
        #expect(ids == ["m1", "mine"])
    }

    @Test("D48 A request that is not answered in time means that the link is dead")
    func deadLink() {
        let core = TestCore.enabled(.quiet { $0.acknowledgementTimeout = .seconds(30) })
        core.send("<message/>")
        #expect(core.text(.requestAcknowledgement).last == "arm missingAcknowledgement at 30.0")
        core.wait(.seconds(29))
        #expect(core.receive("<sm:a h='1'/>").contains("cancel missingAcknowledgement"))
        core.wait(.seconds(1))
        // The timer fires late, although it was canceled.
        #expect(core.text(.deadline(.missingAcknowledgement)) == [])
        core.send("<message/>")
        core.handle(.requestAcknowledgement)
        // And a restarted timer does not end early.
        #expect(core.text(.deadline(.missingAcknowledgement)) == [])
        core.wait(.seconds(30))
        #expect(
            core.text(.deadline(.missingAcknowledgement)) == [
                "abandon: acknowledgementMissing", "store lastDisconnect 1000060.0",
            ])
        #expect(core.refusal(of: .resume) == nil)
    }

    @Test("D48 While nothing is read, a missing ack means nothing")
    func pausedReading() {
        let core = TestCore.enabled(
            .quiet {
                $0.acknowledgementTimeout = .seconds(30)
                $0.maximumUnhandled = 1
            })
        core.send("<message/>")
        core.handle(.requestAcknowledgement)
        core.receiveMessage("1", handled: false)
        core.wait(.seconds(30))
        #expect(core.text(.deadline(.missingAcknowledgement)) == ["arm missingAcknowledgement at 60.0"])
    }

    @Test("D48 The count is tested again when an ack arrives")
    func countAgain() {
        let core = TestCore.enabled(.quiet { $0.acknowledgementRequests.count = 2 })
        for _ in 1...5 { core.send("<message/>") }
        #expect(TestCore.sent(core.receive("<sm:a h='2'/>")) == ["send <r/>"])
    }
}
