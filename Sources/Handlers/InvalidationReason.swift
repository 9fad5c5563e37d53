// Why a handler will never be called.

/// The reason that the caller of an invalidation gives. An invalidation function gets it in a parameter of this type.
public enum InvalidationReason: Sendable, Hashable {
    /// The connection was lost and its stream could not be resumed: no answer will arrive.
    case disconnected
    /// No answer arrived in time.
    case timedOut
    /// The user or the program no longer needs the answer.
    case canceled
    /// The account that the handler belongs to was removed.
    case accountRemoved
    /// Any other reason, as a stable text that the program defines.
    case other(String)
}

extension InvalidationReason: RawRepresentable {
    /// Creates a reason from its stable, stored text. Every text is a reason.
    public init(rawValue: String) {
        self =
            switch rawValue {
            case "disconnected": .disconnected
            case "timed-out": .timedOut
            case "cancelled": .canceled
            case "account-removed": .accountRemoved
            default: .other(rawValue)
            }
    }

    public var rawValue: String {
        switch self {
        case .disconnected: "disconnected"
        case .timedOut: "timed-out"
        case .canceled: "cancelled"
        case .accountRemoved: "account-removed"
        case .other(let text): text
        }
    }
}

extension InvalidationReason: CustomStringConvertible {
    public var description: String { rawValue }
}
