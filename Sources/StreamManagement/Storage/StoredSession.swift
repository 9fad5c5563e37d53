// What is stored of a session, and how it changes: what a storage has to understand.

public import Foundation

/// Everything that a later process needs to go on with a session, or to know what became of what was sent in it.
public struct StoredSession: Equatable, Sendable {
    /// The right to resume; without it there are only stanzas whose fate is open.
    public var resumption: Resumption?
    /// The address that was bound: when a session is resumed, nothing is bound.
    public var address: String?
    /// When the stream was lost; while it lives, a recent time (rule R47).
    public var lastDisconnect: Date?
    /// How many stanzas have been handled here: what `<resume/>` tells the server.
    public var handledByClient: StanzaCounter
    /// The last `h` of the server.
    public var handledByServer: StanzaCounter
    /// The stanzas without acknowledgement, in the order of sending: first those that were sent and count from
    /// `handledByServer` on, then those that wait.
    public var pending: [OutgoingStanza]
    /// Stanzas of a lost session that the application was asked about and has not decided.
    public var undecided: [OutgoingStanza]
    /// How often handling the first unhandled stanza was begun in vain, as far as that was counted (rule R40).
    public var handlingAttempts: Int

    public init(
        resumption: Resumption? = nil, address: String? = nil, lastDisconnect: Date? = nil,
        handledByClient: StanzaCounter = .zero, handledByServer: StanzaCounter = .zero,
        pending: [OutgoingStanza] = [], undecided: [OutgoingStanza] = [], handlingAttempts: Int = 0
    ) {
        self.resumption = resumption
        self.address = address
        self.lastDisconnect = lastDisconnect
        self.handledByClient = handledByClient
        self.handledByServer = handledByServer
        self.pending = pending
        self.undecided = undecided
        self.handlingAttempts = handlingAttempts
    }
}
