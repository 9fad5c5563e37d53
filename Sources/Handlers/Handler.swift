// The value itself: an identity, names, and what was bound. It runs nothing; Calling/ does.
//
// Handlers are made by HandlerFunction (typed) and HandlerCentre (by name); binding is Handler+Binding.swift, the
// stored form Format/.

public import Foundation

/// A callback as a value: it can be stored, loaded by another process or a later version of the program, and called
/// there.
///
/// Copies share one identity, and with it one state: when one of them is invalidated, all are, those in stores too.
/// What is bound belongs to each copy.
///
/// ```swift
/// let handler = try Carbons.enabled.handler { $0.attempt = 1 }
/// try await centre.call(handler, ["account": account, "iq": iq])
/// ```
///
/// Two handlers are equal when they have the same identity, the same functions and the same bound arguments.
public struct Handler: Sendable, Identifiable {
    /// The identity that copies share.
    public let id: UUID
    /// The function that is called.
    public let name: HandlerName
    /// The version of the parameter list that the arguments are bound for.
    public let version: Int
    /// The function that is called when the handler is invalidated.
    public internal(set) var invalidation: Invalidation?
    /// What is bound, by name.
    public internal(set) var arguments: [String: StoredValue]
    let state: HandlerState

    /// An invalidation function.
    public struct Invalidation: Sendable, Hashable {
        public let name: HandlerName
        public let version: Int
        /// What is bound for the invalidation, where migrations made it differ from what is bound for the handler.
        public internal(set) var arguments: [String: StoredValue]?
    }

    init(
        id: UUID = UUID(), name: HandlerName, version: Int, invalidation: Invalidation? = nil,
        arguments: [String: StoredValue]
    ) {
        self.id = id
        self.name = name
        self.version = version
        self.invalidation = invalidation
        self.arguments = arguments
        state = .shared(by: id)
    }

    /// What is bound for the invalidation function.
    public var invalidationArguments: [String: StoredValue] { invalidation?.arguments ?? arguments }

    /// What ended the handler, as far as this process knows; `nil` while it can be called.
    public var mark: HandlerMark? { state.mark }

    /// The handlers bound within, at any depth.
    var nestedHandlers: [Handler] {
        var found: [Handler] = []
        func visit(_ value: StoredValue) {
            switch value {
            case .handler(let handler):
                found.append(handler)
                found += handler.nestedHandlers
            case .array(let values): values.forEach(visit)
            case .dictionary(let values): values.values.forEach(visit)
            default: break
            }
        }
        arguments.values.forEach(visit)
        invalidation?.arguments?.values.forEach(visit)
        return found
    }
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
