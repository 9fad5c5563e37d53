// A stanza that waits to be sent or acknowledged, as the queue holds it and as it is stored.

public import Foundation
public import XMLTree
public import XMPPCore

/// An accepted stanza that is not acknowledged yet.
public struct OutgoingStanza: Equatable, Sendable {
    /// The stanza's number.
    public let number: OutgoingNumber
    /// The application's identifier, by default the stanza's own `id`; `nil` without either. Such a stanza counts like
    /// any other, and is only missing from lists of identifiers (rule R44).
    public internal(set) var id: StanzaID?
    /// The stanza as the application passed it.
    public let element: Element
    /// When the stanza was sent for the first time, in this session or in a lost one; `nil` if it was never sent.
    public internal(set) var firstSent: Date?
    /// Whether the stanza was sent in this session, and counts; otherwise it waits.
    public internal(set) var isSent: Bool
    /// How often the server broke the protocol, or ended a stream with a complaint, while this stanza was sent and not
    /// acknowledged. Several resets or closed streams count as one (``StreamManagementConfiguration/resetsPerLoss``).
    public internal(set) var losses: Int
    /// The stanza's size in memory.
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

    /// Counts a loss. A stored number can be the largest.
    mutating func countLoss() {
        if losses < .max { losses += 1 }
    }

    /// Whether the queue gives up the stanza: after this number of losses, and at least two; 0 gives up none.
    func isDeadLetter(after maximum: Int) -> Bool { maximum > 0 && losses >= max(maximum, 2) }

    /// Notes that the stanza is sent now.
    mutating func markSent(at date: Date) {
        isSent = true
        if firstSent == nil { firstSent = date }
    }
}

/// The delivery state of an accepted stanza.
public enum StanzaState: Hashable, Sendable {
    /// The stanza waits for a stream, or for the application's decision after a failed resumption.
    case queued
    /// The session has handed the stanza to the transport.
    case sent
    /// The other side has taken responsibility for the stanza. Its recipient may still refuse it (`bounced`).
    case acknowledged
    /// The recipient, or a server, has answered the stanza with this error (RFC 6120 §8.3).
    indirect case bounced(StanzaError)
    /// The other side has certainly not handled the stanza, or the session gave it up as a dead letter
    /// (``SentStanza/deadLetterReason``).
    case failed
    /// The stanza may have been delivered, and the session can never find out.
    case unknown
}
