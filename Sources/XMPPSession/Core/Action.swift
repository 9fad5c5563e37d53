// The actions of the core, as plain values.

extension DurableSessionCore {
    /// An action. The caller performs all actions of an event in order.
    package enum Action: Hashable, Sendable {
        // MARK: Jobs

        /// Find the open requests that these stanzas answer, in one read.
        case lookUp(AccessNumber, [StanzaNumber])
        /// Call the handlers of a stanza: its routes, or the handler of the request that it answers.
        case handle(Attempt, StanzaNumber, Match?)
        /// Invalidate the handler of a request.
        case invalidate(Attempt, Ending)
        /// Let the application greet the session, unless the session has the mark of a greeting and is not new.
        case greet(Attempt, isNew: Bool)
        /// The session is greeted, or the core gives its greeting up: the stream sends what waited for it.
        case endGreeting
        /// Cancel a handler, or a greeting. Drop its changes, including those that it collects from now on.
        case cancel(Attempt)
        /// Report that a handler has taken half of its time.
        case noteSlowness(Attempt)
        /// Let a handler read the database.
        case allowRead(Attempt)
        /// Make changes, mark stanzas as handled and end requests, in one transaction with a savepoint for each entry.
        /// After a stanza that has failed, hold the other stanzas.
        case commit(AccessNumber, [Entry])
        /// Do the same as soon as the stream's queue has room for the stanzas of the first entry that sends some.
        case commitWithRoom(AccessNumber, [Entry])
        /// Take the transaction out of that commit, if the commit still waits for room. Its other entries keep their
        /// place. If it has no other, it ends without a result.
        case withdraw(TransactionNumber, AccessNumber)
        /// The stream may acknowledge these.
        case acknowledge([StanzaNumber])
        /// Send the stanzas of this work, in this order.
        case send([Entry.Work])
        /// Count a failure of a stanza (rule R40).
        case countFailure(StanzaNumber)
        /// Give up a stanza that the server does not count.
        case deadLetter(StanzaNumber)
        /// Offer these first when the session runs again. Drop the changes of their handlers.
        case putBack([StanzaNumber])
        /// Report the result of the application's transaction.
        case finish(TransactionNumber, TransactionResult)
        /// Read the requests that have a cause to end, and the others with a deadline and a greater serial number.
        case readRequests(AccessNumber, after: Serial)

        // MARK: The session

        /// Open the database, and claim the session for a run.
        case claim(for: Call)
        /// Run the stream.
        case runStream
        /// In one transaction: mark requests of unstored sessions as lost, and those of streams that cannot be resumed.
        /// Take back the unsent stanzas of these requests.
        case sweep(AccessNumber, losesUnresumable: Bool, timedOut: [Serial])
        /// The stream may begin, or must not.
        case connect(Bool)
        /// Report that the database has failed, and end the stream for this reason.
        case failStream
        /// Acknowledge the handled stanzas, cut the connection, and release the session.
        case suspendStream
        /// Close the stream and the session.
        case closeStream
        /// Stop waiting for the server and for the connection.
        case hurry
        /// Remove the rows of the closed session, and read which requests are left.
        case forgetSession
        /// Resume a waiting task.
        case answer(Call, Answer)
        /// Send `Event.alarm` at this uptime instead of the previous one; `nil` for never.
        case setAlarm(Duration?)
    }
}
