// A stream that prints each completed step. A test kills the process, and checks that its database has these steps.
//
//     sent N       the core has passed stanza N to the transport
//     answered N   the server has acknowledged all stanzas up to N, and the core receives that next
//     handled N    the client has handled N received stanzas, and the core is notified next
//     reported N   the client has acknowledged N stanzas to the server

import Foundation
import Persistence
import StreamManagement
import XMLTree

/// A core on a session in the database, with a scripted server.
struct ProbedStream: ~Copyable {
    private var core = StreamManagementCore()
    private var commits = CommitQueue()
    private let store: DatabaseSession

    init(_ session: DatabaseSession) { store = session }

    /// Enables stream management, and then sends and receives `count` stanzas.
    mutating func run(count: Int) throws {
        core.configuration.acknowledgements = .init(count: 2, interval: .zero)
        try handle(.enable(resumption: true, maximum: nil, address: "juliet@example.org/balcony"))
        try receive("<enabled xmlns='urn:xmpp:sm:3' id='s1' resume='true' max='600'/>")
        for number in 1...max(count, 1) {
            try handle(.send(try Element(stanza: "<message id='m\(number)'/>"), id: nil))
            if number % 3 == 0 {
                report("answered \(number - 1)")
                try receive("<a xmlns='urn:xmpp:sm:3' h='\(number - 1)'/>")
            }
            try receive("<message id='in\(number)'/>")
            report("handled \(number)")
            try handle(.markHandled(IncomingNumber(rawValue: UInt64(number))))
        }
        try handle(.transportLost)
    }

    private mutating func receive(_ xml: String) throws {
        try handle(.received(try Element(stanza: xml)))
    }

    private mutating func handle(_ event: StreamManagementCore.Event) throws {
        let now = Moment(uptime: .seconds(1), date: Date())
        var state = CommitQueue.EventState()
        for action in try core.handle(event, at: now) where commits.pass(action, of: &state) { perform(action) }
        while let changes = commits.begin() {
            try store.write(changes)
            commits.wasWritten()
            while case .action(let action, _)? = commits.next() { perform(action) }
        }
    }

    private func perform(_ action: StreamManagementCore.Action) {
        switch action {
        case .transmit(let number, _): report("sent \(number.rawValue)")
        case .send(.acknowledgement(let counter)): report("reported \(counter)")
        case .store, .send, .deliver, .pass, .report, .notify, .arm, .cancel, .sendStreamError, .closeStream,
            .abandonTransport:
            break
        }
    }
}
