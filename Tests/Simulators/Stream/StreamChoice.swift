// The steps of a simulation, as values: a run is a list of them, and a part of the list is a run, too.

/// One step. A step without a meaning at its moment, such as cutting a connection that does not exist, does
/// nothing, so that steps can be left out when a failing run is shrunk.
public enum StreamChoice: Equatable, Sendable {
    // MARK: The application

    /// It gives a stanza to be sent: 0 to 3 a message, 4 an iq, 5 presence, 6 a message to a room.
    case send(kind: Int)
    /// It has handled one of the stanzas that it was given, not necessarily the oldest.
    case handle(index: Int)
    /// It fails to handle one.
    case failToHandle(index: Int)
    /// The application gives the last sent stanza an identifier.
    case identify
    /// It greets the session.
    case greet
    /// It takes back the last stanza that waits.
    case withdraw
    case requestAcknowledgement
    /// A sender waits for room for so many stanzas; with 0 it gives up.
    case awaitRoom(places: Int)
    case sendAcknowledgement
    /// It decides about the stanzas that it was asked about: those whose bit is set are sent again.
    case decide(mask: UInt64)
    /// It closes the stream cleanly.
    case close

    // MARK: The client's process

    /// The transport takes the next `count` writes.
    case write(count: Int)
    /// The server was silent for a while.
    case askForSignOfLife

    /// A new connection, whether the old one is known to be gone or not.
    case connect(resumes: Bool, enables: Bool)
    /// A timer that is due fires. If none is due, a canceled timer fires all the same.
    case fire(index: Int)
    case kill
    /// The process is killed when it writes to its disk next: before or after the write.
    case killAtWrite(before: Bool)
    /// The disk begins or ends a write.
    case store
    /// The next transaction of the application fails for a reason of its own.
    case transactionFails
    /// The next writes of the session fail, because the disk is full for now.
    case diskFails(count: Int)
    /// A new process begins.
    case start
    /// The client's clock is set.
    case setClock(seconds: Int)

    // MARK: The server

    case serverSends
    /// The server sends a stanza that the client's parser rejects, a message, a request or an answer: beyond a limit,
    /// or with a fault of namespaces that the server relays.
    case serverSendsRejected
    /// The server sends the presence that shows that the client has joined the room.
    case serverJoins
    /// The recipient of one of the client's messages answers with an error.
    case serverBounces
    case serverRequests
    case serverAcknowledges
    /// The server handles some of the received stanzas.
    case serverHandles(count: Int)
    /// It refuses stream management from now on, or does so no longer.
    case serverRefuses(Bool)
    case serverRestarts

    // MARK: The network and time

    /// Bytes arrive on the newest, or an older, connection that the server knows.
    case deliverToServer(link: Int, bytes: Int)
    case deliverToClient(bytes: Int)
    /// The newest connection breaks, and loses the bytes on their way. Neither side notices it yet. A device on the
    /// path can reset it.
    case cut(asReset: Bool)
    case clientNotices
    case serverNotices(link: Int)
    case advance(milliseconds: Int)
}
