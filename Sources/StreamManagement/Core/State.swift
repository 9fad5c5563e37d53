// The states of the core. StreamManagement.docc/StatesAndEvents.md has the table of states and events.

public import Foundation

extension StreamManagementCore {
    /// The state of a session.
    public enum State: Hashable, Sendable {
        /// No session is enabled.
        case disabled(Disabled)
        /// `<enable/>` is sent; stanzas sent from now on count (rule R3).
        case enabling
        /// Both sides count.
        case enabled
        /// The stream was lost at this time, and the session can be resumed.
        case suspended(since: Date)
        /// `<resume/>` is sent, for a stream that was lost at this time. No stanza is given up yet (rule R25).
        case resuming(since: Date)
        /// The client is closing the stream: the core ignores later elements.
        case ended
    }

    /// Why no session is enabled.
    public enum Disabled: Hashable, Sendable {
        /// No stream, or a stream without a resource: stanzas wait.
        case unbound
        /// A stream with a resource: stanzas are sent and do not count.
        case bound
        /// The same, after the server refused stream management. The core does not ask again on this stream (rule R9).
        case refused
    }
}
