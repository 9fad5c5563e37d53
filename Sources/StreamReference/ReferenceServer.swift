// The other side: a server's part of XEP-0198, written as plainly as can be, and without anything of StreamManagement,
// so that a mistake does not cancel itself out. It gives the verdicts of the simulators and of the torture kit.
//
// It knows neither bytes nor time limits: its owner parses, and reports lost connections. ServerSession.swift has its
// values; ServerSetup.swift has the circumstances.

import XMLTree

/// The server, with one account.
package final class ReferenceServer<Link: ServerLink> {
    package typealias Session = ServerSession<Link>
    package typealias Connection = ServerConnection<Link>

    package var setup: ServerSetup
    private var nextSession = 1
    package private(set) var sessions: [Session] = []
    /// The handled counts of sessions that are over.
    private var tombstones: [String: UInt32] = [:]
    package private(set) var connections: [Connection] = []
    /// The stanzas that wait for a client, in order.
    private var offline: [String] = []
    package var refuses = false
    /// Whether it has handled everything that it is asked about.
    package var handlesAtOnce = false
    /// How often it has refused a stanza since then.
    private var refusals: [String: Int] = [:]
    /// More than the client needs to find out which stanza is refused.
    private static var mostRefusals: Int { 100 }
    package var now: Duration = .zero
    private let record: any ServerRecord<Link>

    package init(setup: ServerSetup, record: any ServerRecord<Link>) {
        self.setup = setup
        self.record = record
    }

    @discardableResult
    package func accept(_ link: Link) -> Connection {
        let connection = Connection(link: link)
        connections.append(connection)
        return connection
    }

    /// The connection that stanzas for the client go to.
    package var active: Connection? { connections.last { $0.isBound } }

    package var activeSession: Session? { active?.session }

    // MARK: Its own actions

    /// Sends a stanza, or keeps it for the client's next session.
    package func deliver(_ id: String) {
        let waiting = active == nil ? sessions.last { $0.connection == nil } : nil
        if let session = active?.session ?? waiting {
            session.sent.append(id)
            if let connection = session.connection { write(record.stanza(id), to: connection) }
        } else if let connection = active {
            record.serverSentUncounted(id)
            write(record.stanza(id), to: connection)
        } else {
            offline.append(id)
        }
    }

    package func request() {
        if let connection = active, connection.session != nil { write("<r xmlns='urn:xmpp:sm:3'/>", to: connection) }
    }

    package func acknowledge() {
        guard let connection = active, let session = connection.session else { return }
        write("<a xmlns='urn:xmpp:sm:3' h='\(session.counter(session.handledCount))'/>", to: connection)
    }

    package func handle(_ count: Int) {
        guard let session = active?.session else { return }
        session.handledCount = min(session.received.count, session.handledCount + min(count, session.received.count))
    }

    /// Ends the sessions that no client has resumed in time.
    package func expire() throws(Violation) {
        for session in sessions {
            guard let lostAt = session.lostAt, now > lostAt + .seconds(setup.maximum) else { continue }
            try end(session, keepsTombstone: setup.keepsTombstones)
        }
    }

    /// The time passes for all sessions that have no connection.
    package func expireAll(keepsTombstones: Bool = false) throws(Violation) {
        for session in sessions where session.connection == nil { try end(session, keepsTombstone: keepsTombstones) }
    }

    package func restart() throws(Violation) {
        for connection in connections {
            write(
                "<stream:error><system-shutdown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>",
                to: connection)
            connection.link.isOpenAtServer = false
        }
        connections = []
        for session in sessions { try end(session, keepsTombstone: false) }
        tombstones = [:]
    }

    /// Ends a session, and stores its unacknowledged stanzas for later. If the session has no connection and another
    /// resource exists, even one that waits to be resumed, they go back to their senders, as with Prosody.
    private func end(_ session: Session, keepsTombstone: Bool) throws(Violation) {
        sessions.removeAll { $0 === session }
        if keepsTombstone { tombstones[session.id] = session.counter(session.received.count) }
        let left = session.sent[session.acknowledged...]
        if session.connection == nil, active != nil || !sessions.isEmpty {
            try record.bounced(left, from: session.id, besideLeftLink: active?.link.isLeft ?? true)
        } else {
            offline += left
        }
        session.connection?.session = nil
        session.connection = nil
    }

    // MARK: Connections

    package func notices(_ connection: Connection) {
        connections.removeAll { $0 === connection }
        connection.link.isOpenAtServer = false
        if let session = connection.session {
            session.connection = nil
            session.lostAt = now
            connection.session = nil
        }
    }

    /// The client has closed the stream: the session is over.
    package func receiveEnd(on connection: Connection) throws(Violation) {
        if let session = connection.session { try end(session, keepsTombstone: false) }
        notices(connection)
    }

    private func write(_ xml: String, to connection: Connection) {
        connection.link.writeToClient(Array(xml.utf8))
    }

    package func receive(_ element: Element, on connection: Connection) throws(Violation) {
        if let answer = record.answer(toBinding: element) { return try bind(connection, answer: answer) }
        switch (element.namespace, element.name) {
        case ("urn:xmpp:sm:3", "enable"): try enable(connection)
        case ("urn:xmpp:sm:3", "resume"): try resume(element, connection)
        case ("urn:xmpp:sm:3", "r"):
            guard let session = connection.session else { throw Violation("no <r/> without a session") }
            if handlesAtOnce { session.handledCount = session.received.count }
            write("<a xmlns='urn:xmpp:sm:3' h='\(session.counter(session.handledCount))'/>", to: connection)
        case ("urn:xmpp:sm:3", "a"):
            guard let session = connection.session else { throw Violation("no <a/> without a session") }
            try acknowledged(element["h"], session)
        case ("jabber:client", _): try receiveStanza(element, connection)
        default: throw Violation("the client sends only expected elements", element.description)
        }
    }

    private func bind(_ connection: Connection, answer: String) throws(Violation) {
        guard !connection.isBound else { throw Violation("a stream has one resource") }
        // A new resource takes the place of one that is connected, whose session is over.
        for other in connections where other !== connection && other.isBound {
            if let session = other.session { try end(session, keepsTombstone: setup.keepsTombstones) }
            close(other, condition: "conflict")
        }
        connection.isBound = true
        write(answer, to: connection)
    }

    package func close(_ connection: Connection, condition: String) {
        write(
            "<stream:error><\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>",
            to: connection)
        connection.link.isOpenAtServer = false
        connections.removeAll { $0 === connection }
    }

    private func enable(_ connection: Connection) throws(Violation) {
        guard connection.session == nil else { throw Violation("a stream has one <enable/>") }
        guard connection.isBound, !refuses else {
            return write(Self.failed("unexpected-request"), to: connection)
        }
        let session = Session(id: "\(setup.idPrefix)\(nextSession)", firstCounter: setup.firstCounter)
        nextSession += 1
        session.connection = connection
        connection.session = session
        sessions.append(session)
        record.begin(session, on: connection.link)
        let resumption = setup.isResumable ? " resume='true'" : ""
        let maximum = setup.announcesMaximum ? " max='\(setup.maximum)'" : ""
        let location = setup.location.map { " location='\($0)'" } ?? ""
        write(
            "<enabled xmlns='urn:xmpp:sm:3' id='\(session.idAsXML)'\(resumption)\(maximum)\(location)/>", to: connection
        )
        deliverOffline()
    }

    /// A refusal. Some clients read only one with a condition.
    private static func failed(_ condition: String, _ handled: String = "") -> String {
        "<failed xmlns='urn:xmpp:sm:3'\(handled)><\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></failed>"
    }

    private func deliverOffline() {
        let waiting = offline
        offline = []
        for id in waiting { deliver(id) }
    }

    private func resume(_ element: Element, _ connection: Connection) throws(Violation) {
        guard !connection.isBound else { throw Violation("no <resume/> after binding") }
        guard setup.isResumable else {
            throw Violation("a client resumes only a session that can be resumed", element.description)
        }
        if let refusal = setup.refusal { return refuse(refusal, on: connection) }
        guard let session = sessions.first(where: { $0.id == element["previd"] }) else {
            let tombstone = element["previd"].flatMap { tombstones[$0] }
            let handled = tombstone.map { " h='\($0)'" } ?? ""
            return write(Self.failed("item-not-found", handled), to: connection)
        }
        // An older connection's request may arrive after a newer one's, with a count below the known one.
        let behind = element["h"].flatMap { UInt32($0) }.map { session.counter(session.acknowledged) &- $0 } ?? 0
        if behind > 0, behind < UInt32(1) << 31 {
            return write(Self.failed("unexpected-request"), to: connection)
        }
        if let old = session.connection {
            old.session = nil
            close(old, condition: "conflict")
        }
        session.connection = connection
        session.lostAt = nil
        connection.session = session
        connection.isBound = true
        try acknowledged(element["h"], session)
        // Whatever was received is handled by now.
        session.handledCount = session.received.count
        write(
            "<resumed xmlns='urn:xmpp:sm:3' previd='\(session.idAsXML)' h='\(session.counter(session.handledCount))'/>",
            to: connection)
        let skipped = setup.replaysTooLittle ? 1 : 0
        for id in session.sent[session.acknowledged...].dropFirst(skipped) {
            write(record.stanza(id), to: connection)
        }
    }

    /// Does something else than answering `<resume/>`.
    private func refuse(_ refusal: ResumptionRefusal, on connection: Connection) {
        switch refusal {
        case .isSilent: return
        case .fails: return close(connection, condition: "internal-server-error")
        case .closes: write("</stream:stream>", to: connection)
        case .resets: connection.link.cut(asReset: true)
        }
        connection.link.isOpenAtServer = false
        connections.removeAll { $0 === connection }
    }

    private func acknowledged(_ h: String?, _ session: Session) throws(Violation) {
        guard let h = h.flatMap({ UInt32($0) }) else { throw Violation("h is a number", h ?? "none") }
        let count = Int(h &- session.counter(session.acknowledged))
        guard session.acknowledged + count <= session.sent.count else {
            throw Violation("h is not above the sent count", "h=\(h) after \(session.sent.count)")
        }
        session.acknowledged += count
    }

    /// Ends the stream because of a stanza, as Prosody does, and perhaps keeps the session.
    private func refuse(_ id: String, on connection: Connection) throws(Violation) {
        guard record.mayRefuse(id) else { throw Violation("stanzas stay below the server's limit", id) }
        if handlesAtOnce { refusals[id, default: 0] += 1 }
        if refusals[id, default: 0] > Self.mostRefusals { throw Violation("a refused stanza is given up", id) }
        if let session = connection.session {
            if setup.keepsSessionAtComplaint {
                session.connection = nil
                session.lostAt = now
                connection.session = nil
            } else {
                try end(session, keepsTombstone: setup.keepsTombstones)
            }
        }
        if setup.resetsAtComplaint {
            // The system resets the connection, because the rest of the stanza is unread. The error gets lost.
            connection.link.isOpenAtServer = false
            connection.link.cut(asReset: true)
            connections.removeAll { $0 === connection }
        } else {
            close(connection, condition: "policy-violation")
        }
    }

    private func receiveStanza(_ element: Element, _ connection: Connection) throws(Violation) {
        guard connection.isBound else { throw Violation("no stanza before a resource", element.description) }
        let id = try record.id(of: element)
        if let largest = setup.largestStanza, element.xmlBytes(in: .clientStream).count > largest {
            return try refuse(id, on: connection)
        }
        try record.serverReceived(element, id: id, in: connection.session)
        if setup.miscountsPresences, element.name == "presence" { return }
        connection.session?.received.append(id)
    }
}
