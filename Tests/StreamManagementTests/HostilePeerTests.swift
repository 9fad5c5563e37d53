// Random events in any order: the core never crashes, never grows beyond its bounds, and reports every violation.

import Foundation
import Simulators
import StreamManagement
import TestSupport
import Testing
import XMLTree

@Suite struct HostilePeerTests {
    static let elements = [
        "<sm:enabled/>", "<sm:enabled id='s1' resume='true'/>", "<sm:enabled id='s1' resume='1' max='3'/>",
        "<sm:failed/>",
        "<sm:failed h='1'/>", "<sm:failed h='x'/>", "<sm:resumed/>", "<sm:resumed previd='s1' h='0'/>",
        "<sm:resumed previd='other' h='0'/>", "<sm:resumed h='1'/>", "<sm:a/>", "<sm:a h='0'/>", "<sm:a h='1'/>",
        "<sm:a h='2'/>", "<sm:a h='4294967295'/>", "<sm:r/>", "<sm:enable/>", "<sm:x/>", "<message id='in'/>", "<iq/>",
        "<presence/>", "<stream:error><err:conflict/></stream:error>", "<stream:error/>", "<stream:features/>",
    ].map(element)

    private static func event(_ random: inout SeededGenerator) -> TestCore.Core.Event {
        func number() -> UInt64 { UInt64.random(in: 0...40, using: &random) }
        return switch Int.random(in: 0..<100, using: &random) {
        case ..<45: .received(random.pick(Self.elements))
        case ..<55: .send(random.pick(Self.elements), id: nil)
        case ..<63: .markHandled(IncomingNumber(rawValue: number()))
        case ..<66: .handlingFailed(ReceivedStanza(number: IncomingNumber(rawValue: number()), element: elements[18]))
        case ..<68: .identify(OutgoingNumber(rawValue: number()), as: "late")
        case ..<72: .enable(resumption: random.chance(80), maximum: .seconds(number()), address: "a@example.org/b")
        case ..<74: .bound(address: nil)
        case ..<79: .resume
        case ..<82: .requestAcknowledgement
        case ..<85: .sendAcknowledgement
        case ..<87: .decide(resend: [OutgoingNumber(rawValue: number())])
        case ..<88: .close
        case ..<89: .peerClosed
        case ..<94: .transportLost
        default: .deadline(random.pick(TestCore.Core.Timer.allCases))
        }
    }

    @Test func anythingInAnyOrder() {
        for round in 0..<UInt64(SeededGenerator.cases(default: 40)) {
            var random = SeededGenerator(salt: round)
            var setup = StreamSetup(drawnFrom: &random)
            setup.configuration.maximumUnacknowledged = 8
            let core = TestCore(setup.configuration)
            for _ in 0..<500 {
                if random.chance(30) { core.wait(.milliseconds(Int.random(in: 0...3000, using: &random))) }
                let event = Self.event(&random)
                let before = core.state
                if core.refusal(of: event) != nil {
                    // An element of the peer never throws an error at the application.
                    if case .received = event { Issue.record("refused \(event)") }
                    #expect(core.state == before)
                }
                let waiting = core.unacknowledged
                #expect(waiting.count + core.undecided.count <= 8)
                // Sent stanzas come first, and no number is used twice.
                let firstWaiting = waiting.firstIndex { !$0.isSent } ?? waiting.count
                #expect(waiting[firstWaiting...].allSatisfy { !$0.isSent })
                #expect(Set(waiting.map(\.number)).count == waiting.count)
                // A session that can be resumed is in one of three states.
                if core.resumption != nil {
                    #expect(["enabled", "suspended", "resuming"].contains(core.state.text))
                }
            }
        }
    }

    /// A stored session may be wrong, too: the core trusts it as little as the network.
    @Test func anythingStored() {
        for round in 0..<UInt64(SeededGenerator.cases(default: 60)) {
            var random = SeededGenerator(salt: 1000 + round)
            func stanzas() -> [OutgoingStanza] {
                (0..<Int.random(in: 0...5, using: &random)).map { _ in
                    OutgoingStanza(
                        number: OutgoingNumber(rawValue: random.pick([0, 1, 2, 7, .max - 1, .max])), id: nil,
                        element: random.pick(Self.elements),
                        firstSent: random.pick([
                            nil, TestCore.start, .distantPast, .distantFuture, Date(timeIntervalSince1970: .infinity),
                            Date(timeIntervalSince1970: .nan), Date(timeIntervalSince1970: -1e300),
                        ]),
                        isSent: random.chance(50))
                }
            }
            let session = StoredSession(
                resumption: random.chance(70) ? ResumptionID("s1").map { Resumption(id: $0, maximum: 1) } : nil,
                lastDisconnect: random.pick([nil, .distantPast, .distantFuture, TestCore.start]),
                handledByClient: StanzaCounter(rawValue: .max), handledByServer: StanzaCounter(rawValue: .max - 1),
                pending: stanzas(), undecided: stanzas(), handlingAttempts: random.pick([0, .max, .min]),
                unansweredResumptions: random.pick([0, .max, .min]))
            let core = TestCore(restoring: session)
            for _ in 0..<100 { _ = core.refusal(of: Self.event(&random)) }
            #expect(["enabled", "suspended", "resuming"].contains(core.state.text) || core.resumption == nil)
        }
    }
}
