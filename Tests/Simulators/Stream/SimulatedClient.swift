// The client's process: it runs the core as a program would, from its start until it is killed.

import Foundation
import StreamManagement
import XMLTree

/// A process that runs a core.
final class SimulatedClient {
    typealias Core = StreamManagementCore

    static let header =
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>"

    /// No stanza that the client accepts is deeper.
    private static let limits = ParserLimits(depth: 3)

    /// The room that messages of type `groupchat` are for.
    static let room = "r@c.example.org"

    var core: Core
    var commits = CommitQueue()
    /// The write that runs.
    var writing: (@Sendable (any SessionStore) throws -> AppCommit.Written?)?
    /// Stanzas that are reported as stored with a commit, and whether the application waits for that.
    var unstored: [Unstored] = []
    /// The transactions of the application, by their commits.
    var transactions: [CommitQueue.Number: Transaction] = [:]
    /// The next transaction fails for a reason of its own.
    var failsTransaction = false
    let disk: SimulatedDisk
    let ledger: StreamLedger
    let setup: StreamSetup
    var link: SimulatedLink?
    var parser = XMLStreamParser(mode: .stream, limits: SimulatedClient.limits)
    /// Whether the client enables stream management after the binding under way.
    var binding: Bool?
    var transmitted = TransmissionLog()
    /// The session that the server may hold for the client.
    var known: String?
    var actions: [Core.Action] = []
    /// The writes that the transport has not taken. They are lost with the connection.
    var outbox: [(bytes: [UInt8], number: OutgoingNumber?)] = []
    var now: Moment
    /// Gets the lines of the transcript, if requested.
    var log: ((String) -> Void)?

    /// The delivered stanzas that the application has not handled.
    var unhandled: [ReceivedStanza] = []
    var deliveredCount = 0
    /// The stanzas that come again because their handling failed.
    var redelivered: Set<IncomingNumber> = []
    /// The rejected stanzas that count.
    var countedRejections: Set<String> = []
    /// The counted stanzas that the application has got from this process.
    var delivered: Set<String> = []
    var ids: [OutgoingNumber: String] = [:]
    var lastSent: OutgoingNumber?
    /// Waiting stanzas that the application has taken back, with the commits of that.
    var withdrawn: [(number: CommitQueue.Number, id: String)] = []
    /// The stanzas that this process has sent.
    var sentHere: Set<String> = []
    /// The session is to be greeted before anything else is sent.
    var mustGreet = false
    /// The messages to the room that waited when the session began. They wait until it is joined.
    var waitsForRoom: Set<OutgoingNumber> = []
    /// Armed timers, and some canceled ones.
    var armed: [(timer: Core.Timer, deadline: Duration)] = []
    var canceled: [Core.Timer] = []
    let tally: StreamTally

    init(
        disk: SimulatedDisk, setup: StreamSetup, ledger: StreamLedger, tally: StreamTally, now: Moment,
        log: ((String) -> Void)?
    ) throws {
        self.disk = disk
        self.setup = setup
        self.ledger = ledger
        self.now = now
        self.log = log
        self.tally = tally
        core = Core(
            configuration: setup.configuration, firstCounter: StanzaCounter(rawValue: setup.firstCounter),
            lossesOfSuspect: setup.fault == .sendsSuspectsTogether ? .max : 1)
        core.awaitsGreetings = setup.awaitsGreetings && setup.fault != .greetsLate
        if setup.fault == .holdsNoRooms { core.isHeld = { _ in false } }
        guard let stored = try disk.load() else { return }
        mustGreet = setup.awaitsGreetings && !stored.isGreeted
        waitsForRoom = Set(stored.held.filter(\.element.isGroupchat).map(\.number))
        for stanza in stored.pending + stored.undecided + stored.held { ids[stanza.number] = stanza.element["id"] }
        known = stored.resumption?.id.rawValue
        if let session = stored.resumption.flatMap({ ledger.sessions[$0.id.rawValue] }) {
            deliveredCount = Int(stored.handledByClient.rawValue &- session.firstCounter)
            transmitted = ledger.log(of: session.id) ?? TransmissionLog()
        }
        try handle(.restore(stored))
    }

    var state: Core.State { core.state }
    var resumptionID: String? { core.resumption?.id.rawValue }
    var unacknowledgedCount: Int { core.unacknowledged.count + core.held.count }
    var holdsForRoom: Bool { core.held.contains { $0.element.isGroupchat } }
    var lossCount: Int { core.unacknowledged.reduce(0) { $0 + $1.losses } }
    var undecided: [OutgoingStanza] { core.undecidedStanzas }
    var handled: UInt32 { core.handledCounter.rawValue }
    var acknowledged: UInt32 { core.acknowledgedCounter.rawValue }
    var hasRoom: Bool { core.hasRoom }

    // MARK: The application

    func send(_ id: String, element: String, name: String) throws {
        guard core.hasRoom, core.state != .ended else { return }
        ledger.clientSends(id, isMessage: name == "message")
        try handle(.send(parsed(element), id: nil), sending: id)
    }

    private func parsed(_ xml: String) throws -> Element { try Element(stanza: xml) }

    func handleStanza(at index: Int) throws {
        let position = setup.isTransactional ? 0 : index
        guard position < unhandled.count else { return }
        let stanza = unhandled.remove(at: position)
        let id = stanza.element["id"] ?? ""
        if stanza.number != nil, setup.isPoison(id) { throw Killed() }
        if setup.fault == .marksBeforeHandling {
            if let number = stanza.number { try handle(.markHandled(number)) }
            return try disk.storeEffect(id)
        }
        guard let number = stanza.number else { return try disk.storeEffect(id) }
        guard setup.isTransactional else {
            try disk.storeEffect(id)
            return try handle(.markHandled(number))
        }
        try commit(stanza, id)
    }

    /// Stores the effect of a stanza, its handled mark and an answer in one transaction. Another entry fails by itself.
    private func commit(_ stanza: ReceivedStanza, _ id: String) throws {
        var batch = SimulatedEntries(stanza: stanza)
        for place in 0..<2 where core.hasRoom(for: place + 1) && core.state != .ended {
            let answer = ledger.makeAnswer()
            ledger.clientSends(answer, isMessage: true)
            batch.elements[place] = [try parsed("<message id='\(answer)'/>")]
        }
        var commit = AppCommit(
            effects: SimulatedEffects(disk: disk, id: id, fails: failsTransaction), entries: batch)
        commit.begin(core)
        failsTransaction = false
        var left: [Core.Action] = []
        for (place, answers) in batch.elements.enumerated() {
            for answer in answers {
                let number = core.upcomingNumber
                let actions = try actions(of: .send(answer, id: nil))
                let sent = StreamManagement.SentStanza(number: number, element: answer)
                commit.add([sent], of: place, changes: actions.compactMap(\.change))
                ids[number] = answer["id"]
                left += actions.filter { $0.change == nil }
            }
        }
        transactions[commits.addEffects()] = Transaction(commit: commit, stanza: stanza)
        try perform(left)
        try storeIfFast()
    }

    func failToHandle(at index: Int) throws {
        guard index < unhandled.count, unhandled[index].number != nil else { return }
        let stanza = unhandled.remove(at: index)
        if let number = stanza.number { redelivered.insert(number) }
        try handle(.handlingFailed(stanza))
    }

    /// Greets the session, as an application does when the server has answered `<enable/>`.
    func greet() throws {
        switch core.state {
        case .enabled, .disabled(.bound), .disabled(.refused): break
        default: return
        }
        guard setup.awaitsGreetings, mustGreet else { return }
        let id = ledger.makeGreeting()
        ledger.clientSends(id, isMessage: false)
        mustGreet = false
        try handle(.greet(parsed("<presence id='\(id)'/>"), id: nil), accepting: id)
        try handle(.greeted)
    }

    /// A new session begins.
    func beginsSession() {
        mustGreet = setup.awaitsGreetings
        let waiting = core.unacknowledged.filter { !$0.isSent } + Array(core.held)
        waitsForRoom = Set(waiting.filter(\.element.isGroupchat).map(\.number))
    }

    func identify() throws {
        if let lastSent { try handle(.identify(lastSent, as: "late")) }
    }

    func withdraw() throws {
        // The core sends the answers.
        guard core.state != .ended, let stanza = core.held.last ?? core.unacknowledged.last(where: { !$0.isSent }),
            let id = ids[stanza.number], !ledger.hasAnswered(id)
        else { return }
        ledger.exempt(id)
        try handle(.withdraw(stanza.number))
        if stanza.firstSent == nil { withdrawn.append((commits.immediate, id)) }
        try storeIfFast()
    }

    func requestAcknowledgement() throws {
        if core.state == .enabled { try handle(.requestAcknowledgement) }
    }

    func askForSignOfLife() throws { try handle(.signOfLifeIsDue) }

    func awaitRoom(_ places: Int) throws {
        if setup.fault != .awaitsOnePlace { try handle(.awaitRoom(places: places)) }
    }

    func hasRoom(for places: Int) -> Bool { core.hasRoom(for: places) }

    func sendAcknowledgement() throws {
        if core.state == .enabled { try handle(.sendAcknowledgement) }
    }

    func decide(mask: UInt64) throws {
        let asked = core.undecidedStanzas
        guard !asked.isEmpty, core.state != .ended else { return }
        var chosen: Set<OutgoingNumber> = []
        for (bit, stanza) in asked.enumerated() where mask >> UInt64(bit % 64) & 1 == 1 { chosen.insert(stanza.number) }
        let dropped = asked.map(\.number).filter { !chosen.contains($0) }.compactMap { ids[$0] }
        // A process that is killed may have stored the decision.
        for id in dropped { ledger.setDropped(id, true) }
        try handle(.decide(resend: chosen))
    }

    func close() throws {
        for stanza in Array(core.unacknowledged) + core.undecidedStanzas + Array(core.held) {
            if let id = ids[stanza.number] { ledger.exempt(id) }
        }
        abandonSession()
        binding = nil
        if core.state == .enabled { try handle(.sendAcknowledgement) }
        try handle(.close)
    }

    // MARK: The connection

    func connect(_ link: SimulatedLink, resumes: Bool, enables: Bool) throws {
        if self.link != nil { try lose() }
        // Changes that earlier streams could not store come first. The actions that wait for them belong to these.
        if setup.fault != .beginsUnstored, try !flush() { return link.isLeft = true }
        self.link = link
        parser = XMLStreamParser(mode: .stream, limits: SimulatedClient.limits)
        parser.feed(Self.header)
        if resumes, core.canResume, !(setup.fault == .resumesOnlyInTime && isTimeOver) {
            link.transmitted = transmitted
            try handle(.resume)
        } else {
            if !resumes { abandonSession() }
            bind(enables: enables)
        }
    }

    private var isTimeOver: Bool { core.probableExpiry.map { now.date > $0 } ?? false }

    /// The session is not to be resumed any more.
    func abandonSession() {
        if let known { ledger.abandoned(known) }
        known = nil
    }

    func bind(enables: Bool) {
        binding = enables
        append("<iq type='set' id='bind'/>")
    }

    func append(_ text: String) { append(Array(text.utf8), nil) }

    /// Without a connection, nothing can be written.
    func append(_ bytes: [UInt8], _ number: OutgoingNumber?) {
        if link != nil { outbox.append((bytes, number)) }
    }

    /// The transport takes the next writes.
    func write(_ count: Int) throws {
        guard let link, !link.isCut else { return }
        let batch = outbox.prefix(count)
        outbox.removeFirst(batch.count)
        for (bytes, number) in batch {
            link.writeToServer(bytes)
            if let id = number.flatMap({ ids[$0] }) { ledger.clientWrote(id, on: link) }
        }
        if let last = batch.compactMap(\.number).last { try handle(.written(through: last)) }
    }

    var hasWritten: Bool { outbox.isEmpty && !commits.holdsBack }

    func disconnect() {
        link?.isLeft = true
        link = nil
        binding = nil
        outbox = []
    }

    /// The process ends. It may have a session that it has not stored yet.
    func wasKilled() {
        if let known, disk.session?.resumption?.id.rawValue != known { ledger.abandoned(known) }
    }

    func lose() throws {
        let isReset = link?.isReset == true && setup.fault != .ignoresResets
        disconnect()
        try handle(isReset ? .connectionReset : .transportLost)
    }

    func receive(_ bytes: ArraySlice<UInt8>) throws {
        guard let link else { return }
        parser.feed(bytes)
        while self.link === link {
            let event: XMLStreamParser.Event?
            do { event = try parser.next() } catch { throw Violation("the server writes XML", "\(error)") }
            guard let event else { return }
            switch event {
            case .streamStart: continue
            case .element(let element, _): try receive(element)
            case .rejected(let stanza):
                if setup.fault == .endsAtNamespaceFaults, !stanza.isBeyondLimit { return try lose() }
                try handle(.rejected(stanza))
            case .streamEnd:
                try handle(.peerClosed)
                if self.link === link { try lose() }
            }
        }
    }

    private func receive(_ element: Element) throws {
        if ReceivedStreamError(element) != nil { return try receiveError(element) }
        guard binding != nil, element.name == "iq", element["id"] == "bind" else {
            try handle(.received(element))
            return
        }
        let enables = binding ?? false
        binding = nil
        beginsSession()
        if enables {
            (transmitted, deliveredCount) = (TransmissionLog(), 0)
            link?.transmitted = transmitted
            try handle(.enable(resumption: true, maximum: nil, address: "c@example.org"))
        } else {
            try handle(.bound(address: "c@example.org"))
        }
    }

    /// The server ends the stream. If it complains, the client stores the losses when it handles the error.
    private func receiveError(_ element: Element) throws {
        let isComplaint = ReceivedStreamError(element)?.condition == "policy-violation"
        let isOnline = core.state == .enabled || core.state == .enabling || core.state == .disabled(.bound)
        let blamed = isComplaint && isOnline ? core.unacknowledged.filter(\.isSent).compactMap { ids[$0.number] } : []
        let misread = setup.fault?.misreading(asComplaint: isComplaint)
        try handle(.received(misread.map { try parsed($0) } ?? element))
        // Losses that are not stored yet are lost with the process.
        if !commits.isEmpty { return }
        for id in blamed { try ledger.complained(about: id) }
        let stored = disk.session?.pending ?? []
        for stanza in core.unacknowledged
        where stored.first(where: { $0.number == stanza.number })?.losses != stanza.losses {
            throw Violation("losses are stored", ids[stanza.number] ?? "")
        }
    }

    /// Whether the core lets anything be read.
    var wantsInput: Bool { core.wantsInput }

    func fire(_ index: Int) throws {
        let due = armed.indices.filter { armed[$0].deadline <= now.uptime }
        if !due.isEmpty {
            let timer = armed.remove(at: due[index % due.count]).timer
            let former = link
            try handle(.deadline(timer))
            if timer == .refresh, link !== former { throw Violation("a refresh ends no stream") }
        } else if !canceled.isEmpty {
            try handle(.deadline(canceled[index % canceled.count]))
        }
    }
}
