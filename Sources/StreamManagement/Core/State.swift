// The states of the core. The table of states and events is in StreamManagement.docc/StatesAndEvents.md.

public import Foundation

extension StreamManagementCore {
    /// Where a session is in its life.
    public enum State: Hashable, Sendable {
        /// There is no session.
        case disabled(Disabled)
        /// `<enable/>` has been sent; what is sent now counts already (rule R3).
        case enabling
        /// Both sides count.
        case enabled
        /// The stream was lost at that time, and the session may be resumed.
        case suspended(since: Date)
        /// `<resume/>` has been sent, for a stream that was lost at that time. Nothing is given up yet (rule R25).
        case resuming(since: Date)
        /// The stream is being closed by us: nothing that still comes in means anything.
        case ended
    }

    /// Why and how there is no session.
    public enum Disabled: Hashable, Sendable {
        /// No stream, or none that has a resource: stanzas wait.
        case unbound
        /// A stream with a resource: stanzas are sent and do not count.
        case bound
        /// The same, and the server has refused stream management: it is not asked twice on one stream (rule R9).
        case refused
    }
}
