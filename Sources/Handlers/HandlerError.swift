// The errors of handlers at run time. HandlerRegistryError.swift has the mistakes in a registry. Errors of a handler's
// own function reach the caller unchanged.

public import Foundation
import SafeText

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
        /// A name of the handler, an argument or a type is empty or has control characters.
        case invalidName
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
    }

    /// A limit of `HandlerLimits`.
    public enum Limit: String, Sendable, Hashable {
        case bytes, values, depth, nestedHandlers, arguments, nameBytes, version
    }
}

extension HandlerError: CustomStringConvertible, LocalizedError {
    public var description: String {
        if let handler { "handler '\(handler)': \(text)" } else { text }
    }

    public var errorDescription: String? { description }

    private var text: String {
        switch kind {
        case .missingArgument(let name, let expected):
            "the argument '\(name)' (\(expected)) is missing: bind it at creation, give it at the call, or declare the parameter optional"
        case .wrongType(let name, let expected, let actual):
            "the argument '\(name)' is of type \(actual), expected \(expected)"
        case .notStorable(let name, let type):
            "the argument '\(name)' cannot be bound: \(type) is not Storable; give it at the call, or make the type a StorableObject"
        case .invalidName:
            "a name of the handler, an argument or a type is empty or has control characters: rename it"
        case .codingFailed(let name, let type, let reason):
            "the argument '\(name)' of type \(type) could not be coded: \(reason)"
        case .noInstance:
            "the instance to call is missing: the statement after 'on:' returned nil"
        case .alreadyInvalidated(let reason):
            "it was invalidated (\(reason)) and cannot be called, bound or invalidated again: make a new handler"
        case .alreadyCalled:
            "it is single-shot and was called already: make a new handler, or define it without single-shot"
        case .unknownHandler where handler?.isValid == false:
            "this is not a handler's name: expected 'Type|function'"
        case .unknownHandler:
            "no handler of that name is registered: register its type, or give its new definition this former name"
        case .unknownVersion(let stored, let newest):
            "it was stored with version \(stored) of its parameters, this program knows up to \(newest): update the program"
        case .unknownType(let name, let version):
            "version \(version) of the type '\(name)' is not registered: register it in the registry's objects"
        case .migrationFailed(let version, let reason):
            "the migration of its arguments from version \(version) to \(version + 1) failed: \(reason)"
        case .unknownFormat(let version):
            "the data are of format \(version), which this program does not know: update the program"
        case .corrupt(let what, let offset):
            "the data are damaged at byte \(offset): \(what)"
        case .tooDeep(let limit, let maximum):
            "nested too deep, at most \(maximum) levels are stored (HandlerLimits.\(limit.rawValue)): flatten the bound values"
        case .tooLarge(let limit, let maximum):
            "too large, at most \(maximum) are stored (HandlerLimits.\(limit.rawValue)): bind a reference instead, such as an id"
        case .unreadableElement(let name, let reason):
            "the element in argument '\(name)' cannot be stored, as no parser would read it back: \(reason)"
        }
    }
}

extension HandlerError {
    /// Whether the error reports a bound value that this program cannot read. A newer program may have bound it: a new
    /// case of an enumeration, for example.
    var isOfAnUnreadableValue: Bool {
        switch kind {
        case .wrongType, .codingFailed: true
        default: false
        }
    }
}

/// It names handlers and parameters, and holds no values.
extension HandlerError: LoggableError {
    package var logText: String { description }
}
