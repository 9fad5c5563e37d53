// The events of the core. XMPPSession.docc/SessionStates.md lists the effects of each event in each phase.

extension DurableSessionCore {
    /// An event.
    package enum Event: Hashable, Sendable {
        // MARK: From the application

        case run(Call)
        /// A handler may run until the deadline. `isWithin`: the running handler calls `suspend`. A session that closes
        /// may end its requests until the end; `nil` for the deadline.
        case suspend(Call, deadline: Duration, end: Duration? = nil, isWithin: Bool)
        case close(Call, isWithin: Bool)
        /// The application has collected changes.
        case transactionCollected(TransactionNumber, Collected)
        /// The application gives up a transaction, which must not wait any longer.
        case transactionCanceled(TransactionNumber)
        /// A handler is about to read the database or to send directly, after the changes of earlier stanzas.
        case readWanted(Attempt)

        // MARK: From the stream and the clock

        case received(Stanza)
        /// A request may have ended, or has another deadline.
        case requestsChanged
        /// A stream has begun.
        case streamBegan
        /// The session of the stream has begun. `isNew`: it did not resume an earlier one.
        case sessionBegan(isNew: Bool)
        /// The connection of the stream is lost.
        case streamLost
        /// The stream is gone. A new one waits for `Action.connect`.
        case streamIsGone(canResume: Bool)
        /// The stream has ended, and does not connect again.
        case streamEnded
        /// The alarm rings.
        case alarm

        // MARK: Results of actions

        /// `attempts`, `handlerTime`: the bounds for the failures of a stanza and for a handler in this run; `nil` for
        /// the previous ones.
        case claimed(for: Call, attempts: Int? = nil, handlerTime: Duration? = nil)
        case notClaimed(for: Call)
        case swept(AccessNumber, Bool)
        case streamSuspended, streamClosed
        /// The database has removed the rows of the closed session. These requests are left.
        case sessionForgotten([Request])
        case sessionNotForgotten
        /// The matches of stanzas, in the order of the action.
        case found(AccessNumber, [Match?])
        case notFound(AccessNumber, DatabaseFailure)
        case returned(Attempt, Collected)
        case threw(Attempt, Failure)
        /// The application has greeted the session before.
        case wasGreeted(Attempt)
        /// The results of entries, in the order of the action.
        case committed(AccessNumber, [EntryResult])
        case notCommitted(AccessNumber, DatabaseFailure)
        /// The transaction was taken out of its commit.
        case withdrawn(TransactionNumber)
        case failureCounted(StanzaNumber, Verdict)
        /// The requests of the action.
        case requestsRead(AccessNumber, [Request])
        case requestsNotRead(AccessNumber, DatabaseFailure)
    }
}
