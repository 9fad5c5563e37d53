// Why a handler will never be called.

/// The reason that the caller of an invalidation gives. An invalidation function gets it in a parameter of this type.
public struct InvalidationReason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The stable, stored text. Every text is a reason.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The connection was lost and its stream could not be resumed: no answer will arrive.
    public static let disconnected = InvalidationReason(rawValue: "disconnected")
    /// No answer arrived in time.
    public static let timedOut = InvalidationReason(rawValue: "timed-out")
    /// The user or the program no longer needs the answer.
    public static let canceled = InvalidationReason(rawValue: "cancelled")
    /// The account that the handler belongs to was removed.
    public static let accountRemoved = InvalidationReason(rawValue: "account-removed")

    public var description: String { rawValue }
}
