// Claiming what is stored, and giving it up.

import XMLTree

extension StreamSession {
    /// Makes everything durable that the write policy holds back: before the application goes to the background, or
    /// ends without closing the session. The stream lives on.
    ///
    /// - Throws: what the storage throws; the stream has ended then.
    public func flush() throws {
        do {
            try store?.flush()
        } catch {
            storageFailed(error)
            throw error
        }
    }

    // MARK: Claiming

    /// Claims the session in the storage, if it was laid aside or lost to another process.
    ///
    /// Whatever knew the session as it was before it was lost is over: a stream ends, and so does
    /// ``run(connecting:tag:policy:)``, with ``StreamEnd/takenOver``. Run the session anew then.
    ///
    /// - Parameter takingOver: whether to take it from another process that has it.
    /// - Throws: `StreamManagementError.ended` if the session was closed, and what the storage throws. If it cannot say
    ///   whose the session is, nothing has changed.
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
                // It is taken back below.
            }
        }
        if store == nil { try open(takingOver: takingOver) }
        try takeUp()
    }

    /// Whoever has lost the session must not ask for it to be resumed: its counters are old.
    ///
    /// - Throws: `StorageError.takenOver`; the session is given up then. Whatever else the storage throws says nothing
    ///   of the owner, and changes nothing: a later attempt asks again.
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

    /// Claims the session, and lets the core begin anew with what is stored. Numbers that were given out before mean
    /// nothing to it, for whatever they counted has been given up, or comes again.
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

    /// Claims the session anew if it was given up, and lets the core know what is stored.
    func takeUp() throws {
        if isClosed { return }
        if store == nil {
            if waitsForClaim { throw StorageError.takenOver(account: account) }
            try open(takingOver: false)
        }
        restoreIfNeeded()
        // A stream that is being closed by either side is over: what is wanted now concerns the next one.
        if core.state == .ended { try handle(.transportLost) }
    }

    /// The same for a stream that is to begin: a storage that cannot be opened says nothing of the owner, either, and
    /// makes an attempt fail.
    func takeUpForStream() throws {
        do {
            try takeUp()
        } catch  where !(error is StorageError) {
            connecting?.ownerIsUnknown = true
            throw error
        }
    }

    /// Lets the core know what was stored, once.
    func restoreIfNeeded() {
        guard let restored = restored?.mended else { return }
        self.restored = nil
        track(restored.undecided + restored.pending)
        // A new core takes any session; a storage that fails has ended the stream.
        try? handle(.restore(restored))
    }

    /// Goes on telling the senders of what is stored still, and for the first time those who ask for what an earlier
    /// process has sent. What is not stored any more was settled by another process, which alone knows how.
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

    /// Lets others have the session. It stays stored.
    func giveUpStore() {
        guard let store else { return }
        self.store = nil
        store.close()
        cancelTimers()
        forgetUnhandled()
    }

    /// Received stanzas that are not handled come again when the session is resumed, by whomever. The others have to be
    /// taken here.
    private func forgetUnhandled() {
        guard core.resumption != nil else { return }
        let (handled, delivered) = (core.handledThrough, core.deliveredThrough)
        if handled < delivered { comingAgain.insert(contentsOf: handled.rawValue + 1..<delivered.rawValue + 1) }
        received.removeAll { stanza in stanza.number.map { $0 > handled } ?? false }
    }
}

extension Error {
    /// Whether it says that the session has another owner now.
    var isOfAnotherOwner: Bool {
        if let error = self as? StorageError, case .takenOver = error { true } else { false }
    }
}
