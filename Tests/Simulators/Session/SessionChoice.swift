// The steps of a simulation, as values: a run is a list of them, and a part of the list is also a run.

/// One step. A step that means nothing at its moment does nothing, so that the shrinker can omit steps of a failing
/// run. `process` is the place of a process.
public enum SessionChoice: Hashable, Sendable {
    // MARK: The application

    case run(process: Int, takingOver: Bool)
    case suspend(process: Int, milliseconds: Int, isWithin: Bool)
    case close(process: Int, isWithin: Bool)
    /// The application stores something and sends a message, or a request.
    case store(process: Int, asks: Bool)
    /// The application gives up its first transaction.
    case cancelTransaction(process: Int)
    /// A handler ends, or a canceled one ends late.
    case handlerEnds(process: Int, index: Int, Ending)
    case handlerReads(process: Int)

    public enum Ending: Hashable, Sendable {
        case returns, throwsError, isInterrupted, hasNoAnswer, cannotRead
        /// The handler returns, and the database interrupts its changes.
        case returnsInVain
    }

    // MARK: Processes

    /// A new process, which may take the session from another one.
    case start(process: Int, takingOver: Bool)
    case kill(process: Int)
    /// A kill before the action with this number, counted from now.
    case killAtAction(process: Int, count: Int)
    /// The database does the next operation of a process.
    case access(process: Int)
    /// A process receives the result of an operation.
    case result(process: Int, index: Int)
    /// The next `count` accesses fail.
    case databaseFails(count: Int, isBroken: Bool)
    case advance(milliseconds: Int)
    case setClock(seconds: Int)
    /// The owner renews its lease.
    case renew(process: Int)
    /// The uptime that a process reads jumps. The clocks of two processes differ then.
    case jump(process: Int, seconds: Int)
    /// The machine of a process restarts.
    case restart(process: Int)

    // MARK: The network and the server

    case connect(process: Int)
    case deliver(process: Int)
    case transmit(process: Int)
    /// The stream acknowledges handled stanzas.
    case acknowledge(process: Int)
    case cut
    case notice(process: Int)
    case serverSends(kind: Int)
    case serverAnswers(index: Int)
    case serverForgets
}
