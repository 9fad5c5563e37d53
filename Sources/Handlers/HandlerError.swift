// The errors of handlers at run time. HandlerError+Description.swift has their texts, HandlerRegistryError.swift the
// mistakes in a registry. Errors of a handler's own function reach the caller unchanged.

/// Why a handler was not made, stored, loaded, called or invalidated.
///
/// It names the handler, the argument, and the expected and actual types, but never an argument's value.
public struct HandlerError: Error, Sendable, Hashable {
    /// The handler's name, if it is known.
    public let handler: HandlerName?
    public let kind: Kind

    public init(_ kind: Kind, handler: HandlerName? = nil) {
        self.handler = handler
        self.kind = kind
    }

    public enum Kind: Sendable, Hashable {
        // MARK: Arguments

        /// A mandatory argument is neither bound nor passed to the call.
        case missingArgument(String, expected: String)
        /// The type of an argument differs from that of its parameter.
        case wrongType(argument: String, expected: String, actual: String)
        /// A bound argument is not storable.
        case notStorable(argument: String, type: String)
        /// Encoding or decoding a Codable argument failed; the reason is the error's type.
        case codingFailed(argument: String, type: String, reason: String)
        /// The arguments of an instance handler did not yield an instance.
        case noInstance

        // MARK: The state

        /// The handler was invalidated: it can no longer be called, bound or invalidated.
        case alreadyInvalidated(InvalidationReason)
        /// The handler is single-shot, and another call won.
        case alreadyCalled

        // MARK: Unknown to this program

        /// No handler of that name is registered.
        case unknownHandler
        /// The version of the handler's arguments is newer than this program's.
        case unknownVersion(stored: Int, newest: Int)
        /// No Codable type of that name is registered, or only an older version of it.
        case unknownType(String, version: Int)
        /// A migration threw; the reason is the error's type.
        case migrationFailed(from: Int, reason: String)

        // MARK: Stored data

        /// The data have a newer format, or a version number that does not exist.
        case unknownFormat(version: Int)
        /// The data are damaged, or do not hold a handler.
        case corrupt(String, offset: Int)
        /// Values or handlers nest deeper than a limit allows.
        case tooDeep(Limit, maximum: Int)
        /// The size or count exceeds a limit.
        case tooLarge(Limit, maximum: Int)
        /// The parser would refuse to read the element back.
        case unreadableElement(argument: String, reason: String)

        // MARK: Stores

        /// The store has no handler of that identity.
        case notStored
    }

    /// A limit of `HandlerLimits`.
    public enum Limit: String, Sendable, Hashable {
        case bytes, values, depth, nestedHandlers, arguments, nameBytes, version, deferredCalls, storeBytes
    }
}
