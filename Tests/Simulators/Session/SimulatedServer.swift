// The server, and the network to it: one account, one session at a time.

/// A connection.
final class SessionLink {
    var isCut = false
}

/// A stanza of the server.
struct ServerStanza: Hashable {
    let id: String
    let kind: StanzaKind

    var isAnswer: Bool { if case .answer = kind { true } else { false } }
}

/// The other side. It loses nothing of a session that it remembers.
final class SimulatedServer {
    struct Session {
        let id: Int
        /// All stanzas that the server has sent in the session, in order.
        var sent: [ServerStanza] = []
        /// The number of acknowledged stanzas.
        var acknowledged = 0
    }

    private(set) var session: Session?
    /// Whether a greeting of this session has arrived, or is given up.
    var isGreeted = false
    private(set) var link: SessionLink?
    /// The stanzas that arrived, with the number of their arrivals.
    private(set) var received: [Int: Int] = [:]
    /// Requests of this session that the server may answer, with the number of answers.
    private var requests: [(id: String, answers: Int)] = []
    private var lastSession = 0
    private var lastStanza = 0
    private let ledger: SessionLedger

    init(ledger: SessionLedger) { self.ledger = ledger }

    func send(_ kind: StanzaKind) {
        guard session != nil else { return }
        lastStanza += 1
        let stanza = ServerStanza(id: "s\(lastStanza)", kind: kind)
        session?.sent.append(stanza)
        ledger.sent(stanza)
    }

    /// Answers a request, perhaps twice.
    func answer(_ index: Int) {
        guard session != nil, !requests.isEmpty else { return }
        let place = index % requests.count
        requests[place].answers += 1
        send(index % 5 == 4 ? .rejected(answer: requests[place].id) : .answer(requests[place].id))
        if requests[place].answers > 1 || index % 3 != 0 { requests.remove(at: place) }
    }

    var canAnswer: Bool { !requests.isEmpty }

    func receive(_ row: SimulatedDatabase.OutgoingRow) {
        received[row.number, default: 0] += 1
        if row.isRequest, received[row.number] == 1 { requests.append((row.id, 0)) }
    }

    /// Ends the session. Unacknowledged stanzas are lost.
    func forget() {
        if let session {
            for stanza in session.sent[session.acknowledged...] { ledger.exempt(stanza.id) }
        }
        session = nil
        requests = []
        link?.isCut = true
        link = nil
    }

    func begin(_ link: SessionLink) -> Int {
        forget()
        lastSession += 1
        session = Session(id: lastSession)
        isGreeted = false
        self.link = link
        return lastSession
    }

    func resume(_ link: SessionLink, handled: Int) throws(Violation) {
        self.link?.isCut = true
        self.link = link
        try acknowledge(handled)
    }

    /// The server sends an uncounted stanza once: the connection or the process may lose it.
    func acknowledgeUncounted(_ sent: Int) throws(Violation) {
        guard let session else { return }
        for stanza in session.sent[session.acknowledged..<sent] { ledger.exempt(stanza.id) }
        self.session?.acknowledged = sent
    }

    func acknowledge(_ handled: Int) throws(Violation) {
        guard let session else { return }
        guard handled >= session.acknowledged, handled <= session.sent.count else {
            throw Violation("h goes forward, and counts only sent stanzas", "\(handled)")
        }
        for stanza in session.sent[session.acknowledged..<handled] { try ledger.acknowledged(stanza.id) }
        self.session?.acknowledged = handled
    }
}
