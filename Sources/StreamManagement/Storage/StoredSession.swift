// The stored form of a session, which every storage has to keep.

public import Foundation

/// The data that a later process needs to resume a session, or to report the state of its sent stanzas.
public struct StoredSession: Equatable, Sendable {
    /// The right to resume; `nil` if only stanzas remain whose state is open.
    public var resumption: Resumption?
    /// The bound address, because a resumption binds nothing.
    public var address: String?
    /// When the stream was lost; a recent time while the stream lives (rule R47).
    public var lastDisconnect: Date?
    /// The number of stanzas handled by the client: the count in `<resume/>`.
    public var handledByClient: StanzaCounter
    /// The last `h` of the server.
    public var handledByServer: StanzaCounter
    /// The unacknowledged stanzas, in the order of sending: first the sent ones, which count from `handledByServer` on,
    /// then the waiting ones.
    public var pending: [OutgoingStanza]
    /// The stanzas of a lost session that the application has yet to decide about.
    public var undecided: [OutgoingStanza]
    /// The stanzas that wait for the app's greeting, or to be released (rule R30).
    public var held: [OutgoingStanza]
    /// Whether the app has greeted the session, or need not.
    public var isGreeted: Bool
    /// How often handling the first unhandled stanza began and did not finish, as far as it was counted (rule R40).
    public var handlingAttempts: Int
    /// How many attempts in a row to resume the session the server left unanswered (rule R32).
    public var unansweredResumptions: Int

    public init(
        resumption: Resumption? = nil, address: String? = nil, lastDisconnect: Date? = nil,
        handledByClient: StanzaCounter = .zero, handledByServer: StanzaCounter = .zero,
        pending: [OutgoingStanza] = [], undecided: [OutgoingStanza] = [], held: [OutgoingStanza] = [],
        isGreeted: Bool = true, handlingAttempts: Int = 0,
        unansweredResumptions: Int = 0
    ) {
        self.resumption = resumption
        self.address = address
        self.lastDisconnect = lastDisconnect
        self.handledByClient = handledByClient
        self.handledByServer = handledByServer
        self.pending = pending
        self.undecided = undecided
        self.held = held
        self.isGreeted = isGreeted
        self.handlingAttempts = handlingAttempts
        self.unansweredResumptions = unansweredResumptions
    }
}

extension StoredSession {
    /// The session, repaired if no core can have stored it. Data from a disk may be wrong. It must not end the process,
    /// nor every later one.
    var mended: StoredSession {
        var session = self
        session.handlingAttempts = min(max(handlingAttempts, 0), Self.mostAttempts)
        session.unansweredResumptions = min(max(unansweredResumptions, 0), Self.mostAttempts)
        session.undecided.removeAll { !$0.element.isStanza }
        session.pending.removeAll { !$0.element.isStanza }
        session.held.removeAll { !$0.element.isStanza }
        let numbers = (session.undecided + session.pending + session.held).map(\.number.rawValue)
        if Set(numbers).count < numbers.count || numbers.contains(where: { $0 >= Self.highestNumber || $0 == 0 }) {
            session.undecided = Self.numbered(session.undecided, from: 1)
            session.pending = Self.numbered(session.pending, from: UInt64(session.undecided.count) + 1)
            session.held = Self.numbered(
                session.held, from: UInt64(session.undecided.count + session.pending.count) + 1)
        }
        // Sent stanzas precede waiting ones, and undecided stanzas count nowhere.
        let sentCount = session.pending.firstIndex { !$0.isSent } ?? session.pending.count
        for position in session.pending.indices where position >= sentCount { session.pending[position].isSent = false }
        for position in session.undecided.indices { session.undecided[position].isSent = false }
        for position in session.held.indices { session.held[position].isSent = false }
        return session
    }

    /// Far above any real count.
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
