// What goes wrong with handlers at run time. The texts are HandlerError+Description.swift; mistakes in a registry are
// HandlerRegistryError.swift. Errors that a handler's own function throws are passed on as they are.

/// Why a handler was not made, stored, loaded, called or invalidated.
///
/// It names the handler, the argument, what was expected and what was there, but never an argument's value.
public struct HandlerError: Error, Sendable, Hashable {
    /// The handler's name, where one is known.
    public let handler: HandlerName?
    public let kind: Kind

    public init(_ kind: Kind, handler: HandlerName? = nil) {
        self.handler = handler
        self.kind = kind
    }

    public enum Kind: Sendable, Hashable {
        // MARK: Arguments

        /// Neither creation nor call gave a mandatory argument.
        case missingArgument(String, expected: String)
        /// An argument is of another type than its parameter.
        case wrongType(argument: String, expected: String, actual: String)
        /// What is bound at creation has to be storable.
        case notStorable(argument: String, type: String)
        /// Encoding or decoding a Codable argument failed; the reason is that of its coder.
        case codingFailed(argument: String, type: String, reason: String)
        /// The instance of an instance handler could not be had from the arguments.
        case noInstance

        // MARK: The state

        /// The handler was invalidated: it cannot be called, bound or invalidated any more.
        case alreadyInvalidated(InvalidationReason)
        /// The handler is single-shot, and somebody's call won.
        case alreadyCalled

        // MARK: What this program does not know

        /// No handler of that name is registered.
        case unknownHandler
        /// The handler's arguments are of a newer version than this program's.
        case unknownVersion(stored: Int, newest: Int)
        /// No Codable type of that name is registered, or only an older version of it.
        case unknownType(String, version: Int)
        /// A migration threw; the reason is the error's type.
        case migrationFailed(from: Int, reason: String)

        // MARK: Stored data

        /// The data were written in a newer format.
        case unknownFormat(version: Int)
        /// The data are damaged, or are no handler.
        case corrupt(String, offset: Int)
        /// Values or handlers nest deeper than a limit allows.
        case tooDeep(Limit, maximum: Int)
        /// More than a limit allows.
        case tooLarge(Limit, maximum: Int)
        /// An element that the parser would refuse to read back.
        case unreadableElement(argument: String, reason: String)

        // MARK: Stores

        /// The store has no handler of that identity.
        case notStored
    }

    /// A limit of `HandlerLimits`.
    public enum Limit: String, Sendable, Hashable {
        case bytes, values, depth, nestedHandlers, arguments, nameBytes, version, parkedCalls, storeBytes
    }
}
