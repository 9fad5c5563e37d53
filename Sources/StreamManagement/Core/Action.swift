// The actions that the core requests, as plain values.

public import Foundation
public import XMLTree

extension StreamManagementCore {
    /// An action of the core. The runner performs all actions of an event in order.
    public enum Action: Equatable, Sendable {
        /// Write an element of stream management to the transport.
        case send(Nonza)
        /// Write a stanza to the transport.
        case transmit(OutgoingNumber, Element)
        /// Change the stored session. Perform no later action before an `immediate` change is durable.
        case store(StorageChange, StorageUrgency)
        /// Give a stanza to the application.
        case deliver(ReceivedStanza)
        /// Pass on an element that does not belong to stream management.
        case pass(Element)
        /// Report the state of a stanza to its sender.
        case report(StanzaReport)
        /// Notify the application.
        case notify(Notification)
        /// Fire a deadline event for the timer at this uptime. This replaces an earlier deadline of the timer.
        case arm(Timer, at: Duration)
        /// Disarm the timer.
        case cancel(Timer)
        /// Send a stream error, and close the stream.
        case sendStreamError(StreamError)
        /// Close the stream.
        case closeStream
        /// Cut the connection. The core has already done the work of `transportLost`.
        case abandonTransport(AbandonReason)
    }

    /// Why the core cuts a connection at once.
    public enum AbandonReason: Hashable, Sendable {
        /// The server did not answer a request for acknowledgement in time (D48).
        case acknowledgementMissing
        /// The server did not answer `<enable/>` or `<resume/>` in time.
        case negotiationTimedOut
        /// The server sent this stream error.
        case streamError(Element)
    }

    /// A notification for the application.
    public enum Notification: Equatable, Sendable {
        /// The server enabled stream management with this answer; `nil` if the session cannot be resumed.
        indirect case enabled(Element, Resumption?)
        /// The server refused stream management with this answer.
        case notEnabled(Element)
        /// The server resumed the session with this answer. The reports right before it name the acknowledged stanzas.
        case resumed(Element)
        /// The server refused to resume the session with this answer. Requests of that session are not answered in the
        /// next one (rule R33).
        case notResumed(Element)
        /// The session is lost for another reason.
        case sessionLost(SessionLoss)
        /// The core has requested an acknowledgement.
        case acknowledgementRequested
        /// The server answers requests, but does not acknowledge enough: senders wait at a full queue (D23), or stanzas
        /// wait after a suspect (D50). Gives the first unacknowledged stanza, and the number of unacknowledged stanzas.
        /// Sent once for each wait.
        case acknowledgementWithheld(OutgoingStanza, unacknowledged: Int)
        /// The application has to decide about these stanzas with `decide`.
        case undecided([OutgoingStanza])
        /// The core gave up a received stanza after this many failed handling attempts. It counts as handled (rule
        /// R40).
        case incomingDeadLetter(Element, attempts: Int)
        /// The core gave up a stanza to send. A separate report gives its state.
        case deadLettered(OutgoingStanza, DeadLetterReason)
        /// The parser skipped a stanza: it is beyond a limit, or not namespace-well-formed. The stanza counts as
        /// handled; the core answered it if it asked for an answer (rule R7).
        indirect case rejected(RejectedStanza)
    }

    /// Why the core stops sending a stanza.
    public enum DeadLetterReason: LocalizedError, Hashable, Sendable, CustomStringConvertible {
        /// The server accepts at most this many bytes (XEP-0478).
        case tooLarge(limit: Int)
        /// How often the server ended the stream, or broke the protocol, with this stanza in flight
        /// (``StreamManagementConfiguration/maximumLosses``).
        case losses(Int)

        public var description: String {
            switch self {
            case .tooLarge(let limit): "\(StreamManagementError.tooLarge(limit: limit))"
            case .losses(let count):
                "the server ended \(count) streams with the stanza in flight: send less, or send a link"
            }
        }

        public var errorDescription: String? { description }
    }

    /// How a session was lost, other than by a refused resumption.
    public enum SessionLoss: Hashable, Sendable {
        /// The connection is gone, and the server had not allowed the session to be resumed.
        case notResumable
        /// The client bound a resource instead of resuming the session.
        case notResumed
        /// The server closed the stream.
        case closedByPeer
        /// The server broke the protocol.
        case violation
        /// The server complained about the client.
        case complaint
        /// The server did not answer several requests to resume the session, or one after its `max` (rule R32).
        case unanswered
    }
}

/// A report on the state of a stanza that was passed to be sent.
public struct StanzaReport: Hashable, Sendable {
    public let number: OutgoingNumber
    public let id: StanzaID?
    public let state: StanzaState
    public let prospect: Prospect
    /// Why the session gave the stanza up; `nil` if it did not.
    public let deadLetterReason: StreamManagementCore.DeadLetterReason?

    /// The next step for the stanza.
    public enum Prospect: Hashable, Sendable {
        /// None: this is the last report.
        case final
        /// The core sends the stanza again.
        case resent
        /// The application decides.
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
