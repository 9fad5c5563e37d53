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

extension StoredSession {
    /// The same, if a core can have stored it; otherwise what can be made of it. Whatever comes from a disk may be
    /// wrong, and must not bring down the process, nor every one after it.
    var mended: StoredSession {
        var session = self
        session.handlingAttempts = min(max(handlingAttempts, 0), Self.mostAttempts)
        session.undecided.removeAll { !$0.element.isStanza }
        session.pending.removeAll { !$0.element.isStanza }
        let numbers = (session.undecided + session.pending).map(\.number.rawValue)
        if Set(numbers).count < numbers.count || numbers.contains(where: { $0 >= Self.highestNumber || $0 == 0 }) {
            session.undecided = Self.numbered(session.undecided, from: 1)
            session.pending = Self.numbered(session.pending, from: UInt64(session.undecided.count) + 1)
        }
        // What was sent stands before what was not, and what is undecided counts nowhere.
        let sentCount = session.pending.firstIndex { !$0.isSent } ?? session.pending.count
        for position in session.pending.indices where position >= sentCount { session.pending[position].isSent = false }
        for position in session.undecided.indices { session.undecided[position].isSent = false }
        return session
    }

    /// Far above what anybody counts to.
    private static let mostAttempts = 1_000_000
    private static let highestNumber: UInt64 = 1 << 62

    private static func numbered(_ stanzas: [OutgoingStanza], from first: UInt64) -> [OutgoingStanza] {
        stanzas.enumerated().map { position, stanza in
            OutgoingStanza(
                number: OutgoingNumber(rawValue: first + UInt64(position)), id: stanza.id, element: stanza.element,
                firstSent: stanza.firstSent, isSent: stanza.isSent, losses: stanza.losses)
        }
    }
}
