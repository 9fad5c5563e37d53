// Everything that the core can want to be done: plain values.

public import XMLTree

extension StreamManagementCore {
    /// Something to do. Whoever runs the core does all actions of an event in their order.
    public enum Action: Equatable, Sendable {
        /// Write an element of stream management to the transport.
        case send(Nonza)
        /// Write a stanza to the transport.
        case transmit(OutgoingNumber, Element)
        /// Change what is stored. Nothing that follows may be done before a change that is `immediate` is durable.
        case store(StorageChange, StorageUrgency)
        /// Give a stanza to the application.
        case deliver(ReceivedStanza)
        /// Give an element that is none of stream management's business to whoever it concerns.
        case pass(Element)
        /// Tell the sender of a stanza what became of it.
        case report(StanzaReport)
        /// Tell the application.
        case notify(Notification)
        /// Fire a deadline event for the timer at that uptime, and no more at the one before.
        case arm(Timer, at: Duration)
        /// Fire no deadline event.
        case cancel(Timer)
        /// Send a stream error, and close the stream.
        case sendStreamError(StreamError)
        /// Close the stream.
        case closeStream
        /// Cut the connection: the core has already done what `transportLost` would do.
        case abandonTransport(AbandonReason)
    }

    /// Why a connection is cut without ado.
    public enum AbandonReason: Hashable, Sendable {
        /// A request for acknowledgement was not answered in time (D48).
        case acknowledgementMissing
        /// `<enable/>` or `<resume/>` was not answered in time.
        case negotiationTimedOut
        /// The other side has sent this stream error.
        case streamError(Element)
    }

    /// What the application should know.
    public enum Notification: Equatable, Sendable {
        /// The server has enabled stream management with this answer; `nil` if the session cannot be resumed.
        indirect case enabled(Element, Resumption?)
        /// The server has refused stream management with this answer.
        case notEnabled(Element)
        /// The server has resumed the session with this answer. The reports right before say what it acknowledges.
        case resumed(Element)
        /// The server has refused to resume the session with this answer. What was asked in that session is not
        /// answered in the next one (rule R33).
        case notResumed(Element)
        /// The session is lost otherwise.
        case sessionLost(SessionLoss)
        /// An acknowledgement has been requested.
        case acknowledgementRequested
        /// The server answers requests, but does not acknowledge enough: senders wait at a full queue (D23), or
        /// stanzas wait after a suspect (D50). Gives the first unacknowledged stanza, and how many there are.
        /// Comes once for each wait.
        case acknowledgementWithheld(OutgoingStanza, unacknowledged: Int)
        /// The application has to decide what becomes of these (`decide`).
        case undecided([OutgoingStanza])
        /// A stanza was given up after so many failed attempts to handle it, and counts as handled (rule R40).
        case setAside(Element, attempts: Int)
        /// A stanza to be sent was given up. What became of it is reported besides.
        case deadLettered(OutgoingStanza, DeadLetterReason)
        /// A stanza beyond a limit of the parser was passed over. It counts as handled, and was answered if it asked
        /// for something (rule R7).
        indirect case rejected(RejectedStanza)
    }

    /// Why a stanza is not sent any more.
    public enum DeadLetterReason: Error, Hashable, Sendable, CustomStringConvertible {
        /// The server accepts no more than that many bytes (XEP-0478).
        case tooLarge(limit: Int)
        /// How often the server has ended the stream, or broken the protocol, with this stanza in flight
        /// (``StreamManagementConfiguration/maximumLosses``).
        case losses(Int)

        public var description: String {
            switch self {
            case .tooLarge(let limit): "\(StreamManagementError.tooLarge(limit: limit))"
            case .losses(let count):
                "the server ended \(count) streams with the stanza in flight: send less, or send a link"
            }
        }
    }

    /// How a session was lost, other than by the server's refusal to resume it.
    public enum SessionLoss: Hashable, Sendable {
        /// The connection is gone, and the server had not given the right to resume.
        case notResumable
        /// It was not resumed, but a new one begun.
        case notResumed
        /// The other side has closed the stream.
        case closedByPeer
        /// The other side has broken the protocol.
        case violation
        /// The other side has complained about us.
        case complaint
    }
}

/// What became of a stanza that was given to be sent.
public struct StanzaReport: Hashable, Sendable {
    public let number: OutgoingNumber
    public let id: StanzaID?
    public let state: StanzaState
    public let prospect: Prospect
    /// Why the session gave the stanza up; `nil` if it did not.
    public let deadLetterReason: StreamManagementCore.DeadLetterReason?

    /// What comes after that.
    public enum Prospect: Hashable, Sendable {
        /// Nothing: this was the last report.
        case final
        /// It will be sent again.
        case resent
        /// The application is asked.
        case undecided
    }

    public init(
        number: OutgoingNumber, id: StanzaID?, state: StanzaState, prospect: Prospect = .final,
        deadLetterReason: StreamManagementCore.DeadLetterReason? = nil
    ) {
        self.number = number
        self.id = id
        self.state = state
        self.prospect = prospect
        self.deadLetterReason = deadLetterReason
    }
}
