// What can happen in a simulation, as values: a run is a list of them, and a part of the list is a run, too.

/// One step. What means nothing in the moment it comes up does nothing, so that steps can be left out when a failing
/// run is shrunk. `process` is the place of a process.
public enum Choice: Hashable, Sendable {
    // MARK: The application

    case run(process: Int, takingOver: Bool)
    case suspend(process: Int, milliseconds: Int, isWithin: Bool)
    case close(process: Int, isWithin: Bool)
    /// It stores something and sends a message, or a request.
    case store(process: Int, asks: Bool)
    /// A handler ends, or a canceled one ends late.
    case handlerEnds(process: Int, index: Int, Ending)
    case handlerReads(process: Int)

    public enum Ending: Hashable, Sendable {
        case returns, throwsError, isInterrupted, hasNoAnswer, cannotRead
        /// It returns, and its changes are interrupted.
        case returnsInVain
    }

    // MARK: Processes

    /// A new process, which may take the session from another one.
    case start(process: Int, takingOver: Bool)
    case kill(process: Int)
    /// It is killed before the action of that number from now on.
    case killAtAction(process: Int, count: Int)
    /// The database does what a process wants next.
    case access(process: Int)
    /// What has come of that is known to the process.
    case result(process: Int, index: Int)
    /// So many accesses fail.
    case databaseFails(count: Int, isBroken: Bool)
    case advance(milliseconds: Int)
    case setClock(seconds: Int)

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
