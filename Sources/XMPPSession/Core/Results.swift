// How entries, handlers, transactions and calls come out.

extension DurableSessionCore {
    /// What became of an entry, in a transaction that was committed.
    package enum EntryResult: Hashable, Sendable {
        case done
        /// Its request has ended before. Nothing was changed; its stanza was handled with that.
        case ended
        /// A change has failed. The entry was rolled back.
        case failed
        /// Something came in between. The entry was rolled back; it may succeed if it is made again.
        case interrupted
        /// It was not tried: its stanza is behind one that has failed.
        case held
    }

    /// Why a handler threw.
    package enum Failure: Hashable, Sendable {
        /// By its own fault, or the stanza's.
        case failed
        /// Something came in between.
        case interrupted
        /// A request that it waited for has timed out; unhandled stanzas may have held up the stream.
        case unanswered(isInputHeldUp: Bool)
        /// It wants what a closed session does not do.
        case hopeless
        /// The database could not be read.
        case database(DatabaseFailure)
    }

    /// Why a transaction failed.
    package enum DatabaseFailure: Hashable, Sendable {
        /// It is busy, full or frozen: that passes.
        case busy
        /// Something else.
        case broken
        /// Another process has the session.
        case notOwner
    }

    /// What the stream says of a stanza whose handling has failed (rule R40).
    package enum Verdict: Hashable, Sendable {
        case again, deadLettered
        /// The session is another process's, or is over: the stanza comes again, if it does.
        case comesAgain
    }

    /// What a call is answered with.
    package enum Answer: Hashable, Sendable {
        case suspended, closed
        /// The stream has ended by itself.
        case streamEnded
        /// The session could not be claimed.
        case notClaimed
        /// The database has failed.
        case failed(DatabaseFailure)
        /// It runs already.
        case alreadyRunning
    }

    /// What becomes of the application's transaction.
    package enum TransactionResult: Hashable, Sendable {
        case done, failed, interrupted
        case refused(Answer)
    }
}
