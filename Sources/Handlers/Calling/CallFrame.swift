// The arguments of one call: its own, which hide bound ones of the same name, and the reason of an invalidation.

import Payloads
import XMLTree

/// The arguments of one call.
struct CallFrame {
    let handler: HandlerName
    let bound: [String: StoredValue]
    let given: HandlerArguments
    /// The reason, if the call runs an invalidation function.
    let reason: InvalidationReason?

    /// The result of looking up an argument.
    enum Argument {
        case missing
        case live(any Sendable)
        case stored(StoredValue)
    }

    /// The call's argument of that name, or else the bound one.
    func argument(_ name: String) -> Argument {
        if let given = given.values[name] {
            switch given {
            case nil: return .missing
            case let stored as StoredValue: return .stored(stored)
            case let live?: return .live(live)
            }
        }
        return bound[name].map(Argument.stored) ?? .missing
    }
}

extension CallFrame {
    /// An argument of a type whose values can be stored; `nil` when it is missing.
    func storable<Value: Storable>(_ name: String, as type: Value.Type) throws -> Value? {
        switch argument(name) {
        case .missing: return nil
        case .live(let live): return try value(of: live, name, as: type)
        case .stored(let stored):
            do {
                return try Value(storedValue: stored, given: given)
            } catch let mismatch as StorableMismatch {
                throw HandlerError(
                    .wrongType(argument: name, expected: mismatch.expected, actual: mismatch.actual), handler: handler)
            } catch {
                throw HandlerError(
                    .codingFailed(argument: name, type: stored.typeDescription, reason: "\(Swift.type(of: error))"),
                    handler: handler)
            }
        }
    }

    /// An argument that only a call can give; `nil` when it is missing.
    func object<Value: Sendable>(_ name: String, as type: Value.Type) throws -> Value? {
        switch argument(name) {
        case .missing: return reason as? Value
        case .live(let live): return try value(of: live, name, as: type)
        case .stored(let stored):
            throw HandlerError(
                .wrongType(argument: name, expected: "\(type)", actual: stored.typeDescription), handler: handler)
        }
    }

    /// An argument of the call. A payload may be given as its element, such as a session's stanza.
    private func value<Value>(of live: any Sendable, _ name: String, as type: Value.Type) throws -> Value {
        if let value = live as? Value { return value }
        if let element = live as? Element, let payload = type as? any Payload.Type,
            let value = try payload.init(element) as? Value
        {
            return value
        }
        throw HandlerError(
            .wrongType(argument: name, expected: "\(type)", actual: "\(Swift.type(of: live))"), handler: handler)
    }
}
