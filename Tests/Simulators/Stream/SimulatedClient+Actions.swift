// How a client's process runs its core: the actions of an event, its writes, and a disk that is full for now.

import StreamManagement
import XMLTree

extension SimulatedClient {
    /// A stanza whose change is not stored.
    struct Unstored {
        let number: CommitQueue.Number
        let id: String
        /// The application waits until it is stored: if that fails, the client takes it back.
        let outgoing: OutgoingNumber?
    }

    /// A transaction of the application.
    struct Transaction {
        let commit: AppCommit
        let stanza: ReceivedStanza
    }

    /// Passes an event to the core, and performs its actions as a session does.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - sent: The id of the stanza that the application sends with it.
    ///   - accepted: The id of a stanza that the client does not take back.
    func handle(_ event: Core.Event, sending sent: String? = nil, accepting accepted: String? = nil) throws {
        let number = core.upcomingNumber
        guard event.isUnanswered, case .resuming = core.state, let session = resumptionID else {
            try handleNow(event)
            if let id = sent ?? accepted {
                let outgoing = sent == nil ? nil : number
                unstored.append(Unstored(number: commits.immediate, id: id, outgoing: outgoing))
            }
            return try storeIfFast()
        }
        if setup.fault == .resumesForEver {
            disconnect()
            try handleNow(.transportLost)
        } else {
            try handleNow(event)
        }
        try storeIfFast()
        // The timer can fire too early.
        if case .resuming = core.state { return }
        // A number that is not stored yet is lost with the process.
        if commits.isEmpty { try ledger.unanswered(session) }
    }

    private func handleNow(_ event: Core.Event) throws {
        if case .received(let element) = event, element.name == "presence" { waitsForRoom = [] }
        if case .rejected(let stanza) = event, core.state == .enabled { countedRejections.insert(stanza.id ?? "") }
        let hadRoom = core.hasRoom
        let todo = try actions(of: event)
        let isNotResumed = todo.contains { if case .notify(.notResumed) = $0 { true } else { false } }
        try perform(todo)
        for case .notify(.rejected(let stanza)) in todo where stanza.type == "get" && hadRoom {
            guard let id = stanza.id, !ledger.hasAnswered(id) else { continue }
            throw Violation("a rejected request is answered", id)
        }
        // A refused resumption leaves a stream to bind on.
        if isNotResumed, link != nil { bind(enables: true) }
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

    /// Performs the actions of an event, or lets them wait for their changes.
    func perform(_ actions: [Core.Action]) throws {
        var event = CommitQueue.EventState()
        for action in actions {
            let isDue = commits.pass(action, of: &event)
            if case .store(let change, _) = action {
                note(action)
                try note(change)
            }
            if isDue || (setup.fault == .sendsBeforeStoring && action.isTransmission) { try perform(action) }
        }
    }

    private func note(_ change: StorageChange) throws {
        switch change {
        case .append(let stanza), .hold(let stanza):
            let id = stanza.element["id"] ?? ""
            ids[stanza.number] = id
            guard stanza.element["type"] == "error" else { return }
            try ledger.answers(id, session: resumptionID)
            unstored.append(Unstored(number: commits.immediate, id: id, outgoing: nil))
        default: break
        }
    }

    // MARK: Storing

    /// A fast disk stores everything at once.
    func storeIfFast() throws { if !setup.hasSlowDisk { try storeAll() } }

    /// Stores everything before a stream begins.
    ///
    /// - Returns: Whether the disk had room.
    func flush() throws -> Bool {
        if writing != nil { try store() }
        _ = commits.flush(always: true)
        return try storeAll()
    }

    /// - Returns: Whether nothing is left.
    @discardableResult
    private func storeAll() throws -> Bool {
        while true {
            let before = commits.stored
            if writing == nil { try store() }
            if writing == nil { return commits.isEmpty }
            let hasEffects = transactions[before + 1] != nil
            try store()
            if commits.stored == before, !hasEffects { return false }
        }
    }

    /// Ends the write that runs, or else begins the next one.
    func store() throws {
        guard let writing else { return try beginWrite() }
        self.writing = nil
        let number = commits.stored + 1
        let isReleased = setup.fault == .releasesEarly
        let transaction = transactions.removeValue(forKey: isReleased ? number - 1 : number)
        do {
            let written = try writing(disk)
            if !isReleased { commits.wasWritten() }
            if setup.fault == .sendsBeforeSettling { try release() }
            if let transaction, let written { try settle(transaction, written) }
        } catch let error where error is DiskFull || error is EffectsError {
            if let transaction {
                if !isReleased { commits.effectsFailed() }
                try revoke([transaction])
            } else if setup.fault == .forgetsUnstoredChanges {
                commits.wasWritten()
            } else {
                if !isReleased { commits.storageFailed() }
                let former = transactions.values.sorted {
                    $0.stanza.number?.rawValue ?? 0 < $1.stanza.number?.rawValue ?? 0
                }
                transactions = [:]
                try revoke(former)
                try revokeUnstored()
            }
        }
        try release()
    }

    private func beginWrite() throws {
        guard let changes = commits.begin() else { return }
        let transaction = transactions[commits.stored + 1]
        let commit = transaction?.commit.writing(after: changes, core)
        writing = { store in
            if let commit { return try commit(store) }
            try store.write(changes)
            return nil
        }
        if setup.fault == .releasesEarly {
            commits.wasWritten()
            try release()
        }
    }

    private func settle(_ transaction: Transaction, _ written: AppCommit.Written) throws {
        for stanza in transaction.commit.sent { try ledger.clientAccepted(ids[stanza.number] ?? "") }
        try revoke(transaction.commit.unsent)
        let (actions, isStored) = core.markHandled(written.handled, stored: written.counter, at: now)
        if isStored { commits.handledCountIsStored(core.handledCounter) }
        try perform(actions)
    }

    /// The application gets the error of its transactions.
    private func revoke(_ failed: [Transaction]) throws {
        unhandled = failed.map(\.stanza) + unhandled
        try revoke(Set(failed.flatMap(\.commit.numbers)))
    }

    /// The application gets the error of the disk for the stanzas that it has sent.
    private func revokeUnstored() throws {
        let failed = unstored.compactMap(\.outgoing)
        unstored.removeAll { $0.outgoing != nil }
        try revoke(Set(failed))
    }

    private func revoke(_ numbers: Set<OutgoingNumber>) throws {
        for number in numbers { ledger.clientRefused(ids[number] ?? "") }
        if numbers.isEmpty || setup.fault == .keepsRevoked { return }
        let isCounted = commits.forget(numbers)
        try perform(core.revoke(numbers, isCounted: isCounted, at: now))
    }

    /// Performs the actions whose changes are stored.
    private func release() throws {
        for _ in 0..<(setup.fault == .reportsCommitsTwice ? 2 : 1) {
            for stanza in unstored where stanza.number <= commits.stored {
                try ledger.clientAccepted(stanza.id, isReported: stanza.outgoing != nil)
            }
        }
        unstored.removeAll { $0.number <= commits.stored }
        for (number, id) in withdrawn where number <= commits.stored { ledger.withdrawn(id) }
        withdrawn.removeAll { $0.number <= commits.stored }
        while case .action(let action, _)? = commits.next() { try perform(action) }
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
        if case .store = action {} else { note(action) }
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
        case .store: break
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
            try checkRemoved()
            append("</stream:stream>")
        case .abandonTransport: disconnect()
        case .notify(.enabled):
            // The client may have closed the session while this waited for the disk.
            known = resumptionID
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
            if !delivered.contains(element["id"] ?? "") { deliveredCount += 1 }
            try ledger.incomingDeadLettered(element["id"] ?? "", disk: disk)
        case .notify(.rejected(let stanza)):
            let id = stanza.id ?? ""
            if countedRejections.remove(id) != nil {
                try ledger.delivered(id, at: deliveredCount, session: resumptionID)
                deliveredCount += 1
            }
            ledger.reported(rejected: id)
        case .pass, .notify: break
        }
    }

    func deliver(_ stanza: ReceivedStanza) throws {
        if let number = stanza.number, redelivered.remove(number) == nil {
            let id = stanza.element["id"] ?? ""
            try ledger.delivered(id, at: deliveredCount, session: resumptionID)
            delivered.insert(id)
            deliveredCount += 1
        }
        if stanza.element["type"] == "error", let id = stanza.element["id"], sentHere.contains(id) {
            try ledger.received(bounceOf: id)
        }
        unhandled.append(stanza)
        guard core.unhandledCount <= setup.configuration.maximumUnhandled + StreamSimulation.mostStanzasAtOnce else {
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

extension StreamManagementCore.Action {
    /// The change of the stored session; `nil` for any other action.
    var change: StorageChange? { if case .store(let change, _) = self { change } else { nil } }

    fileprivate var isTransmission: Bool { if case .transmit = self { true } else { false } }
}

/// The entry of a stanza, and one that fails by itself.
struct SimulatedEntries: CommitEntries {
    let stanza: ReceivedStanza
    var elements: [[Element]] = [[], []]

    var stanzas: [ReceivedStanza] { [stanza] }
    var handled: [IncomingNumber] { stanzas.compactMap(\.number) }
    func isGreeting(_ entry: Int) -> Bool { false }
    func begin() {}
    func beginAgain() -> Bool { false }
    func refuse(_ entry: Int, because error: StreamManagementError) {}
    func isRefused(_ entry: Int) -> Bool { false }
    func isSent(_ entry: Int) -> Bool { entry == 0 }
    func isWithdrawn(_ stanza: Element) -> Bool { false }
}

/// The effect of a stanza.
struct SimulatedEffects: StorageEffects {
    let disk: SimulatedDisk
    let id: String
    let fails: Bool

    func commit(in store: any SessionStore, _ changes: () throws -> [StorageChange]) throws {
        if fails { throw EffectsError(DiskFull()) }
        disk.stageEffect(id)
        do {
            try disk.write(changes())
        } catch {
            disk.dropStagedEffects()
            throw error
        }
    }
}
