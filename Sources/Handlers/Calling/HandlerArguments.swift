// Values by name, passed to a call or to be bound: any Sendable value.
//
// Defining/TypedArguments.swift has their typed form. Calling/CallFrame.swift reads them for the parameters.

/// Arguments by name.
///
/// ```swift
/// let arguments: HandlerArguments = ["account": account, "iq": iq, "error": nil]
/// ```
///
/// A `nil` value counts as an argument: it hides the bound argument of the same name.
@dynamicMemberLookup
public struct HandlerArguments: Sendable {
    /// An inner `nil` is an argument that was set to `nil`.
    var values: [String: (any Sendable)?]

    public init() { values = [:] }

    /// Arguments that a closure sets: `HandlerArguments { $0.account = account }`, or
    /// `HandlerArguments(#named(account, iq))` with `HandlerMacros`.
    public init(_ give: (inout HandlerArguments) -> Void) {
        values = [:]
        give(&self)
    }

    /// The names of all arguments, in no particular order.
    public var names: [String] { Array(values.keys) }

    public subscript(name: String) -> (any Sendable)? {
        get { values[name] ?? nil }
        set { values.updateValue(newValue, forKey: name) }
    }

    public subscript(dynamicMember name: String) -> (any Sendable)? {
        get { self[name] }
        set { self[name] = newValue }
    }

    /// An argument under the name of a member, such as `description`: `$0[dynamicMember: \.description] = text`.
    @_disfavoredOverload
    public subscript(dynamicMember name: KeyPath<ArgumentNames, String>) -> (any Sendable)? {
        get { self[ArgumentNames()[keyPath: name]] }
        set { self[ArgumentNames()[keyPath: name]] = newValue }
    }

    /// The only argument of a type; `nil` if none or several have that type.
    public func only<Value>(_ type: Value.Type) -> Value? {
        let found = values.values.compactMap { $0 as? Value }
        return found.count == 1 ? found[0] : nil
    }

    /// Returns these arguments, and those of `others` under names that these do not use.
    public func completed(by others: HandlerArguments) -> HandlerArguments {
        if others.values.isEmpty { return self }
        var result = self
        result.values.merge(others.values) { own, _ in own }
        return result
    }
}

/// All names that an argument may have. Each member is its own name.
@dynamicMemberLookup
public struct ArgumentNames: Sendable {
    fileprivate init() {}

    public subscript(dynamicMember name: String) -> String { name }
}

extension HandlerArguments: ExpressibleByDictionaryLiteral {
    /// If a name occurs twice, the last value wins.
    public init(dictionaryLiteral pairs: (String, (any Sendable)?)...) {
        values = Dictionary(pairs) { _, last in last }
    }
}

extension HandlerArguments: CustomStringConvertible, CustomDebugStringConvertible {
    /// Names and types: values may hold secrets.
    public var description: String {
        let pairs = values.map { name, value in "\(name): \(value.map { "\(type(of: $0))" } ?? "nil")" }
        return "[\(pairs.sorted().joined(separator: ", "))]"
    }

    public var debugDescription: String { description }
}

// MARK: As stored values

extension HandlerArguments {
    /// Returns the stored form of all values. Throws for the first one, by name, that has none.
    func stored(for handler: HandlerName?) throws(HandlerError) -> [String: StoredValue] {
        var stored: [String: StoredValue] = [:]
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let value else { continue }
            guard let storable = try Self.stored(value, name, handler) else {
                throw HandlerError(.notStorable(argument: name, type: "\(type(of: value))"), handler: handler)
            }
            stored[name] = storable
        }
        return stored
    }

    private static func stored(
        _ value: any Sendable, _ name: String, _ handler: HandlerName?
    ) throws(HandlerError) -> StoredValue? {
        if let value = value as? StoredValue { return value }
        guard let value = value as? any Storable else { return nil }
        do {
            return try value.storedValue()
        } catch {
            throw HandlerError(
                .codingFailed(argument: name, type: "\(type(of: value))", reason: "\(type(of: error))"),
                handler: handler)
        }
    }
}
