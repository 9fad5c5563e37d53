// Decides whether a connection without a whole received element is alive.

/// The byte counts of a connection.
public struct ByteCounts: Hashable, Sendable {
    /// Received bytes.
    public var received: UInt64
    /// Bytes that the system has accepted for sending.
    public var sent: UInt64
    /// Bytes to send that the system has not accepted yet.
    public var waiting: Int

    public init(received: UInt64 = 0, sent: UInt64 = 0, waiting: Int = 0) {
        self.received = received
        self.sent = sent
        self.waiting = waiting
    }

    /// Whether bytes were received since `earlier`, or a part of the waiting bytes was sent. The server cannot answer a
    /// request that still waits.
    ///
    /// Bytes that the system accepts at once prove nothing: its buffer has room for them even if the server is gone.
    public func hasMoved(since earlier: ByteCounts) -> Bool {
        if received != earlier.received { return true }
        return sent != earlier.sent && (waiting > 0 || earlier.waiting > Self.littleWaiting)
    }

    /// The size of a request with a few stanzas.
    private static let littleWaiting = 1 << 14
}
