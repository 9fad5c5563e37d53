// Claims the stored session, and gives it up.

import XMLTree

extension StreamSession {
    /// Makes all changes durable that the write policy holds back. The stream continues.
    ///
    /// Call it before the application goes to the background, or ends without closing the session.
    ///
    /// - Throws: the storage's errors. After a ``TemporaryStorageError`` the changes wait for the next write. After any
    ///   other error the stream has ended.
    public func flush() throws {
        do {
            try store?.flush()
        } catch {
            if !error.isTemporaryStorageError { storageFailed(error) }
            throw error
        }
    }

    // MARK: Claiming

    /// Claims the session in the storage, if it was suspended or lost to another process.
    ///
    /// If another process took the session, a running stream and ``run(connecting:tag:policy:)`` end with
    /// ``StreamEnd/takenOver``. Run the session again then.
    ///
    /// - Parameter takingOver: whether to take the session from another process that owns it.
    /// - Throws: `StreamManagementError.ended` if the session was closed, and the storage's errors. If the storage
    ///   cannot name the owner, nothing has changed.
    public func claim(takingOver: Bool = false) throws {
        if isClosed { throw StreamManagementError.ended }
        let hasWaited = waitsForClaim
        waitsForClaim = false
        do {
            try claimNow(takingOver)
        } catch {
            waitsForClaim = hasWaited
            throw error
        }
    }

    private func claimNow(_ takingOver: Bool) throws {
        if store != nil {
            do {
                try checkOwner()
            } catch StorageError.takenOver where takingOver {
                // The code below takes it back.
            }
        }
        if store == nil { try open(takingOver: takingOver) }
        try takeUp()
    }

    /// Checks that this object still owns the session. With another owner it must not resume: its counters are old.
    ///
    /// - Throws: `StorageError.takenOver`; the session is given up then. Other errors of the storage leave the owner
    ///   unknown and change nothing: a later attempt asks again.
    func checkOwner() throws {
        do {
            try store?.check()
        } catch  where error.isOfAnotherOwner {
            storageFailed(error)
            throw error
        } catch {
            connecting?.ownerIsUnknown = true
            throw error
        }
    }

    /// Claims the session, and replaces the core by a new one for the stored session. The new core ignores earlier
    /// numbers: their stanzas have been given up, or come again.
    func open(takingOver: Bool) throws {
        let store = CoalescingStore(try storage.open(account, takingOver: takingOver), policy: writePolicy)
        do {
            restored = try store.load() ?? StoredSession()
        } catch {
            store.close()
            throw error
        }
        core = StreamManagementCore(after: core)
        self.store = store
    }

    /// Claims the session again if it was given up, and restores the core from the storage.
    func takeUp() throws {
        if isClosed { return }
        if store == nil {
            if waitsForClaim { throw StorageError.takenOver(account: account) }
            try open(takingOver: false)
        }
        restoreIfNeeded()
        // A stream that either side is closing is over: the caller's action concerns the next one.
        if core.state == .ended { try handle(.transportLost) }
    }

    /// Claims the session again for a new stream, and stores the changes that earlier streams could not store (D51). A
    /// storage that cannot be opened leaves the owner unknown, and fails the attempt.
    func takeUpForStream() throws {
        do {
            try takeUp()
        } catch  where !(error is StorageError) {
            connecting?.ownerIsUnknown = true
            throw error
        }
        try flush()
    }

    /// Restores the core from the stored session, once.
    func restoreIfNeeded() {
        guard let restored = restored?.mended else { return }
        self.restored = nil
        track(restored.undecided + restored.pending)
        // A new core takes any session; a storage that fails has ended the stream.
        try? handle(.restore(restored))
    }

    /// Keeps the ``SentStanza`` of each stanza that is still stored, and makes one for each stanza of an earlier
    /// process. The others end as `unknown`: another process has sent or given them up, and only it knows their state.
    private func track(_ stanzas: [OutgoingStanza]) {
        let former = sent
        sent = [:]
        for stanza in stanzas {
            if let tracked = former[stanza.number], tracked.isOf(stanza.element) {
                sent[stanza.number] = tracked
            } else {
                let tracked = SentStanza(number: stanza.number, element: stanza.element)
                if stanza.isSent { tracked.update(.sent) }
                sent[stanza.number] = tracked
            }
        }
        for (number, stanza) in former where sent[number] !== stanza { stanza.update(.unknown, isFinal: true) }
    }

    // MARK: Giving up

    /// Gives up the storage, so that others can claim the session. It stays stored.
    func giveUpStore() {
        guard let store else { return }
        self.store = nil
        store.close()
        cancelTimers()
        forgetUnhandled()
    }

    /// Forgets the received, unhandled stanzas of a session that can be resumed: after the resumption the server
    /// delivers them again. Handled stanzas stay in the queue, since they do not come again.
    private func forgetUnhandled() {
        guard core.resumption != nil else { return }
        let (handled, delivered) = (core.handledThrough, core.deliveredThrough)
        if handled < delivered { comingAgain.insert(contentsOf: handled.rawValue + 1..<delivered.rawValue + 1) }
        received.removeAll { stanza in stanza.number.map { $0 > handled } ?? false }
    }
}

extension Error {
    /// Whether the error reports that another process owns the session now.
    var isOfAnotherOwner: Bool {
        if let error = self as? StorageError, case .takenOver = error { true } else { false }
    }
}
