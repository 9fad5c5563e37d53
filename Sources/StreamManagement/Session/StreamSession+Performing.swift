// Performs the core's actions.

import Logging
import XMLTree

extension StreamSession {
    /// Passes an event to the core, and performs the resulting actions.
    ///
    /// - Throws: the core's error, and nothing has changed; or the storage's. If that is temporary, an event that can
    ///   be undone is undone (D51), and another one throws nothing: its changes wait, and the stream ends if one of
    ///   them is urgent. After another error, the stream has ended.
    func handle(_ event: Core.Event) throws {
        if event.canBeUndone {
            try perform(try stored { $0 = try core.handle(event, at: clock.now) })
        } else {
            try perform(try core.handle(event, at: clock.now))
        }
    }

    /// Passes events to the core that can be undone, and stores their changes in one write. If that fails, the core has
    /// not changed.
    ///
    /// - Parameter body: Passes the events, and collects their actions.
    /// - Returns: The actions that are left to perform.
    func stored(_ body: (inout [Core.Action]) throws -> Void) throws -> [Core.Action] {
        let before = core.checkpoint()
        do {
            var actions: [Core.Action] = []
            try body(&actions)
            let changes = actions.compactMap(\.change)
            if !changes.isEmpty { try write(changes, .immediate) }
            core.keepChanges()
            return actions.filter { $0.change == nil }
        } catch {
            core.undo(to: before)
            throw error
        }
    }

    func perform(_ actions: [Core.Action]) throws {
        defer {
            pendingStanzas.forget(through: core.handledThrough)
            reportAcknowledged()
            startWriter()
            wakeWaiters()
        }
        var position = 0
        while position < actions.count {
            if case .store = actions[position] {
                position = try store(actions, from: position)
            } else {
                try perform(actions[position])
                position += 1
            }
        }
    }

    /// Stores consecutive changes of an event that has happened in one write. Changes that the storage cannot make for
    /// now wait in the store. If a later action depends on one of them, the stream ends: the next one begins when they
    /// are stored (D51).
    ///
    /// - Returns: The position after them.
    private func store(_ actions: [Core.Action], from start: Int) throws -> Int {
        var changes: [StorageChange] = []
        var urgency = StorageUrgency.deferrable
        var position = start
        while position < actions.count, case .store(let change, let changeUrgency) = actions[position] {
            changes.append(change)
            urgency = max(urgency, changeUrgency)
            position += 1
        }
        do {
            try write(changes, urgency)
        } catch  where error.isTemporaryStorageError {
            logger.warning("the session cannot be stored for now", metadata: ["error": "\(Self.loggable(error))"])
            store?.hold(changes)
            if urgency == .immediate { abandon(.lost(error)) }
        }
        return position
    }

    func write(_ changes: [StorageChange], _ urgency: StorageUrgency) throws {
        do {
            guard let store else { throw StorageError.takenOver(account: account) }
            try store.write(changes, urgency)
        } catch {
            if !error.isTemporaryStorageError { storageFailed(error) }
            throw error
        }
    }

    private func perform(_ action: Core.Action) throws {
        switch action {
        case .send(let nonza): send(nonza)
        case .transmit(let number, let element):
            stream?.append({ element.write(to: &$0, in: .clientStream) }, number: number)
        // `store` performs these.
        case .store: break
        case .deliver(let stanza): try deliver(stanza)
        case .pass(let element): report(.other(element))
        case .report(let report): pass(report)
        case .notify(let notification): pass(notification)
        // Authentication has its own time limits, and its end brings the answer to the resumption.
        case .arm(.negotiation, _) where stream == nil: break
        case .arm(let timer, let deadline):
            stream?.extensions[timer] = nil
            arm(timer, at: deadline)
        case .cancel(let timer): timers.removeValue(forKey: timer)?.cancel()
        case .sendStreamError(let error):
            logger.warning("the server has broken the protocol", metadata: ["error": "\(error.text)"])
            stream?.append { error.element.write(to: &$0, in: .clientStream) }
            stream?.end(.violation(error))
        case .closeStream: stream?.end(.closed)
        case .abandonTransport(let reason): abandon(.abandoned(reason))
        }
    }

    private func send(_ nonza: Nonza) {
        if case .enable = nonza, stream?.enablesInline == true { return }
        stream?.append { nonza.write(to: &$0) }
    }

    // MARK: Timers

    private func arm(_ timer: Core.Timer, at deadline: Duration) {
        timers.removeValue(forKey: timer)?.cancel()
        stream?.marks[timer] = stream?.traffic
        let clock = clock
        timers[timer] = Task { [weak self] in
            do { try await clock.sleep(until: deadline) } catch { return }
            await self?.deadlinePassed(timer)
        }
    }

    private func deadlinePassed(_ timer: Core.Timer) {
        if let time = grace(timer) { return arm(timer, at: clock.now.uptime + time) }
        // A storage that fails has ended the stream, and `run` returns its error unless it is temporary.
        try? handle(.deadline(timer))
    }

    /// How much longer to wait for an answer that may be on its way, or may have come during a pause in reading; `nil`
    /// if the answer is missing. The core does not check this again (`acknowledgementIsMissing` in
    /// Core+Requesting.swift). It does not know how much more than `maximumUnhandled` the session reads.
    private func grace(_ timer: Core.Timer) -> Duration? {
        guard let stream else { return nil }
        let time: Duration
        switch timer {
        case .missingAcknowledgement: time = core.configuration.acknowledgementTimeout
        case .negotiation: time = core.configuration.negotiationTimeout
        case .request, .repetition, .acknowledgement, .answer, .refresh: return nil
        }
        let extensions = stream.extensions[timer, default: 0]
        if extensions + 1 < StreamManagementConfiguration.slowLineFactor, isMoving(stream, timer) {
            stream.extensions[timer] = extensions + 1
        } else {
            guard stream.hasPausedReading else { return nil }
            // Without room to send, the session would read nothing more either. The next stream begins with an
            // acknowledgement.
            if timer == .missingAcknowledgement, !core.hasRoom || !roomQueue.isEmpty { return nil }
            stream.hasPausedReading = !stream.isReceiving
        }
        // The app may have turned the timeout off since.
        return max(time, .seconds(1))
    }

    /// Whether bytes move, so that the line is only slow. False during a resumption: its elements are short, and
    /// nothing comes or goes before them.
    private func isMoving(_ stream: ActiveStream, _ timer: Core.Timer) -> Bool {
        if case .resuming = core.state { return false }
        guard let mark = stream.marks[timer], let traffic = stream.traffic else { return false }
        return traffic.hasMoved(since: mark)
    }

    func cancelTimers() {
        for timer in timers.values { timer.cancel() }
        timers = [:]
    }

    // MARK: Failing

    /// Ends the stream now: nothing more is written.
    func abandon(_ end: StreamEnd) {
        guard let stream, stream.end == nil else { return }
        stream.end(end)
        wakeWaiters()
        let transport = stream.transport
        Task { await transport.abort() }
    }

    /// Gives the session up until the app runs it again, because the handler of stanzas cannot store its effects.
    package func fail(because error: any Error) { storageFailed(error) }

    /// Gives the storage up and ends the stream, because the core and the storage differ. The session restores the
    /// core from the storage before the next stream.
    func storageFailed(_ error: any Error) {
        guard store != nil else { return }
        giveUpStore()
        let end: StreamEnd
        if case StorageError.takenOver = error {
            logger.notice("another process owns the session now")
            end = .takenOver
        } else {
            logger.error("the session cannot be stored", metadata: ["error": "\(Self.loggable(error))"])
            end = .storageFailed(error)
        }
        // `closeSession` ends the stream of a closed session. Its end tag would end the session of another owner.
        if isClosed, !error.isOfAnotherOwner { return }
        // The stream's end ends the loop that makes connections. Without a stream, or with one that has ended for
        // another reason, the loop would continue.
        if let stream, stream.end == nil { abandon(end) } else { stopConnecting(because: end) }
    }
}

extension StreamManagementCore.Action {
    /// The change of the stored session; `nil` for any other action.
    var change: StorageChange? { if case .store(let change, _) = self { change } else { nil } }
}
