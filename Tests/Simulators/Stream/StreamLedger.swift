// A record of the actions of both sides, and the invariants of that record.

import StreamManagement
import StreamReference
import XMLTree

typealias ServerSession = StreamReference.ServerSession<SimulatedLink>

/// The ids of stanzas in the order in which the client counted them in one session.
final class TransmissionLog {
    private(set) var ids: [String] = []
    private var known: Set<String> = []

    /// - Parameter number: Distinguishes stanzas of the same id.
    func add(_ id: String, _ number: OutgoingNumber) {
        if known.insert("\(id)#\(number.rawValue)").inserted { ids.append(id) }
    }

    /// The server has received `count` stanzas. The client sends the others again, or takes them back.
    func trim(to count: Int) {
        ids.removeLast(max(0, ids.count - count))
        known = []
    }
}

/// The record of a stanza that the client's application sent.
struct SentStanza {
    let isMessage: Bool
    /// The client's answer to a request that its parser rejected.
    var isAnswer = false
    /// The client has reported to the application that the stanza is stored.
    var isAccepted = false
    /// The client has reported to the application that it cannot store the stanza.
    var isRefused = false
    /// The process that gave the stanza up.
    var deadLetterProcess: Int?
    /// The number of complaints that the client has handled since it sent the stanza.
    var losses = 0
    /// It was taken back, or given up by closing: nothing is promised.
    var isExempt = false
    /// How many copies the server received.
    var copies = 0
    /// The last report was final, and said so.
    var end: StanzaState?
    /// A process was killed since it was sent: reports may be lost.
    var mayHaveLostReports = false
    /// The application decided not to send it again.
    var isDropped = false
    /// The application has taken it back before it was sent.
    var isWithdrawn = false
    /// Whether an error has answered it.
    var isBounced = false
    /// The connection that it was written on last.
    var link: SimulatedLink?
}

/// The invariants between the two sides.
final class StreamLedger: ServerRecord {
    private let setup: StreamSetup
    private(set) var sessions: [String: ServerSession] = [:]
    fileprivate var logs: [String: TransmissionLog] = [:]
    /// How many of a session's stanzas are known to be durably handled.
    private var reportedCounts: [String: Int] = [:]
    private(set) var sent: [String: SentStanza] = [:]
    private(set) var sentOrder: [String] = []
    private var serverMessages: [String] = []
    /// The recipients of the client's stanzas.
    private var recipients: [String: String] = [:]
    private var greetingCount = 0
    private var answerCount = 0
    private var uncounted: Set<String> = []
    private var givenUp: Set<String> = []
    /// The number of processes that have ended.
    private var processCount = 0
    /// The answered requests, with the session and the process.
    private var answered: Set<[String]> = []
    /// The number of unanswered resumptions in a row of each session.
    private var unanswered: [String: Int] = [:]
    /// The sessions that the client is to resume.
    private var known: Set<String> = []

    init(setup: StreamSetup) {
        self.setup = setup
    }

    func begin(_ session: ServerSession, on link: SimulatedLink) {
        sessions[session.id] = session
        logs[session.id] = link.transmitted
    }

    // MARK: From client to server

    func clientSends(_ id: String, isMessage: Bool) {
        sent[id] = SentStanza(isMessage: isMessage)
        sentOrder.append(id)
    }

    /// The id of the next greeting.
    func makeGreeting() -> String {
        greetingCount += 1
        return "g\(greetingCount)"
    }

    /// The id of the next answer of a transaction.
    func makeAnswer() -> String {
        answerCount += 1
        return "t\(answerCount)"
    }

    /// A stanza is stored.
    ///
    /// - Parameter isReported: Whether the application waits for that: not for greetings, nor for answers of the core.
    func clientAccepted(_ id: String, isReported: Bool = true) throws(Violation) {
        if isReported, sent[id]?.isAccepted == true { throw Violation("a commit is reported once", id) }
        sent[id]?.isAccepted = true
    }

    func clientRefused(_ id: String) { sent[id]?.isRefused = true }

    func processKilled() {
        processCount += 1
        for id in sentOrder where sent[id]?.end == nil { sent[id]?.mayHaveLostReports = true }
    }

    func exempt(_ id: String) { sent[id]?.isExempt = true }

    func setDropped(_ id: String, _ isDropped: Bool) { sent[id]?.isDropped = isDropped }

    func withdrawn(_ id: String) { sent[id]?.isWithdrawn = true }

    func clientWrote(_ id: String, on link: SimulatedLink) { sent[id]?.link = link }

    /// Stanzas arrive in the order in which the client counts them: none is missing, none comes twice.
    func serverReceived(_ element: Element, id: String, in session: ServerSession?) throws(Violation) {
        if element["type"] == "error" {
            let condition = Self.fault(id) == nil ? "policy-violation" : "not-acceptable"
            guard element.firstChild?.firstChild?.name == condition else {
                throw Violation("the answer names the reason of the rejection", element.text ?? "")
            }
        }
        recipients[id] = element["to"]
        guard let stanza = sent[id] else { throw Violation("the server receives only sent stanzas", id) }
        if stanza.isRefused { throw Violation("a stanza that was not stored does not arrive", id) }
        if stanza.isWithdrawn { throw Violation("a withdrawn stanza does not arrive", id) }
        sent[id]?.copies += 1
        if setup.configuration.failurePolicy == .resendNone, stanza.copies >= 1, !stanza.isAnswer {
            throw Violation("without resending, nothing arrives twice", id)
        }
        guard let session, let log = logs[session.id] else { return }
        let position = session.received.count
        guard position < log.ids.count, log.ids[position] == id else {
            let expected = position < log.ids.count ? log.ids[position] : "nothing"
            throw Violation("the server receives everything once and in order", "\(id) instead of \(expected)")
        }
    }

    func reported(_ report: StanzaReport, id: String) throws(Violation) {
        guard let stanza = sent[id] else { throw Violation("reports are about sent stanzas", id) }
        switch report.state {
        case .acknowledged where stanza.copies == 0:
            throw Violation("an acknowledged stanza has arrived", id)
        case .bounced where !stanza.isBounced:
            throw Violation("a stanza reported as bounced was answered with an error", id)
        case .sent where stanza.link == nil:
            throw Violation("a stanza reported as sent was written", id)
        case .queued, .sent, .acknowledged, .bounced, .failed, .unknown: break
        }
        // An error can come before the acknowledgement.
        if case .bounced = stanza.end { return }
        if report.prospect == .final { sent[id]?.end = report.state }
    }

    // MARK: Dead letters

    /// The client has handled a complaint while a stanza was in flight.
    func complained(about id: String) throws(Violation) {
        sent[id]?.losses += 1
        guard setup.isTooLarge(id), let stanza = sent[id], stanza.losses > max(setup.configuration.maximumLosses, 2)
        else { return }
        throw Violation("a stanza that the server refuses is given up", "\(id) after \(stanza.losses) complaints")
    }

    /// The session gave up a stanza: only one that the server refuses each time. One that left the queue when it was
    /// written can also be the reason of a complaint, and the simulator cannot distinguish the two.
    func deadLettered(_ id: String) throws(Violation) {
        guard let stanza = sent[id] else { throw Violation("dead letters were sent", id) }
        let hasOther = sentOrder.contains { setup.isTooLarge($0) && sent[$0]?.end == .sent }
        if !setup.isTooLarge(id), !hasOther { throw Violation("no stanza is given up that the server accepts", id) }
        // A process that is killed before this is stored leaves the stanza to the next one.
        if stanza.deadLetterProcess == processCount { throw Violation("a dead letter is reported once", id) }
        sent[id]?.deadLetterProcess = processCount
    }

    // MARK: Rejected stanzas

    /// The client answers a request once in a session, unless its process ends in between.
    func answers(_ id: String, session: String?) throws(Violation) {
        guard answered.insert([id, session ?? "", "\(processCount)"]).inserted else {
            throw Violation("a rejected request is answered once", id)
        }
        guard sent[id] == nil else { return }
        clientSends(id, isMessage: false)
        sent[id]?.isAnswer = true
    }

    func hasAnswered(_ id: String) -> Bool { sent[id]?.isAnswer == true }

    // MARK: Sessions

    func clientKnows(_ session: String) { known.insert(session) }

    /// The client does not want a session to be resumed, or must not.
    func abandoned(_ session: String) { known.remove(session) }

    /// A session has ended beside another resource. The server may have bound that late, on a connection that the
    /// client gave up long ago.
    func bounced(_ ids: ArraySlice<String>, from session: String, besideLeftLink isLeft: Bool) throws(Violation) {
        if !ids.isEmpty, !isLeft, known.contains(session) {
            throw Violation("no resource is bound beside a session that can be resumed", session)
        }
        uncounted.formUnion(ids)
    }

    /// The client has handled, and stored, that the server did not answer `<resume/>`.
    func unanswered(_ session: String) throws(Violation) {
        unanswered[session, default: 0] += 1
        guard unanswered[session, default: 0] > StreamManagementConfiguration.resumptionAttempts else { return }
        throw Violation("a session that the server does not answer about is given up", session)
    }

    func answered(_ session: String) { unanswered[session] = nil }

    // MARK: Errors

    /// Whether the recipient of a stanza can answer it with an error. It does so once.
    func canBounce(_ id: String) -> Bool { sent[id].map { $0.isMessage && !$0.isBounced } ?? false }

    func serverBounces(_ id: String) {
        sent[id]?.isBounced = true
        serverSent(id)
    }

    /// The application gets an error for a stanza that this process has sent: the stanza has its report by then.
    func received(bounceOf id: String) throws(Violation) {
        if sent[id]?.end == .acknowledged { throw Violation("an error is linked to its stanza", id) }
    }

    // MARK: From server to client

    /// Begins the server's next stanza: `s` is an ordinary one, `j` shows that the client has joined the room, the
    /// client's parser rejects the others.
    func nextStanza(_ kinds: String) -> String {
        let number = serverMessages.count + 1
        let id = "\(Array(kinds)[number % kinds.count])\(number)"
        serverSent(id)
        return id
    }

    func stanza(_ id: String) -> String {
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

    func answer(toBinding element: Element) -> String? {
        element.name == "iq" && element["id"] == "bind" ? "<iq type='result' id='bind'/>" : nil
    }

    func id(of stanza: Element) throws(Violation) -> String {
        guard let id = stanza["id"] else { throw Violation("stanzas have ids", stanza.text ?? "") }
        return id
    }

    func mayRefuse(_ id: String) -> Bool { setup.isTooLarge(id) }

    func serverSent(_ id: String) { serverMessages.append(id) }

    func serverSentUncounted(_ id: String) { uncounted.insert(id) }

    /// The client sends `h`: it covers only stored effects, and is stored itself.
    func clientReports(_ counter: StanzaCounter, session id: String?, disk: SimulatedDisk) throws(Violation) {
        guard let id, let session = sessions[id] else { return }
        let count = Int(counter.rawValue &- session.firstCounter)
        guard count <= session.sent.count else {
            throw Violation("h is not above the received count", "\(counter) after \(session.sent.count)")
        }
        for position in reportedCounts[id, default: 0]..<max(count, reportedCounts[id, default: 0])
        where !isDone(session.sent[position], disk) {
            throw Violation("h is not above the handled count", "\(counter) without \(session.sent[position])")
        }
        reportedCounts[id] = max(count, reportedCounts[id, default: 0])
        // A write may store a later count, too.
        if disk.session?.resumption?.id.rawValue == id, let stored = disk.session?.handledByClient.rawValue,
            stored &- counter.rawValue > UInt32.max / 2
        {
            throw Violation("h is stored before it is sent", "\(counter)")
        }
    }

    /// Stanzas are delivered in the order in which the server counts them: none is missing, none comes twice.
    func delivered(_ id: String, at position: Int, session sessionID: String?) throws(Violation) {
        guard let sessionID, let session = sessions[sessionID] else { return }
        guard position < session.sent.count, session.sent[position] == id else {
            let expected = position < session.sent.count ? session.sent[position] : "nothing"
            throw Violation("the application gets everything once and in order", "\(id) instead of \(expected)")
        }
    }

    /// A stanza was given up: never one that was handled, for it cannot have ended a process again and again.
    func incomingDeadLettered(_ id: String, disk: SimulatedDisk) throws(Violation) {
        if disk.handled.contains(id) { throw Violation("a handled stanza is not dead-lettered", id) }
        givenUp.insert(id)
    }

    /// A rejected stanza was reported, which is all that can be done with it.
    func reported(rejected id: String) { givenUp.insert(id) }

    private func isDone(_ id: String, _ disk: SimulatedDisk) -> Bool {
        disk.handled.contains(id) || givenUp.contains(id)
    }

    // MARK: At the end

    /// Everything has come to rest: nothing was lost.
    func checkEnd(disk: SimulatedDisk) throws(Violation) {
        for id in serverMessages where !uncounted.contains(id) && !isDone(id, disk) {
            throw Violation("no stanza from the server is lost", id)
        }
        for id in sentOrder {
            guard let stanza = sent[id], stanza.isAccepted, !stanza.isExempt else { continue }
            if stanza.end == nil, !stanza.mayHaveLostReports {
                throw Violation("the client reports the end of every stanza", id)
            }
            guard stanza.copies == 0 else { continue }
            if stanza.end == .sent {
                // Without counting, a written stanza is lost only with its connection.
                if let link = stanza.link, link.isCut || !link.isOpenAtServer { continue }
                throw Violation("a written stanza arrives", id)
            }
            // The application has dropped it, and the process was killed before the report.
            if stanza.end == nil, stanza.isDropped, stanza.mayHaveLostReports { continue }
            if stanza.end == nil { throw Violation("no stanza from the client is lost without a report", id) }
            let mayEndUnsent =
                switch setup.configuration.failurePolicy {
                case .resendAll: false
                case .resendMessages: !stanza.isMessage
                case .resendNone: true
                case .ask: stanza.isDropped
                }
            if !mayEndUnsent, stanza.deadLetterProcess == nil {
                throw Violation("a stanza that the policy sends again arrives", id)
            }
        }
    }
}

extension StreamLedger {
    /// The stanzas that the client has sent in a session so far.
    func log(of session: String) -> TransmissionLog? { logs[session] }
}
