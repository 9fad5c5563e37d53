// A session's requirements of a connection. Other components make, secure and authenticate connections.

public import XMLTree

/// One authenticated stream to the server, from the end of authentication on.
///
/// ``StreamSession`` calls `receive()` from one task, `send(_:)` from another, and never two of either at once.
public protocol StanzaTransport: Sendable {
    /// Waits for the next element and returns it; `nil` when the other side has closed the stream.
    ///
    /// The transport reads ahead at most a buffer of bounded size, so that a slow reader slows down the other side.
    ///
    /// - Throws: ``RejectedStanza`` in place of a well-formed stanza that is beyond a limit of the parser or not
    ///   namespace-well-formed: the next call returns the element after it. Any other error when the connection is
    ///   lost, was cut by `abort()`, or the task is canceled.
    func receive() async throws -> Element?

    /// Writes whole elements. Returns when the transport accepts more.
    ///
    /// - Throws: an error when the connection is lost.
    func send(_ bytes: [UInt8]) async throws

    /// Binds a resource, and returns the server's address for it.
    ///
    /// The session calls it before it sends anything but `<resume/>`, and never on a stream that resumed a session.
    ///
    /// - Throws: an error when the server refuses, or the connection is lost.
    func bind() async throws -> String

    /// Closes the stream: writes its end tag, waits a moment for the other side's, and closes the connection.
    func close() async

    /// Cuts the connection: `receive()` and `send(_:)` end at once.
    func abort() async

    /// The bytes so far, so that a connection that transfers a large stanza does not count as dead. `nil` if the
    /// transport does not count: then only whole received elements are signs of life.
    var traffic: ByteCounts? { get }

    /// Whether an element that `receive()` has not returned is complete: the session commits the stanzas before it
    /// together with it. A transport that does not know need not implement it.
    var hasInput: Bool { get }
}

extension StanzaTransport {
    public var traffic: ByteCounts? { nil }
    public var hasInput: Bool { false }
}
