// The results of entries, handlers, transactions and calls.

extension DurableSessionCore {
    /// The result of an entry in a committed transaction.
    package enum EntryResult: Hashable, Sendable {
        case done
        /// Its request had ended before. The entry changed nothing, and only marked its stanza as handled.
        case ended
        /// A change has failed. The transaction rolled the entry back.
        case failed
        /// An interruption. The transaction rolled the entry back; another attempt may succeed.
        case interrupted
        /// The transaction skipped it, because an earlier stanza has failed.
        case held
        /// The transaction skipped it: the stream's queue has no room for its stanzas now.
        case noRoom
    }

    /// Why a handler threw.
    package enum Failure: Hashable, Sendable {
        /// The handler or the stanza is at fault.
        case failed
        /// An interruption.
        case interrupted
        /// A request that it waited for has timed out; unhandled stanzas may have held up the stream.
        case unanswered(isInputHeldUp: Bool)
        /// The handler needs something that a closed session does not do.
        case hopeless
        /// The handler could not read the database.
        case database(DatabaseFailure)
    }

    /// Why a transaction failed.
    package enum DatabaseFailure: Hashable, Sendable {
        /// The database is busy, full or frozen, for a while.
        case busy
        /// Any other failure.
        case broken
        /// Another process owns the session.
        case notOwner
        /// A stanza of the transaction belongs to a stream session that is over or suspended.
        case staleStanza
    }

    /// The stream's verdict on a stanza whose handling has failed (rule R40).
    package enum Verdict: Hashable, Sendable {
        case again, deadLettered
        /// Another process owns the session, or it is over: the server decides whether the stanza comes again.
        case comesAgain
    }

    /// The answer to a call.
    package enum Answer: Hashable, Sendable {
        case suspended, closed
        /// The stream has ended by itself.
        case streamEnded
        /// The process could not claim the session.
        case notClaimed
        /// The database has failed.
        case failed(DatabaseFailure)
        /// The session runs already.
        case alreadyRunning
    }

    /// The result of the application's transaction.
    package enum TransactionResult: Hashable, Sendable {
        case done, failed, interrupted
        case refused(Answer)
    }
}
