// Everything that the core can want to be done: plain values.

extension DurableSessionCore {
    /// Something to do. The caller does all actions of an event in their order.
    package enum Action: Hashable, Sendable {
        // MARK: Jobs

        /// Find the open requests that these stanzas answer, in one read.
        case lookUp(AccessNumber, [StanzaNumber])
        /// Call the handlers of a stanza: its routes, or the handler of the request that it answers.
        case handle(Attempt, StanzaNumber, Match?)
        /// Invalidate the handler of a request.
        case invalidate(Attempt, Ending)
        /// Cancel a handler. What it has collected, and collects from now on, is dropped.
        case cancel(Attempt)
        /// Let a handler read the database.
        case allowRead(Attempt)
        /// Make changes, mark stanzas as handled and end requests, in one transaction with a savepoint for each entry.
        /// Behind a stanza that has failed, the other stanzas are held.
        case commit(AccessNumber, [Entry])
        /// The stream may acknowledge these.
        case acknowledge([StanzaNumber])
        /// Send what this work wanted to be sent, in this order.
        case send([Entry.Work])
        /// Count a failure of a stanza (rule R40).
        case countFailure(StanzaNumber)
        /// Give up a stanza that the server does not count.
        case deadLetter(StanzaNumber)
        /// Offer these again when the session is run, before all others. Drop the changes that they collected.
        case putBack([StanzaNumber])
        /// Report the result of the application's transaction.
        case finish(TransactionNumber, TransactionResult)
        /// Read the requests that have a deadline or a cause to end.
        case readRequests(AccessNumber)

        // MARK: The session

        /// Open the database, and claim the session.
        case claim
        /// Run the stream.
        case runStream
        /// In one transaction: requests of sessions that are not stored are lost, also those of streams that cannot be
        /// resumed, and the stanzas of these requests are not sent any more.
        case sweep(losesUnresumable: Bool, timedOut: [Serial])
        /// The stream may begin, or must not.
        case connect(Bool)
        /// Acknowledge the handled stanzas, cut the connection, and give the session up.
        case suspendStream
        /// Close the stream and the session.
        case closeStream
        /// Do not wait for the server any more, nor for the connection.
        case hurry
        /// Remove the rows of the closed session, and read which requests are left.
        case forgetSession
        /// Resume a waiting task.
        case answer(Call, Answer)
        /// Send `Event.alarm` at that uptime, and not at the one before; `nil` for never.
        case setAlarm(Duration?)
    }
}
