// The client's process: it runs the core as a program would, from its start until it is killed.

import Foundation
import StreamManagement
import XMLTree

/// A process that runs a core.
final class SimulatedClient {
    typealias Core = StreamManagementCore

    static let header =
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams' version='1.0'>"

    /// No stanza of the client's is deeper.
    private static let limits = ParserLimits(depth: 2)

    private var core: Core
    private let store: CoalescingStore
    private let disk: SimulatedDisk
    private let ledger: Ledger
    private let setup: Setup
    private(set) var link: SimulatedLink?
    private var parser = XMLStreamParser(mode: .stream, limits: SimulatedClient.limits)
    /// Whether the client enables stream management after the binding under way.
    private var binding: Bool?
    private var transmitted = TransmissionLog()
    /// The session that the server may hold for the client.
    private var known: String?
    private var actions: [Core.Action] = []
    /// Whether the queue had room for an answer before the event.
    private var hadRoom = true
    /// The request beyond the limits that the client has to answer.
    private var awaitedAnswer: String?
    /// The writes that the transport has not taken. They are lost with the connection.
    private var outbox: [(bytes: [UInt8], number: OutgoingNumber?)] = []
    var now: Moment
    /// Gets the lines of the transcript, if requested.
    var log: ((String) -> Void)?

    /// The delivered stanzas that the application has not handled.
    private(set) var unhandled: [ReceivedStanza] = []
    private var deliveredCount = 0
    private var redelivered: IncomingNumber?
    private var ids: [OutgoingNumber: String] = [:]
    private var lastSent: OutgoingNumber?
    /// Armed timers, and some that were cancelled.
    private var armed: [(timer: Core.Timer, deadline: Duration)] = []
    private var cancelled: [Core.Timer] = []
    private let tally: Tally

    init(disk: SimulatedDisk, setup: Setup, ledger: Ledger, tally: Tally, now: Moment, log: ((String) -> Void)?) throws
    {
        self.disk = disk
        self.setup = setup
        self.ledger = ledger
        self.now = now
        self.log = log
        self.tally = tally
        store = CoalescingStore(disk)
        core = Core(
            configuration: setup.configuration, firstCounter: StanzaCounter(rawValue: setup.firstCounter),
            lossesOfSuspect: setup.fault == .sendsSuspectsTogether ? .max : 1)
        guard let stored = try store.load() else { return }
        for stanza in stored.pending + stored.undecided { ids[stanza.number] = stanza.element["id"] }
        known = stored.resumption?.id.rawValue
        if let session = stored.resumption.flatMap({ ledger.sessions[$0.id.rawValue] }) {
            deliveredCount = Int(stored.handledByClient.rawValue &- session.firstCounter)
            transmitted = ledger.log(of: session.id) ?? TransmissionLog()
        }
        try handle(.restore(stored))
    }

    var state: Core.State { core.state }
    var resumptionID: String? { core.resumption?.id.rawValue }
    var unacknowledgedCount: Int { core.unacknowledged.count }
    var undecided: [OutgoingStanza] { core.undecidedStanzas }
    var handled: UInt32 { core.handledCounter.rawValue }
    var acknowledged: UInt32 { core.acknowledgedCounter.rawValue }
    var hasRoom: Bool { core.hasRoom }

    // MARK: The application

    func send(_ id: String, element: String, name: String) throws {
        guard core.hasRoom, core.state != .ended else { return }
        ledger.clientSends(id, isMessage: name == "message")
        try handle(.send(parsed(element), id: nil))
        ledger.clientAccepted(id)
    }

    private func parsed(_ xml: String) throws -> Element { try Element(parsing: xml, in: .clientStream) }

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
        disk.stageEffect(id)
        try handle(.markHandled(number))
        try store.flush()
        try disk.storeStagedEffects()
    }

    func failToHandle(at index: Int) throws {
        guard index < unhandled.count, unhandled[index].number != nil else { return }
        let stanza = unhandled.remove(at: index)
        redelivered = stanza.number
        try handle(.handlingFailed(stanza))
        redelivered = nil
    }

    func identify() throws {
        if let lastSent { try handle(.identify(lastSent, as: "late")) }
    }

    func withdraw() throws {
        // The core sends the answers.
        guard core.state != .ended, let stanza = core.unacknowledged.last(where: { !$0.isSent }),
            let id = ids[stanza.number], !ledger.hasAnswered(id)
        else { return }
        ledger.exempt(id)
        try handle(.withdraw(stanza.number))
        if stanza.firstSent == nil { ledger.withdrawn(id) }
    }

    func requestAcknowledgement() throws {
        if core.state == .enabled { try handle(.requestAcknowledgement) }
    }

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
        for (bit, stanza) in asked.enumerated() {
            if mask >> UInt64(bit % 64) & 1 == 1 {
                chosen.insert(stanza.number)
            } else if let id = ids[stanza.number] {
                ledger.dropped(id)
            }
        }
        try handle(.decide(resend: chosen))
    }

    func close() throws {
        ledger.exemptAll(
            (core.unacknowledged.map(\.number) + core.undecidedStanzas.map(\.number)).compactMap { ids[$0] })
        abandonSession()
        try handle(.close)
    }

    // MARK: The connection

    func connect(_ link: SimulatedLink, resumes: Bool, enables: Bool) throws {
        if self.link != nil { try lose() }
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
    private func abandonSession() {
        if let known { ledger.abandoned(known) }
        known = nil
    }

    private func bind(enables: Bool) {
        binding = enables
        append("<iq type='set' id='bind'/>")
    }

    private func append(_ text: String) { outbox.append((Array(text.utf8), nil)) }

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

    var hasWritten: Bool { outbox.isEmpty }

    private func disconnect() {
        link?.isLeft = true
        link = nil
        binding = nil
        outbox = []
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
            case .rejected(let stanza): try handle(.rejected(stanza))
            case .streamEnd:
                try handle(.peerClosed)
                if self.link === link { try lose() }
            }
        }
    }

    private func receive(_ element: Element) throws {
        if ReceivedStreamError(element) != nil { return try receiveError(element) }
        guard binding != nil, element.name == "iq", element["id"] == "bind" else {
            return try handle(.received(element))
        }
        let enables = binding ?? false
        binding = nil
        if enables {
            transmitted = TransmissionLog()
            link?.transmitted = transmitted
            deliveredCount = 0
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
            try handle(.deadline(timer))
        } else if !cancelled.isEmpty {
            try handle(.deadline(cancelled[index % cancelled.count]))
        }
    }

    // MARK: Running the core

    private func handle(_ event: Core.Event) throws {
        hadRoom = core.hasRoom
        do {
            try core.handle(event, at: now, into: &actions)
        } catch {
            throw Violation("the program sends only legal events", "\(event): \(error)")
        }
        let todo = actions
        actions.removeAll(keepingCapacity: true)
        guard core.unacknowledged.count + core.undecidedStanzas.count <= setup.configuration.maximumUnacknowledged
        else { throw Violation("the queue is bounded", "\(core.unacknowledged.count)") }
        for action in setup.fault?.sabotaged(todo, hasRoom: core.hasRoom) ?? todo { try perform(action) }
        if let id = awaitedAnswer, !ledger.hasAnswered(id) {
            throw Violation("a request beyond the limits is answered", id)
        }
        awaitedAnswer = nil
        // A refused resumption leaves a stream to bind on.
        if todo.contains(where: { if case .notify(.notResumed) = $0 { true } else { false } }), link != nil {
            bind(enables: true)
        }
    }

    private func perform(_ action: Core.Action) throws {
        log?("    \(action.text)")
        tally.count(action)
        switch action {
        case .send(let nonza):
            switch nonza {
            case .acknowledgement(let counter), .resume(_, handled: let counter):
                try ledger.clientTells(counter, session: resumptionID, disk: disk)
            case .enable, .request: break
            }
            var bytes: [UInt8] = []
            nonza.write(to: &bytes)
            outbox.append((bytes, nil))
        case .transmit(let number, let element):
            let id = element["id"] ?? ""
            ids[number] = id
            lastSent = number
            transmitted.add(id, number)
            outbox.append((element.xmlBytes(in: .clientStream), number))
            if setup.fault == .sendsBeforeStoring { try write(.max) }
            if setup.fault == .forgetsUnwritten { try handle(.written(through: number)) }
        case .store(let change, let urgency):
            try write(change, urgency)
        case .deliver(let stanza): try deliver(stanza)
        case .report(let report):
            if let id = ids[report.number] { try ledger.reported(report, id: id) }
        case .arm(let timer, let deadline):
            armed.removeAll { $0.timer == timer }
            armed.append((timer, deadline))
        case .cancel(let timer):
            armed.removeAll { $0.timer == timer }
            cancelled = cancelled.suffix(3) + [timer]
        case .sendStreamError(let error):
            throw Violation("the client does not blame a correct server", error.text)
        case .closeStream:
            binding = nil
            append("</stream:stream>")
        case .abandonTransport: disconnect()
        case .notify(.enabled(_, let resumption)):
            known = resumption?.id.rawValue
            if let known { ledger.clientKnows(known) }
        case .notify(.resumed):
            // The client sends the rest again, or the rest waits.
            transmitted.trim(to: Int(core.acknowledgedCounter.rawValue &- setup.firstCounter))
        case .notify(.notResumed): abandonSession()
        case .notify(.deadLettered(let stanza, _)): try ledger.deadLettered(stanza.element["id"] ?? "")
        // Otherwise the program wanted it, or has made a mistake.
        case .notify(.sessionLost(let loss)): if loss != .notResumed { abandonSession() }
        case .notify(.setAside(let element, _)):
            // The delivery of a stanza that failed is counted already.
            if redelivered == nil { deliveredCount += 1 }
            try ledger.setAside(element["id"] ?? "", disk: disk)
        case .notify(.rejected(let stanza)):
            let id = stanza.id ?? ""
            if core.state == .enabled {
                try ledger.delivered(id, at: deliveredCount, session: resumptionID)
                deliveredCount += 1
            }
            ledger.reported(beyondLimits: id)
            if stanza.type == "get", hadRoom { awaitedAnswer = id }
        case .pass, .notify: break
        }
    }

    private func write(_ change: StorageChange, _ urgency: StorageUrgency) throws {
        guard case .append(let stanza) = change, let id = stanza.element["id"] else {
            return try store.write([change], urgency)
        }
        ids[stanza.number] = id
        let isAnswer = stanza.element["type"] == "error"
        if isAnswer { try ledger.answers(id, session: resumptionID) }
        try store.write([change], urgency)
        if isAnswer { ledger.clientAccepted(id) }
    }

    private func deliver(_ stanza: ReceivedStanza) throws {
        if stanza.number != nil, stanza.number != redelivered {
            try ledger.delivered(stanza.element["id"] ?? "", at: deliveredCount, session: resumptionID)
            deliveredCount += 1
        }
        unhandled.append(stanza)
        guard core.unhandledCount <= setup.configuration.maximumUnhandled + Simulation.mostStanzasAtOnce else {
            throw Violation("the unhandled stanzas are bounded", "\(core.unhandledCount)")
        }
    }
}
