// Values by name, as they are given at a call or to be bound: any Sendable value.
//
// Their typed form is Defining/TypedArguments.swift; how parameters read them is Calling/CallFrame.swift.

/// Arguments by name.
///
/// ```swift
/// let arguments: HandlerArguments = ["account": account, "iq": iq, "error": nil]
/// ```
///
/// A name that is given as `nil` counts as given: it hides what was bound under that name.
@dynamicMemberLookup
public struct HandlerArguments: Sendable {
    /// `nil` is a value here: an argument that was given as such.
    var values: [String: (any Sendable)?]

    public init() { values = [:] }

    /// Arguments that a closure sets: `HandlerArguments { $0.account = account }`, or
    /// `HandlerArguments(#named(account, iq))` with `HandlerMacros`.
    public init(_ give: (inout HandlerArguments) -> Void) {
        values = [:]
        give(&self)
    }

    /// Stored values, such as those of a call that waited.
    public init(_ stored: [String: StoredValue]) { values = stored.mapValues { $0 } }

    /// The names that are given, in no order.
    public var names: [String] { Array(values.keys) }

    public subscript(name: String) -> (any Sendable)? {
        get { values[name] ?? nil }
        set { values.updateValue(newValue, forKey: name) }
    }

    public subscript(dynamicMember name: String) -> (any Sendable)? {
        get { self[name] }
        set { self[name] = newValue }
    }

    /// The only argument of a type; `nil` when there is none, or several.
    public func only<Value>(_ type: Value.Type) -> Value? {
        let found = values.values.compactMap { $0 as? Value }
        return found.count == 1 ? found[0] : nil
    }

    /// These arguments, and those of `others` whose names are not among them.
    public func completed(by others: HandlerArguments) -> HandlerArguments {
        if others.values.isEmpty { return self }
        var result = self
        result.values.merge(others.values) { own, _ in own }
        return result
    }
}

extension HandlerArguments: ExpressibleByDictionaryLiteral {
    /// If a name is given twice, the last one counts.
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
    /// The values that can be stored. Throws for the first one, by name, that cannot.
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

    /// The values that can be stored, without the others: what a call that waits keeps.
    func storablePart(for handler: HandlerName?) throws(HandlerError) -> [String: StoredValue] {
        var stored: [String: StoredValue] = [:]
        for case (let name, let value?) in values { stored[name] = try Self.stored(value, name, handler) }
        return stored
    }

    /// The names that are given as `nil`.
    var withheld: Set<String> { Set(values.filter { $0.value == nil }.keys) }

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
