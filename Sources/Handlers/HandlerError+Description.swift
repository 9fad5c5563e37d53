// The texts of errors: the expected value, the actual one, and the fix.

public import Foundation

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
        case .notStored:
            "the store has no such handler: it was removed, or never stored"
        }
    }
}
