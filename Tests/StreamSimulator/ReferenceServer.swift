// The other side: a server's part of XEP-0198, written as plainly as can be, and without anything of the module under
// test, so that a mistake does not cancel itself out.

import Foundation
import XMLTree

/// A session as the server sees it.
final class ServerSession {
    let id: String
    let firstCounter: UInt32
    /// The ids of all stanzas sent to the client, in order; those before `acknowledged` are acknowledged.
    var sent: [String] = []
    var acknowledged = 0
    /// The ids of all stanzas received from the client, in order; those before `handledCount` are handled.
    var received: [String] = []
    var handledCount = 0
    /// The connection it is on, which the server holds.
    weak var connection: ServerConnection?
    var lostAt: Duration?

    init(id: String, firstCounter: UInt32) {
        self.id = id
        self.firstCounter = firstCounter
    }

    /// `h` for so many stanzas.
    func counter(_ count: Int) -> UInt32 { firstCounter &+ UInt32(truncatingIfNeeded: count) }
}

/// A connection as the server sees it.
final class ServerConnection {
    let link: SimulatedLink
    var parser: XMLStreamParser
    var isBound = false
    var session: ServerSession?

    init(link: SimulatedLink) {
        self.link = link
        parser = XMLStreamParser(mode: .stream)
        parser.feed(SimulatedClient.header)
    }
}

/// The server, with one account.
final class ReferenceServer {
    private let setup: Setup
    private var nextSession = 1
    private(set) var sessions: [ServerSession] = []
    /// The handled counts of sessions that are over.
    private var tombstones: [String: UInt32] = [:]
    private(set) var connections: [ServerConnection] = []
    /// The stanzas that wait for a client, in order.
    private var offline: [String] = []
    private(set) var nextMessage = 1
    var refuses = false
    /// Whether it has handled everything that it is asked about.
    var handlesAtOnce = false
    /// How often it has refused a stanza since then.
    private var refusals: [String: Int] = [:]
    /// The recipients of the client's stanzas.
    private var recipients: [String: String] = [:]
    /// More than the client needs to find out which stanza is refused.
    private static let mostRefusals = 100
    var now: Duration = .zero
    let ledger: Ledger

    init(setup: Setup, ledger: Ledger) {
        self.setup = setup
        self.ledger = ledger
    }

    func accept(_ link: SimulatedLink) { connections.append(ServerConnection(link: link)) }

    /// The connection that stanzas for the client go to.
    private var active: ServerConnection? { connections.last { $0.isBound } }

    var activeSession: ServerSession? { active?.session }

    // MARK: Its own actions

    func sendMessage(isRejected: Bool = false) {
        let id = (isRejected ? ["b", "q", "a"][nextMessage % 3] : "s") + "\(nextMessage)"
        nextMessage += 1
        ledger.serverSent(id)
        deliver(id)
    }

    /// Sends the presence that shows that the client has joined the room.
    func join() {
        let id = "j\(nextMessage)"
        nextMessage += 1
        ledger.serverSent(id)
        deliver(id)
    }

    /// Answers the last message with an error.
    func bounce() {
        let id = activeSession?.received.last { ledger.canBounce($0) }
        guard let id else { return }
        ledger.serverBounces(id)
        deliver(id)
    }

    /// The stanza with this id. Stanzas that the client's parser rejects have ids of their own.
    private func message(_ id: String) -> String {
        let content = Self.fault(id) ?? "<a><b><c/></b></a>"
        return switch id.first {
        case "b": "<message id='\(id)'>\(content)</message>"
        case "q": "<iq type='get' from='r@example.org' id='\(id)'>\(content)</iq>"
        case "a": "<iq type='result' from='r@example.org' id='\(id)'>\(content)</iq>"
        case "j":
            "<presence id='\(id)' from='\(SimulatedClient.room)/n'><x xmlns='http://jabber.org/protocol/muc#user'>"
                + "<status code='110'/></x></presence>"
        case "c": "<message type='error' id='\(id)'\(recipients[id].map { " from='\($0)'" } ?? "")/>"
        default: "<message id='\(id)'/>"
        }
    }

    /// A fault of namespaces as servers relay it; `nil` for a stanza beyond a limit.
    private static func fault(_ id: String) -> String? {
        let faults = [
            nil, "<x xmlns='urn:p' p:y='1'/>", nil,
            "<x xmlns:ns1='http://www.w3.org/XML/1998/namespace' ns1:foo='1' xmlns='urn:q'/>",
        ]
        return Int(id.dropFirst()).flatMap { faults[$0 % faults.count] }
    }

    private func deliver(_ id: String) {
        let waiting = active == nil ? sessions.last { $0.connection == nil } : nil
        if let session = active?.session ?? waiting {
            session.sent.append(id)
            if let connection = session.connection { write(message(id), to: connection) }
        } else if let connection = active {
            ledger.serverSentUncounted(id)
            write(message(id), to: connection)
        } else {
            offline.append(id)
        }
    }

    func request() {
        if let connection = active, connection.session != nil { write("<r xmlns='urn:xmpp:sm:3'/>", to: connection) }
    }

    func acknowledge() {
        guard let connection = active, let session = connection.session else { return }
        write("<a xmlns='urn:xmpp:sm:3' h='\(session.counter(session.handledCount))'/>", to: connection)
    }

    func handle(_ count: Int) {
        guard let session = active?.session else { return }
        session.handledCount = min(session.received.count, session.handledCount + min(count, session.received.count))
    }

    /// Ends the sessions that no client has resumed in time.
    func expire() throws {
        for session in sessions {
            guard let lostAt = session.lostAt, now > lostAt + .seconds(setup.maximum) else { continue }
            try end(session, keepsTombstone: setup.keepsTombstones)
        }
    }

    /// The time passes for all sessions that have no connection.
    func expireAll() throws {
        for session in sessions where session.connection == nil { try end(session, keepsTombstone: false) }
    }

    func restart() throws {
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
    private func end(_ session: ServerSession, keepsTombstone: Bool) throws {
        sessions.removeAll { $0 === session }
        if keepsTombstone { tombstones[session.id] = session.counter(session.received.count) }
        let left = session.sent[session.acknowledged...]
        if session.connection == nil, active != nil || !sessions.isEmpty {
            try ledger.bounced(left, from: session.id, besideLeftLink: active?.link.isLeft ?? true)
        } else {
            offline += left
        }
        session.connection?.session = nil
        session.connection = nil
    }

    // MARK: Connections

    func notices(_ connection: ServerConnection) {
        connections.removeAll { $0 === connection }
        connection.link.isOpenAtServer = false
        if let session = connection.session {
            session.connection = nil
            session.lostAt = now
            connection.session = nil
        }
    }

    func receive(_ bytes: ArraySlice<UInt8>, on connection: ServerConnection) throws {
        connection.parser.feed(bytes)
        while connection.link.isOpenAtServer {
            guard let event = try next(connection) else { return }
            switch event {
            case .streamStart: continue
            case .element(let element, _): try receive(element, on: connection)
            case .rejected(let stanza): throw stanza.error
            case .streamEnd:
                if let session = connection.session { try end(session, keepsTombstone: false) }
                return notices(connection)
            }
        }
    }

    private func next(_ connection: ServerConnection) throws -> XMLStreamParser.Event? {
        do {
            return try connection.parser.next()
        } catch {
            throw Violation("the client writes XML", "\(error)")
        }
    }

    private func write(_ xml: String, to connection: ServerConnection) {
        connection.link.writeToClient(Array(xml.utf8))
    }

    private func receive(_ element: Element, on connection: ServerConnection) throws {
        switch (element.namespace, element.name) {
        case ("urn:xmpp:sm:3", "enable"): enable(connection)
        case ("urn:xmpp:sm:3", "resume"): try resume(element, connection)
        case ("urn:xmpp:sm:3", "r"):
            guard let session = connection.session else { throw Violation("no <r/> without a session") }
            if handlesAtOnce { session.handledCount = session.received.count }
            write("<a xmlns='urn:xmpp:sm:3' h='\(session.counter(session.handledCount))'/>", to: connection)
        case ("urn:xmpp:sm:3", "a"):
            guard let session = connection.session else { throw Violation("no <a/> without a session") }
            try acknowledged(element["h"], session)
        case ("jabber:client", "iq") where element["id"] == "bind": try bind(connection)
        case ("jabber:client", _): try receiveStanza(element, connection)
        default: throw Violation("the client sends only expected elements", element.text)
        }
    }

    private func bind(_ connection: ServerConnection) throws {
        // A new resource takes the place of one that is connected, whose session is over.
        for other in connections where other !== connection && other.isBound {
            if let session = other.session { try end(session, keepsTombstone: setup.keepsTombstones) }
            close(other, condition: "conflict")
        }
        connection.isBound = true
        write("<iq type='result' id='bind'/>", to: connection)
    }

    private func close(_ connection: ServerConnection, condition: String) {
        write(
            "<stream:error><\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>",
            to: connection)
        connection.link.isOpenAtServer = false
        connections.removeAll { $0 === connection }
    }

    private func enable(_ connection: ServerConnection) {
        guard connection.isBound, !refuses else {
            return write("<failed xmlns='urn:xmpp:sm:3'/>", to: connection)
        }
        let session = ServerSession(id: "id\(nextSession)", firstCounter: setup.firstCounter)
        nextSession += 1
        session.connection = connection
        connection.session = session
        sessions.append(session)
        ledger.begin(session, transmitted: connection.link.transmitted)
        let maximum = setup.announcesMaximum ? " max='\(setup.maximum)'" : ""
        write("<enabled xmlns='urn:xmpp:sm:3' id='\(session.id)' resume='true'\(maximum)/>", to: connection)
        deliverOffline()
    }

    private func deliverOffline() {
        let waiting = offline
        offline = []
        for id in waiting { deliver(id) }
    }

    private func resume(_ element: Element, _ connection: ServerConnection) throws {
        guard !connection.isBound else { throw Violation("no <resume/> after binding") }
        if let refusal = setup.refusal { return refuse(refusal, on: connection) }
        guard let session = sessions.first(where: { $0.id == element["previd"] }) else {
            let tombstone = element["previd"].flatMap { tombstones[$0] }
            let handled = tombstone.map { " h='\($0)'" } ?? ""
            return write("<failed xmlns='urn:xmpp:sm:3'\(handled)/>", to: connection)
        }
        // An older connection's request may arrive after a newer one's, with a count below the known one.
        let behind = element["h"].flatMap { UInt32($0) }.map { session.counter(session.acknowledged) &- $0 } ?? 0
        if behind > 0, behind < UInt32(1) << 31 {
            return write("<failed xmlns='urn:xmpp:sm:3'/>", to: connection)
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
            "<resumed xmlns='urn:xmpp:sm:3' previd='\(session.id)' h='\(session.counter(session.handledCount))'/>",
            to: connection)
        let skipped = setup.fault == .serverReplaysTooLittle ? 1 : 0
        for id in session.sent[session.acknowledged...].dropFirst(skipped) {
            write(message(id), to: connection)
        }
    }

    /// Does something else than answering `<resume/>`.
    private func refuse(_ refusal: Setup.ResumptionRefusal, on connection: ServerConnection) {
        switch refusal {
        case .isSilent: return
        case .fails: return close(connection, condition: "internal-server-error")
        case .closes: write("</stream:stream>", to: connection)
        case .resets: connection.link.cut(asReset: true)
        }
        connection.link.isOpenAtServer = false
        connections.removeAll { $0 === connection }
    }

    private func acknowledged(_ h: String?, _ session: ServerSession) throws {
        guard let h = h.flatMap({ UInt32($0) }) else { throw Violation("h is a number", h ?? "none") }
        let count = Int(h &- session.counter(session.acknowledged))
        guard session.acknowledged + count <= session.sent.count else {
            throw Violation("h is not above the sent count", "h=\(h) after \(session.sent.count)")
        }
        session.acknowledged += count
    }

    /// Ends the stream because of a stanza, as Prosody does, and perhaps keeps the session.
    private func refuse(_ id: String, on connection: ServerConnection) throws {
        guard setup.isTooLarge(id) else { throw Violation("stanzas stay below the server's limit", id) }
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

    private func receiveStanza(_ element: Element, _ connection: ServerConnection) throws {
        guard connection.isBound else { throw Violation("no stanza before a resource", element.text) }
        guard let id = element["id"] else { throw Violation("stanzas have ids", element.text) }
        if let largest = setup.largestStanza, element.xmlBytes(in: .clientStream).count > largest {
            return try refuse(id, on: connection)
        }
        if element["type"] == "error" {
            let condition = Self.fault(id) == nil ? "policy-violation" : "not-acceptable"
            guard element.firstChild?.firstChild?.name == condition else {
                throw Violation("the answer names the reason of the rejection", element.text)
            }
        }
        recipients[id] = element["to"]
        try ledger.serverReceived(id, in: connection.session)
        if setup.fault != .serverMiscounts || element.name != "presence" { connection.session?.received.append(id) }
    }
}
