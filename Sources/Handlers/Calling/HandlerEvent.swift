// What an observer hears of: every call and invalidation, how long it took and how it ended.

public import Foundation

/// A call of a handler, after it.
public struct HandlerEvent: Sendable {
    /// The handler's identity.
    public let handler: UUID
    /// The function: the handler's, or its invalidation function where there is one.
    public let name: HandlerName
    public let purpose: ParkedCall.Purpose
    /// From the beginning to the end of the call, what is waited for included.
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
