// Sets arguments by parameter name, checked by the compiler: `$0.device = device`.
//
// Each name is a key path into the structure of parameters, so a wrong name or type does not compile. One subscript for
// each structure keeps the compiler's messages short.

/// A type whose values can be bound: a Storable one, or an optional of one.
public protocol BindableValue: Sendable {}

extension Optional: BindableValue where Wrapped: Storable {}

extension Array: BindableValue where Element: Storable {}

extension Dictionary: BindableValue where Key == String, Value: Storable {}

/// The arguments to bind at creation: storable parameters of the handler's function and of its invalidation function.
@dynamicMemberLookup
public struct BoundArguments<Parameters: Sendable, Invalidation: Sendable> {
    private let parameters: Parameters
    private let invalidation: Invalidation
    private(set) var arguments = HandlerArguments()

    init(_ parameters: Parameters, _ invalidation: Invalidation) {
        self.parameters = parameters
        self.invalidation = invalidation
    }

    /// A parameter of the function.
    public subscript<Value: BindableValue>(
        dynamicMember parameter: KeyPath<Parameters, HandlerParameter<Value>>
    ) -> Value? {
        get { arguments.value(of: parameters[keyPath: parameter]) }
        set { arguments.set(newValue, for: parameters[keyPath: parameter]) }
    }

    /// A parameter of the invalidation function that the function does not have.
    @_disfavoredOverload
    public subscript<Value: BindableValue>(
        dynamicMember parameter: KeyPath<Invalidation, HandlerParameter<Value>>
    ) -> Value? {
        get { arguments.value(of: invalidation[keyPath: parameter]) }
        set { arguments.set(newValue, for: invalidation[keyPath: parameter]) }
    }

    /// Makes the compiler report a parameter that cannot be bound, because only a call can pass it.
    @available(*, unavailable, message: "only Storable values can be bound; give this argument at the call")
    @_disfavoredOverload
    public subscript<Value: Sendable>(
        dynamicMember parameter: KeyPath<Parameters, HandlerParameter<Value>>
    ) -> Value? {
        get { nil }
        set { _ = newValue }
    }
}

extension HandlerArguments {
    fileprivate func value<Value>(of parameter: HandlerParameter<Value>) -> Value? {
        self[parameter.name].flatMap { $0 as? Value }
    }

    /// Sets an argument; stores the value of an optional parameter unwrapped.
    fileprivate mutating func set<Value>(_ value: Value?, for parameter: HandlerParameter<Value>) {
        self[parameter.name] = value.flatMap(parameter.unwrap)
    }
}
