// Why a handler will never be called.

/// Who invalidates a handler says why. An invalidation function may ask for it: it declares a parameter of this type.
public enum InvalidationReason: Sendable, Hashable {
    /// The connection was lost and its stream could not be resumed: an answer will not come any more.
    case disconnected
    /// No answer came in time.
    case timedOut
    /// The user, or the program, does not want the answer any more.
    case cancelled
    /// The account that the handler belongs to was removed.
    case accountRemoved
    /// Anything else, in stable words of the program's own.
    case other(String)
}

extension InvalidationReason: RawRepresentable {
    /// A stable text, which is what is stored. Every text is some reason.
    public init(rawValue: String) {
        self =
            switch rawValue {
            case "disconnected": .disconnected
            case "timed-out": .timedOut
            case "cancelled": .cancelled
            case "account-removed": .accountRemoved
            default: .other(rawValue)
            }
    }

    public var rawValue: String {
        switch self {
        case .disconnected: "disconnected"
        case .timedOut: "timed-out"
        case .cancelled: "cancelled"
        case .accountRemoved: "account-removed"
        case .other(let text): text
        }
    }
}

extension InvalidationReason: CustomStringConvertible {
    public var description: String { rawValue }
}
