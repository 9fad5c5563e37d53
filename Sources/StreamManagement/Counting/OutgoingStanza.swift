// A stanza on its way out, as it waits for its acknowledgement and as it is stored.

public import Foundation
public import XMLTree

/// A stanza that was given to be sent, and is not acknowledged yet.
public struct OutgoingStanza: Equatable, Sendable {
    /// Which one it is.
    public let number: OutgoingNumber
    /// What the application calls it; `nil` if neither it nor the stanza says. Such a stanza counts like any other and
    /// is only missing where identifiers are listed (rule R44).
    public internal(set) var id: StanzaID?
    /// The stanza as it was given.
    public let element: Element
    /// When it was sent for the first time, in this session or in one that was lost; `nil` if it never was.
    public internal(set) var firstSent: Date?
    /// Whether it was sent in this session, and counts; otherwise it waits.
    public internal(set) var isSent: Bool
    /// How often the server closed a stream, or ended it with a complaint, while this stanza was sent and not
    /// acknowledged.
    public internal(set) var losses: Int
    /// What it takes in memory.
    let weight: Int

    public init(
        number: OutgoingNumber, id: StanzaID?, element: Element, firstSent: Date?, isSent: Bool, losses: Int = 0
    ) {
        self.number = number
        self.id = id
        self.element = element
        self.firstSent = firstSent
        self.isSent = isSent
        self.losses = losses
        weight = element.weight
    }

    /// Counts a loss. A number from a disk can be the largest.
    mutating func countLoss() {
        if losses < .max { losses += 1 }
    }

    /// Whether the queue gives up the stanza: after this number of losses, and at least two; 0 gives up none.
    func isDeadLetter(after maximum: Int) -> Bool { maximum > 0 && losses >= max(maximum, 2) }

    /// Notes that it is sent now.
    mutating func markSent(at date: Date) {
        isSent = true
        if firstSent == nil { firstSent = date }
    }
}

/// What became of a stanza that was given to be sent.
public enum StanzaState: Hashable, Sendable {
    /// It waits: for the stream, or for the decision what becomes of it after a failed resumption.
    case queued
    /// It was handed to the transport.
    case sent
    /// The other side has taken responsibility for it.
    case acknowledged
    /// The other side has certainly not handled it, or the session gave it up as a dead letter
    /// (``SentStanza/deadLetterReason``).
    case failed
    /// It may have been delivered, and nobody will ever tell.
    case unknown
}
