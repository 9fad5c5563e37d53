// How a client's process runs its core: the actions of an event, and a disk that is full for now.

import StreamManagement
import XMLTree

extension SimulatedClient {
    /// Passes an event to the core, and performs its actions as a session does.
    ///
    /// - Returns: Whether the core has handled it; `false` if it was undone, because the disk is full.
    @discardableResult
    func handle(_ event: Core.Event) throws -> Bool {
        guard event.isUnanswered, case .resuming = core.state, let session = resumptionID else {
            return try handleNow(event)
        }
        let failures = unstoredCount
        if setup.fault == .resumesForEver {
            disconnect()
            try handleNow(.transportLost)
        } else {
            try handleNow(event)
        }
        // The timer can fire too early.
        if case .resuming = core.state { return true }
        // A number that is not stored yet is lost with the process.
        if unstoredCount == failures { try ledger.unanswered(session) }
        return true
    }

    @discardableResult
    private func handleNow(_ event: Core.Event) throws -> Bool {
        if case .received(let element) = event, element.name == "presence" { waitsForRoom = [] }
        hadRoom = core.hasRoom
        let former = core
        let before = core.checkpoint()
        var todo = try actions(of: event)
        let isNotResumed = todo.contains { if case .notify(.notResumed) = $0 { true } else { false } }
        if event.canBeUndone, setup.fault != .sendsBeforeStoring {
            guard let left = try store(todo) else {
                if setup.fault == .keepsUnstoredRequests { core.keepChanges() } else { try undo(to: before, former) }
                return false
            }
            todo = left
        }
        core.keepChanges()
        try perform(todo)
        if let id = awaitedAnswer, !ledger.hasAnswered(id) {
            throw Violation("a rejected request is answered", id)
        }
        awaitedAnswer = nil
        // A refused resumption leaves a stream to bind on.
        if isNotResumed, link != nil { bind(enables: true) }
        return true
    }

    /// Undoes an event whose changes could not be stored.
    func undo(to before: Core.Checkpoint, _ former: Core) throws(Violation) {
        core.undo(to: before)
        if "\(core)" != "\(former)" { throw Violation("an event is undone as a whole", "\(core)") }
    }

    func actions(of event: Core.Event) throws -> [Core.Action] {
        do {
            try core.handle(event, at: now, into: &actions)
        } catch {
            throw Violation("the program sends only legal events", "\(event): \(error)")
        }
        let todo = actions
        actions.removeAll(keepingCapacity: true)
        // A greeting needs no room.
        let all = Array(core.unacknowledged) + Array(core.held) + core.undecidedStanzas
        let count = all.count { $0.element["id"]?.hasPrefix("g") != true }
        guard count <= setup.configuration.maximumUnacknowledged
        else { throw Violation("the queue is bounded", "\(core.unacknowledged.count)") }
        return setup.fault?.sabotaged(todo, hasRoom: core.hasRoom) ?? todo
    }

    /// Stores the changes of an event in one write, before its other actions.
    ///
    /// - Returns: The other actions; `nil` if the disk is full.
    func store(_ actions: [Core.Action]) throws -> [Core.Action]? {
        var changes: [StorageChange] = []
        var left: [Core.Action] = []
        for action in actions {
            if case .store(let change, _) = action { changes.append(change) } else { left.append(action) }
        }
        if changes.isEmpty { return left }
        for action in actions {
            guard case .store(let change, _) = action else { continue }
            note(action)
            note(change)
        }
        do { try store.write(changes, .immediate) } catch is DiskFull { return nil }
        return left
    }

    private func note(_ change: StorageChange) {
        switch change {
        case .append(let stanza), .hold(let stanza): ids[stanza.number] = stanza.element["id"]
        default: break
        }
    }

    /// Performs the actions of an event that has happened. If the disk is full for an urgent change, the stream ends.
    func perform(_ actions: [Core.Action]) throws {
        let failures = unstoredCount
        for action in actions {
            if action == .closeStream, unstoredCount == failures { try checkRemoved() }
            try perform(action)
        }
        if unstoredCount > failures, link == nil { try handle(.transportLost) }
    }

    /// Until a session is removed, another process can own it.
    private func checkRemoved() throws {
        guard let resumption = disk.session?.resumption else { return }
        throw Violation("a session is removed before its stream is closed", resumption.id.rawValue)
    }

    func note(_ action: Core.Action) {
        log?("    \(action.text)")
        tally.count(action)
    }

    func perform(_ action: Core.Action) throws {
        note(action)
        switch action {
        case .send where link == nil: break
        case .send(let nonza):
            switch nonza {
            case .acknowledgement(let counter), .resume(_, handled: let counter):
                try ledger.clientReports(counter, session: resumptionID, disk: disk)
            case .enable, .request: break
            }
            var bytes: [UInt8] = []
            nonza.write(to: &bytes)
            append(bytes, nil)
        case .transmit(let number, let element):
            let id = element["id"] ?? ""
            ids[number] = id
            lastSent = number
            if mustGreet, !id.hasPrefix("g") { throw Violation("the greeting of a session goes first", id) }
            if waitsForRoom.contains(number) { throw Violation("a message to a room waits until that is joined", id) }
            sentHere.insert(id)
            transmitted.add(id, number)
            append(element.xmlBytes(in: .clientStream), number)
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
            canceled = canceled.suffix(3) + [timer]
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
            if let resumptionID { ledger.answered(resumptionID) }
            // The client sends the rest again, or the rest waits.
            transmitted.trim(to: Int(core.acknowledgedCounter.rawValue &- setup.firstCounter))
        case .notify(.notResumed): abandonSession()
        case .notify(.deadLettered(let stanza, _)): try ledger.deadLettered(stanza.element["id"] ?? "")
        // Otherwise the program wanted it, or has made a mistake.
        case .notify(.sessionLost(let loss)): if loss != .notResumed { abandonSession() }
        case .notify(.incomingDeadLetter(let element, _)):
            // The delivery of a stanza that failed is counted already.
            if redelivered == nil { deliveredCount += 1 }
            try ledger.incomingDeadLettered(element["id"] ?? "", disk: disk)
        case .notify(.rejected(let stanza)):
            let id = stanza.id ?? ""
            if core.state == .enabled {
                try ledger.delivered(id, at: deliveredCount, session: resumptionID)
                deliveredCount += 1
            }
            ledger.reported(rejected: id)
            if stanza.type == "get", hadRoom { awaitedAnswer = id }
        case .pass, .notify: break
        }
    }

    func write(_ change: StorageChange, _ urgency: StorageUrgency) throws {
        var answer: String?
        note(change)
        switch change {
        case .append(let stanza), .hold(let stanza):
            if stanza.element["type"] == "error" { answer = stanza.element["id"] }
        default: break
        }
        if let answer { try ledger.answers(answer, session: resumptionID) }
        do {
            try store.write([change], urgency)
            if let answer { ledger.clientAccepted(answer) }
        } catch is DiskFull {
            unstoredCount += 1
            if setup.fault != .forgetsUnstoredChanges { store.hold([change]) }
            // A stream that the client closes ends anyway.
            if (urgency == .immediate && core.state != .ended) || setup.fault == .endsForEveryChange { disconnect() }
        }
    }

    func deliver(_ stanza: ReceivedStanza) throws {
        if stanza.number != nil, stanza.number != redelivered {
            try ledger.delivered(stanza.element["id"] ?? "", at: deliveredCount, session: resumptionID)
            deliveredCount += 1
        }
        if stanza.element["type"] == "error", let id = stanza.element["id"], sentHere.contains(id) {
            try ledger.received(bounceOf: id)
        }
        unhandled.append(stanza)
        guard core.unhandledCount <= setup.configuration.maximumUnhandled + Simulation.mostStanzasAtOnce else {
            throw Violation("the unhandled stanzas are bounded", "\(core.unhandledCount)")
        }
    }
}

extension StreamManagementCore.Event {
    /// Whether the event ends an attempt to resume, and the server has caused it.
    fileprivate var isUnanswered: Bool {
        switch self {
        case .peerClosed, .connectionReset, .deadline(.negotiation): true
        case .received(let element): ReceivedStreamError(element) != nil
        default: false
        }
    }
}
