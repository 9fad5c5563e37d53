// Whether a connection lives on which no whole element has come.

/// How many bytes have gone over a connection.
public struct Traffic: Hashable, Sendable {
    /// That have come.
    public var received: UInt64
    /// That the system has taken to be sent.
    public var sent: UInt64
    /// That are to be sent, and that the system has not taken yet.
    public var waiting: Int

    public init(received: UInt64 = 0, sent: UInt64 = 0, waiting: Int = 0) {
        self.received = received
        self.sent = sent
        self.waiting = waiting
    }

    /// Whether something has moved since then: bytes that have come, or a part of what waited to be sent. As long as it
    /// waits, nobody can have answered to it.
    ///
    /// What the system takes at once says nothing of the other side: it has room for that also when nobody is there.
    public func hasMoved(since earlier: Traffic) -> Bool {
        if received != earlier.received { return true }
        return sent != earlier.sent && (waiting > 0 || earlier.waiting > Self.littleWaiting)
    }

    /// What a request and a few stanzas with it take.
    private static let littleWaiting = 1 << 14
}
