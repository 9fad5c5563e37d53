// Everything that can happen to the core. What it does then is in StreamManagement.docc/StatesAndEvents.md.

public import XMLTree

extension StreamManagementCore {
    /// Something that happens.
    public enum Event: Equatable, Sendable {
        // MARK: What the application wants

        /// The first event, if a session was stored.
        indirect case restore(StoredSession)
        /// A resource is bound, and stream management is not, or not yet, to be enabled: what waits is sent, uncounted.
        case bound(address: String?)
        /// Enable stream management, after binding. What waits is sent.
        ///
        /// - `resumption`: whether the session shall be resumable.
        /// - `maximum`: the wished resumption time. Only whole positive seconds are sent (rule R41).
        /// - `address`: the address that was bound.
        case enable(resumption: Bool, maximum: Duration?, address: String?)
        /// Resume the session, after authentication and instead of binding.
        case resume
        /// Send a stanza. `id` is what the application calls it, by default the stanza's own `id`.
        case send(Element, id: StanzaID?)
        /// The application has found out late what it calls a stanza (rule R46).
        case identify(OutgoingNumber, as: StanzaID)
        /// Do not send a stanza that waits. One that was sent counts, and stays.
        case withdraw(OutgoingNumber)
        /// Ask the other side what it has handled.
        case requestAcknowledgement
        /// A sender waits for room for so many stanzas (D23): the core asks for an acknowledgement until there is
        /// room. 0 ends the wait.
        case awaitRoom(places: Int)
        /// Tell the other side what has been handled.
        case sendAcknowledgement
        /// A received stanza has been handled: in any order (rule R16).
        case markHandled(IncomingNumber)
        /// Handling a stanza has failed; shall it be delivered once more? (Rule R40)
        case handlingFailed(ReceivedStanza)
        /// Of the stanzas that the application was asked about, send these again, and give up the others.
        case decide(resend: Set<OutgoingNumber>)
        /// Close the stream, and end the session for good.
        case close

        // MARK: What happens to the stream

        /// An element has been received.
        case received(Element)
        /// A stanza has been passed over that is beyond a limit of the parser.
        indirect case rejected(RejectedStanza)
        /// The transport has taken a stanza, and all that were transmitted before it.
        case written(through: OutgoingNumber)
        /// The other side has closed the stream, without an error. Whoever runs the core closes it, too; a stream whose
        /// session can be resumed is cut instead.
        case peerClosed
        /// The connection is gone.
        case transportLost
        /// The other side has ended the connection without ending the stream, perhaps because of a stanza (D50).
        case connectionReset
        /// The deadline that the timer was armed for has passed.
        case deadline(Timer)
    }
}

/// A stanza that has been received.
public struct ReceivedStanza: Hashable, Sendable {
    /// To be given back when the stanza has been handled; `nil` if it does not count, since there was no session.
    public let number: IncomingNumber?
    public let element: Element

    public init(number: IncomingNumber?, element: Element) {
        self.number = number
        self.element = element
    }
}
