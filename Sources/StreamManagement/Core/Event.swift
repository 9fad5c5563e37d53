// The events of the core. StreamManagement.docc/StatesAndEvents.md documents the reaction to each.

public import XMLTree

extension StreamManagementCore {
    /// An event for the core.
    public enum Event: Equatable, Sendable {
        // MARK: Requests of the application

        /// Restore a stored session. This is the first event.
        indirect case restore(StoredSession)
        /// A resource is bound, and stream management is not to be enabled, or not yet. Sends the waiting stanzas,
        /// uncounted.
        case bound(address: String?)
        /// Enable stream management, after binding. Sends the waiting stanzas.
        ///
        /// - `resumption`: whether the session shall be resumable.
        /// - `maximum`: the requested resumption time. Only whole positive seconds are sent (rule R41).
        /// - `address`: the bound address.
        case enable(resumption: Bool, maximum: Duration?, address: String?)
        /// Resume the session, after authentication and instead of binding.
        case resume
        /// Send a stanza. `id` is the application's name for it, by default the stanza's own `id`.
        case send(Element, id: StanzaID?)
        /// Send a stanza of the session's greeting, before all that waits for the greeting (rule R30).
        case greet(Element, id: StanzaID?)
        /// The application has greeted the session: what waited for the greeting goes now.
        case greeted
        /// Send these held stanzas, such as messages to a room that was joined.
        case release(Set<OutgoingNumber>)
        /// Set the application's name for a stanza after it was sent (rule R46).
        case identify(OutgoingNumber, as: StanzaID)
        /// Do not send a waiting stanza. A sent one counts, and stays.
        case withdraw(OutgoingNumber)
        /// Ask the server for its handled count.
        case requestAcknowledgement
        /// A sender waits for room for this many stanzas (D23). The core requests acknowledgements until there is room.
        /// 0 ends the wait.
        case awaitRoom(places: Int)
        /// Send the handled count to the server.
        case sendAcknowledgement
        /// The application has handled a received stanza. The order is free (rule R16).
        case markHandled(IncomingNumber)
        /// The application failed to handle a stanza. The core delivers it again, or gives it up (rule R40).
        case handlingFailed(ReceivedStanza)
        /// Send these of the undecided stanzas again, and give up the others.
        case decide(resend: Set<OutgoingNumber>)
        /// Close the stream, and end the session for good. `sendAcknowledgement` comes before (rule R17), unless its
        /// changes cannot be stored.
        case close

        // MARK: Events of the stream

        /// The stream has received an element.
        case received(Element)
        /// The parser has skipped a stanza that is beyond a limit or not namespace-well-formed.
        indirect case rejected(RejectedStanza)
        /// The transport has taken this stanza, and all that were transmitted before it.
        case written(through: OutgoingNumber)
        /// The server was silent for the runner's interval. The core requests a sign of life (D18).
        case signOfLifeIsDue
        /// The server has closed the stream, without an error. The runner closes it, too; it cuts a stream whose
        /// session can be resumed.
        case peerClosed
        /// The connection is gone.
        case transportLost
        /// The server has ended the connection without ending the stream, perhaps because of a stanza (D50) or of
        /// `<resume/>` (rule R32).
        case connectionReset
        /// The deadline of this timer has passed.
        case deadline(Timer)
    }
}

/// A stanza that the stream has received.
public struct ReceivedStanza: Hashable, Sendable {
    /// The number to return when the stanza is handled; `nil` if the stanza does not count, because no session was
    /// enabled.
    public let number: IncomingNumber?
    public let element: Element

    public init(number: IncomingNumber?, element: Element) {
        self.number = number
        self.element = element
    }
}
