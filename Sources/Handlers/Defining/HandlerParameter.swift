// One parameter of a handler: its name, its type, and the lookup of its value among the arguments of a call.

/// A parameter of a handler's function.
///
/// A call may omit a parameter of an optional type; every other is mandatory. You can bind parameters of a Storable
/// type at creation. Only a call can pass all others, such as an account. A call may pass a payload as its element.
///
/// ```swift
/// let account = HandlerParameter("account", Account.self)
/// let error = HandlerParameter("error", Element?.self)
/// ```
public struct HandlerParameter<Value: Sendable>: Sendable {
    public let description: HandlerParameterDescription
    let read: @Sendable (CallFrame) throws -> Value
    /// Turns a value into an argument: an optional one is unwrapped.
    let unwrap: @Sendable (Value) -> (any Sendable)?

    public var name: String { description.name }
}

/// A description of a parameter, without its Swift type.
public struct HandlerParameterDescription: Sendable {
    public let name: String
    /// The Swift type without its optionality, for messages.
    public let type: String
    /// The type in stored data; `nil` if only a call can pass the argument.
    public let storableType: StorableType?
    /// Whether a call may omit it.
    public let isOptional: Bool
    /// The Codable types within the parameter's type.
    let objects: [any StorableObject.Type]
}

extension HandlerParameter {
    private init(
        _ name: String, type: Any.Type, storableType: StorableType?, objects: [any StorableObject.Type] = [],
        isOptional: Bool, unwrap: @escaping @Sendable (Value) -> (any Sendable)?,
        read: @escaping @Sendable (CallFrame) throws -> Value
    ) {
        description = HandlerParameterDescription(
            name: name, type: "\(type)", storableType: storableType, isOptional: isOptional, objects: objects)
        self.read = read
        self.unwrap = unwrap
    }

    /// Declares a mandatory parameter that can be bound.
    public init(_ name: String, _ type: Value.Type) where Value: Storable {
        self.init(
            name, type: type, storableType: type.storableType, objects: type.storableObjects, isOptional: false,
            unwrap: { $0 }
        ) { frame in
            try Self.mandatory(name, frame, frame.storable(name, as: type))
        }
    }

    /// Declares an optional parameter that can be bound.
    public init<Wrapped: Storable>(_ name: String, _ type: Value.Type) where Value == Wrapped? {
        self.init(
            name, type: Wrapped.self, storableType: Wrapped.storableType, objects: Wrapped.storableObjects,
            isOptional: true, unwrap: { $0 }
        ) { frame in
            try frame.storable(name, as: Wrapped.self)
        }
    }

    /// Declares a mandatory parameter that only a call can pass, or the reason of an invalidation.
    @_disfavoredOverload
    public init(_ name: String, _ type: Value.Type) {
        self.init(name, type: type, storableType: nil, isOptional: false, unwrap: { $0 }) { frame in
            try Self.mandatory(name, frame, frame.object(name, as: type))
        }
    }

    /// Declares an optional parameter that only a call can pass, or the reason of an invalidation.
    @_disfavoredOverload
    public init<Wrapped: Sendable>(_ name: String, _ type: Value.Type) where Value == Wrapped? {
        self.init(name, type: Wrapped.self, storableType: nil, isOptional: true, unwrap: { $0 }) { frame in
            try frame.object(name, as: Wrapped.self)
        }
    }

    private static func mandatory(
        _ name: String, _ frame: CallFrame, _ value: Value?
    ) throws(HandlerError) -> Value {
        guard let value else {
            throw HandlerError(.missingArgument(name, expected: "\(Value.self)"), handler: frame.handler)
        }
        return value
    }
}
