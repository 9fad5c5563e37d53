// The event that an observer gets for every call and invalidation: its duration and its outcome.

public import Foundation

/// A call or invalidation of a handler, with its outcome.
public struct HandlerEvent: Sendable {
    /// The handler's identity.
    public let handler: UUID
    /// The function: the handler's or, for an invalidation, its invalidation function if it has one.
    public let name: HandlerName
    public let purpose: DeferredCall.Purpose
    /// From the start to the end of the call, including all waiting.
    public let duration: Duration
    public let outcome: Outcome

    public enum Outcome: Sendable {
        /// The function returned; for an invalidation without a function, the handler was invalidated.
        case returned
        /// The function threw.
        case threw(any Error)
        /// The function was not called: the arguments do not fit, the handler has ended, or the store failed.
        case refused(any Error)
    }
}
