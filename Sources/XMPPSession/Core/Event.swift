// Everything that can happen to the core. What it does then is in XMPPSession.docc/SessionStates.md.

extension DurableSessionCore {
    /// Something that happens.
    package enum Event: Hashable, Sendable {
        // MARK: What the application wants

        case run(Call)
        /// A handler may run until the deadline. `isWithin`: the handler that runs wants it.
        case suspend(Call, deadline: Duration, isWithin: Bool)
        case close(Call, isWithin: Bool)
        /// The application has collected changes.
        case transactionCollected(TransactionNumber, Collected)
        /// A handler wants to read the database, and to see what earlier stanzas have changed.
        case readWanted(Attempt)

        // MARK: What happens to the session

        case received(Stanza)
        /// A request may have ended, or has another deadline.
        case requestsChanged
        /// A stream is there.
        case streamBegan
        /// There is no stream. One is about to begin, which waits for `Action.connect`.
        case streamIsGone(canResume: Bool)
        /// The stream has ended, and begins no other one.
        case streamEnded
        /// The alarm rings.
        case alarm

        // MARK: What has come of actions

        case claimed, notClaimed
        case swept(Bool)
        case streamSuspended, streamClosed
        /// The rows of the closed session are removed. These requests are left.
        case sessionForgotten([Request])
        case sessionNotForgotten
        /// The matches of stanzas, in the order of the action.
        case found(AccessNumber, [Match?])
        case notFound(AccessNumber, DatabaseFailure)
        case returned(Attempt, Collected)
        case threw(Attempt, Failure)
        /// The results of entries, in the order of the action.
        case committed(AccessNumber, [EntryResult])
        case notCommitted(AccessNumber, DatabaseFailure)
        case failureCounted(StanzaNumber, Verdict)
        /// The requests that have a deadline or a cause to end.
        case requestsRead(AccessNumber, [Request])
        case requestsNotRead(AccessNumber, DatabaseFailure)
    }
}
