// The handler as a value: an identity, names, bound arguments, and the state that its copies share. It runs nothing;
// Calling/ does.
//
// HandlerFunction makes typed handlers, HandlerDefinition and HandlerDispatcher untyped ones. Format/ has the stored
// form.

public import Foundation
import Locking

/// A callback as a value: another process or a later version of the program can load it from its bytes and call it.
///
/// Copies share one state: invalidating one copy invalidates all. A handler that is loaded from bytes is another one.
/// Each copy has its own bound arguments.
///
/// ```swift
/// let handler = try Carbons.enabled.handler { $0.attempt = 1 }
/// try await dispatcher.call(handler, ["account": account, "iq": iq])
/// ```
///
/// Two handlers are equal when they have the same identity, the same functions and the same bound arguments.
public struct Handler: Sendable, Identifiable {
    /// The identity that copies share, also stored ones.
    public let id: UUID
    /// The function that is called.
    public let name: HandlerName
    /// The version of the parameter list that the bound arguments fit.
    public let version: Int
    /// The function that is called when the handler is invalidated.
    public internal(set) var invalidation: Invalidation?
    /// The bound arguments, by name.
    public internal(set) var arguments: [String: StoredValue]
    let state: HandlerState

    /// An invalidation function.
    public struct Invalidation: Sendable, Hashable {
        public let name: HandlerName
        public let version: Int
        /// The bound arguments of the invalidation, if migrations made them differ from those of the handler.
        public internal(set) var arguments: [String: StoredValue]?
    }

    init(
        id: UUID = UUID(), name: HandlerName, version: Int, invalidation: Invalidation? = nil,
        arguments: [String: StoredValue], state: HandlerState = HandlerState()
    ) {
        self.id = id
        self.name = name
        self.version = version
        self.invalidation = invalidation
        self.arguments = arguments
        self.state = state
    }

    /// The bound arguments for the invalidation function.
    public var invalidationArguments: [String: StoredValue] { invalidation?.arguments ?? arguments }

    /// The mark that ended the handler; `nil` while it can be called.
    public var mark: HandlerMark? { state.mark }
}

extension Handler: Hashable {
    public static func == (one: Handler, other: Handler) -> Bool {
        one.id == other.id && one.name == other.name && one.version == other.version
            && one.invalidation == other.invalidation && one.arguments == other.arguments
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Handler: CustomStringConvertible, CustomDebugStringConvertible {
    /// `Type|handler<invalidation>`: the names alone, as arguments may hold secrets.
    public var description: String {
        guard let invalidation else { return name.description }
        let isOfSameType = invalidation.name.type == name.type
        return "\(name)<\(isOfSameType ? invalidation.name.function : invalidation.name.description)>"
    }

    public var debugDescription: String { "\(description) \(id)" }
}

extension Handler {
    /// Returns a copy with arguments bound, which replace bound ones of the same names; `nil` removes one.
    ///
    /// - Throws: `HandlerError` when the handler has ended, or for a value that is not storable. Storing or calling the
    ///   handler reports a value of the wrong type.
    public func binding(_ arguments: HandlerArguments) throws(HandlerError) -> Handler {
        try checkNotEnded()
        let stored = try arguments.stored(for: name)
        var copy = self
        for argument in arguments.names {
            copy.arguments[argument] = stored[argument]
            copy.invalidation?.arguments?[argument] = stored[argument]
        }
        return copy
    }

    /// Throws when the handler has ended.
    package func checkNotEnded() throws(HandlerError) {
        if let mark { throw HandlerError(mark.error, handler: name) }
    }
}

extension HandlerMark {
    /// The error of a call or invalidation that comes after the mark.
    var error: HandlerError.Kind {
        switch self {
        case .called: .alreadyCalled
        case .invalidated(let reason): .alreadyInvalidated(reason)
        }
    }
}

/// The event that ended a handler.
public enum HandlerMark: Sendable, Hashable {
    /// It is single-shot, and a call won.
    case called
    /// It was invalidated.
    case invalidated(InvalidationReason)
}

final class HandlerState: Sendable {
    private let current = Lock<HandlerMark?>(nil)

    var mark: HandlerMark? { current.withLock { $0 } }

    /// Sets the mark unless one is set. Exactly one of several callers gets true.
    func settle(_ mark: HandlerMark) -> Bool {
        current.withLock { current in
            guard current == nil else { return false }
            current = mark
            return true
        }
    }
}

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
