// Every state and every event: how to reach each state, and each event in it.

import Foundation
import StreamManagement
import StreamSimulator
import Testing
import XMLTree

/// The rows and columns of the table in StatesAndEvents.md.
enum StateTable {
    /// The states, in the order in which sessions go through them.
    static let states = ["unbound", "bound", "refused", "enabling", "enabled", "suspended", "resuming", "ended"]

    /// An event.
    struct Row {
        let name: String
        let event: TestCore.Core.Event
        var configure: (inout StreamManagementConfiguration) -> Void = { _ in }
        /// The events that precede this one in the state.
        var before: (TestCore) -> Void = { _ in }
        /// A stanza of an earlier session waits for the application's decision.
        var isAsked = false
        /// The application greets sessions, so that the first stanza is held.
        var isHeld = false
    }

    static var wanted: [Row] {
        [
            Row(name: "restore", event: .restore(StoredSession(address: "juliet@example.org"))),
            Row(name: "bound", event: .bound(address: "juliet@example.org/balcony")),
            Row(name: "enable", event: .enable(resumption: true, maximum: .seconds(300), address: nil)),
            Row(name: "resume", event: .resume),
            Row(name: "send", event: .send(element("<message id='new'/>"), id: nil)),
            Row(name: "greet", event: .greet(element("<presence id='new'/>"), id: nil)),
            Row(name: "greeted", event: .greeted, isHeld: true),
            Row(name: "release", event: .release([OutgoingNumber(rawValue: 1)]), isHeld: true),
            Row(name: "identify", event: .identify(OutgoingNumber(rawValue: 1), as: "late")),
            Row(name: "withdraw, the first", event: .withdraw(OutgoingNumber(rawValue: 1))),
            Row(name: "withdraw, the third", event: .withdraw(OutgoingNumber(rawValue: 3))),
            Row(name: "requestAcknowledgement", event: .requestAcknowledgement),
            Row(
                name: "awaitRoom, and there is none", event: .awaitRoom(places: 10),
                configure: { $0.maximumUnacknowledged = 10 }),
            Row(name: "sendAcknowledgement", event: .sendAcknowledgement),
            Row(name: "markHandled", event: .markHandled(IncomingNumber(rawValue: 1))),
            Row(
                name: "handlingFailed",
                event: .handlingFailed(
                    ReceivedStanza(number: IncomingNumber(rawValue: 1), element: element("<message id='in'/>")))),
            Row(name: "decide, not asked", event: .decide(resend: [])),
            Row(name: "decide, asked", event: .decide(resend: [OutgoingNumber(rawValue: 1)]), isAsked: true),
            Row(name: "close", event: .close),
        ]
    }

    static var received: [Row] {
        [
            Row(name: "`<enabled/>`", event: .received(element("<sm:enabled id='s2' resume='true' max='60'/>"))),
            Row(name: "`<resumed/>`", event: .received(element("<sm:resumed previd='s1' h='1'/>"))),
            Row(name: "`<failed/>`", event: .received(element("<sm:failed/>"))),
            Row(name: "`<failed h='1'/>`", event: .received(element("<sm:failed h='1'/>"))),
            Row(name: "`<a/>`", event: .received(element("<sm:a h='1'/>"))),
            Row(name: "`<r/>`", event: .received(element("<sm:r/>"))),
            Row(name: "a stanza", event: .received(element("<message id='in2'/>"))),
            Row(name: "other elements of `urn:xmpp:sm:3`", event: .received(element("<sm:resume/>"))),
            Row(
                name: "a stream error",
                event: .received(element("<stream:error><err:system-shutdown/></stream:error>"))),
            Row(
                name: "a request beyond a limit",
                event: .rejected(rejected("<iq type='get' id='q1' from='a@b'><a><b/></a></iq>"))),
            Row(name: "anything else", event: .received(element("<stream:features/>"))),
        ]
    }

    static var passive: [Row] {
        [
            Row(name: "written", event: .written(through: OutgoingNumber(rawValue: 1))),
            Row(name: "signOfLifeIsDue", event: .signOfLifeIsDue),
            Row(name: "peerClosed", event: .peerClosed),
            Row(name: "transportLost", event: .transportLost),
            Row(name: "connectionReset", event: .connectionReset),
            Row(
                name: "deadline of `request`", event: .deadline(.request),
                configure: { $0.acknowledgementRequests.interval = .seconds(2) }),
            Row(
                name: "deadline of `repetition`", event: .deadline(.repetition),
                configure: { $0.maximumUnacknowledged = 10 },
                before: { core in
                    core.handle(.awaitRoom(places: 10))
                    if core.state == .enabled { core.receive("<sm:a h='0'/>") }
                    core.wait(.seconds(30))
                }),
            Row(
                name: "deadline of `acknowledgement`", event: .deadline(.acknowledgement),
                configure: { $0.acknowledgements.interval = .seconds(2) },
                before: { if $0.state == .enabled { $0.handle(.markHandled(IncomingNumber(rawValue: 1))) } }),
            Row(
                name: "deadline of `answer`", event: .deadline(.answer),
                configure: { $0.answerDelay = .seconds(2) },
                before: { if $0.state == .enabled { $0.receive("<sm:r/>") } }),
            Row(
                name: "deadline of `missingAcknowledgement`", event: .deadline(.missingAcknowledgement),
                configure: { $0.acknowledgementTimeout = .seconds(2) },
                before: { if $0.state == .enabled { $0.handle(.requestAcknowledgement) } }),
            Row(
                name: "deadline of `negotiation`", event: .deadline(.negotiation),
                configure: { $0.negotiationTimeout = .seconds(2) }),
            Row(
                name: "deadline of `refresh`", event: .deadline(.refresh),
                configure: { $0.disconnectRefreshInterval = .seconds(2) }),
        ]
    }

    /// A core in a state, with something of everything: stanzas that were sent, that wait, and that are not handled.
    static func core(in state: String, for row: Row) -> TestCore {
        let undecided = OutgoingStanza(
            number: OutgoingNumber(rawValue: 1), id: "old", element: element("<message id='old'/>"),
            firstSent: TestCore.start, isSent: false)
        var stored: StoredSession?
        if row.isAsked { stored = StoredSession(undecided: [undecided]) }
        if row.isHeld { stored = StoredSession(held: [undecided]) }
        let core = TestCore(.quiet(row.configure), restoring: stored, awaitsGreetings: row.isHeld)
        switch state {
        case "unbound": if row.name != "restore" { core.send("<message id='m1'/>") }
        case "bound":
            core.handle(.bound(address: "juliet@example.org/balcony"))
            core.send("<message id='m1'/>")
        case "refused":
            core.handle(.enable(resumption: true, maximum: nil, address: nil))
            core.send("<message id='m1'/>")
            core.receive("<sm:failed/>")
        default: fill(core, until: state)
        }
        precondition(core.state.text == state)
        row.before(core)
        core.wait(.seconds(2))
        return core
    }

    private static func fill(_ core: TestCore, until state: String) {
        core.handle(.enable(resumption: true, maximum: nil, address: "juliet@example.org/balcony"))
        if state == "enabling" {
            core.send("<message id='m1'/>")
            core.send("<iq id='i2'/>")
            return
        }
        core.receive("<sm:enabled id='s1' resume='true' max='600'/>")
        core.send("<message id='m1'/>")
        core.send("<iq id='i2'/>")
        core.receiveMessage("in", handled: false)
        switch state {
        case "suspended", "resuming":
            core.handle(.transportLost)
            core.send("<message id='m3'/>")
            if state == "resuming" { core.handle(.resume) }
        case "ended": core.handle(.close)
        default: break
        }
    }
}
