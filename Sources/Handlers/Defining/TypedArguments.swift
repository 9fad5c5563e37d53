// Arguments that are set by the name of a parameter, checked by the compiler: `$0.device = device`.
//
// Each is a key path into the structure of parameters, so that a wrong name or type does not build.

/// What is bound at creation: parameters of the handler's function and of its invalidation function, of storable types.
@dynamicMemberLookup
public struct BoundArguments<Parameters: Sendable, Invalidation: Sendable> {
    private let parameters: Parameters
    private let invalidation: Invalidation
    private(set) var arguments = HandlerArguments()

    init(_ parameters: Parameters, _ invalidation: Invalidation) {
        self.parameters = parameters
        self.invalidation = invalidation
    }

    /// A mandatory parameter of the function.
    public subscript<Value: Storable>(
        dynamicMember parameter: KeyPath<Parameters, HandlerParameter<Value>>
    ) -> Value? {
        get { arguments[parameters[keyPath: parameter].name] as? Value }
        set { arguments[parameters[keyPath: parameter].name] = newValue }
    }

    /// An optional parameter of the function.
    public subscript<Value: Storable>(
        dynamicMember parameter: KeyPath<Parameters, HandlerParameter<Value?>>
    ) -> Value? {
        get { arguments[parameters[keyPath: parameter].name] as? Value }
        set { arguments[parameters[keyPath: parameter].name] = newValue }
    }

    /// A mandatory parameter of the invalidation function.
    @_disfavoredOverload
    public subscript<Value: Storable>(
        dynamicMember parameter: KeyPath<Invalidation, HandlerParameter<Value>>
    ) -> Value? {
        get { arguments[invalidation[keyPath: parameter].name] as? Value }
        set { arguments[invalidation[keyPath: parameter].name] = newValue }
    }

    /// An optional parameter of the invalidation function.
    @_disfavoredOverload
    public subscript<Value: Storable>(
        dynamicMember parameter: KeyPath<Invalidation, HandlerParameter<Value?>>
    ) -> Value? {
        get { arguments[invalidation[keyPath: parameter].name] as? Value }
        set { arguments[invalidation[keyPath: parameter].name] = newValue }
    }
}

/// What is given at a call: parameters of a function, of any type.
@dynamicMemberLookup
public struct GivenArguments<Parameters: Sendable> {
    private let parameters: Parameters
    private(set) var arguments = HandlerArguments()

    init(_ parameters: Parameters) {
        self.parameters = parameters
    }

    /// A mandatory parameter.
    @_disfavoredOverload
    public subscript<Value: Sendable>(
        dynamicMember parameter: KeyPath<Parameters, HandlerParameter<Value>>
    ) -> Value? {
        get { arguments[parameters[keyPath: parameter].name] as? Value }
        set { arguments[parameters[keyPath: parameter].name] = newValue }
    }

    /// An optional parameter.
    public subscript<Value: Sendable>(
        dynamicMember parameter: KeyPath<Parameters, HandlerParameter<Value?>>
    ) -> Value? {
        get { arguments[parameters[keyPath: parameter].name] as? Value }
        set { arguments[parameters[keyPath: parameter].name] = newValue }
    }
}
