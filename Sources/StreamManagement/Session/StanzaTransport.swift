// What a session needs of a connection. How connections are made, secured and authenticated is not known here.

public import XMLTree

/// One authenticated stream to the server, from the end of authentication on.
///
/// ``StreamSession`` calls `receive()` from one task, `send(_:)` from another, and never two of either at once.
public protocol StanzaTransport: Sendable {
    /// The next element, as soon as there is one; `nil` when the other side has closed the stream.
    ///
    /// Nothing is read ahead that is not asked for, but for a buffer of bounded size: so whoever is slow slows down the
    /// other side.
    ///
    /// - Throws: ``RejectedStanza`` in place of a stanza that is well-formed and beyond a limit of the parser: the next
    ///   call gives what follows it. Anything else when the connection is lost, was cut by `abort()`, or the task is
    ///   cancelled.
    func receive() async throws -> Element?

    /// Writes whole elements. Returns when more may be written.
    ///
    /// - Throws: when the connection is lost.
    func send(_ bytes: [UInt8]) async throws

    /// Binds a resource, and returns the address that the server has given.
    ///
    /// Is called before anything but `<resume/>` was sent, and not at all if a session is resumed.
    func bind() async throws -> String

    /// Closes the stream: writes its end tag, waits a moment for the other side's, and closes the connection.
    func close() async

    /// Cuts the connection: `receive()` and `send(_:)` end at once.
    func abort() async

    /// What has moved so far, so that a connection on which a large stanza is on its way is not taken for dead; `nil`
    /// where nobody counts, and then only whole elements that come are signs of life.
    var traffic: Traffic? { get }
}

extension StanzaTransport {
    public var traffic: Traffic? { nil }
}
