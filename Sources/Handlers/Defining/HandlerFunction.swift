// A definition together with its named parameters, so that the compiler checks bound arguments. The macro @Handler
// generates one for each function: the function's name with a dollar sign.

/// A handler whose arguments the compiler checks.
///
/// `Parameters` has a property of type `HandlerParameter` for each parameter, with its name:
///
/// ```swift
/// struct EnabledParameters {
///     let account = HandlerParameter("account", Account.self)
///     let attempt = HandlerParameter("attempt", Int?.self)
/// }
/// ```
public struct HandlerFunction<Parameters: Sendable>: Sendable {
    public let definition: HandlerDefinition
    let parameters: Parameters

    /// A function with its parameters.
    ///
    /// ```swift
    /// let enabled = HandlerFunction(EnabledParameters()) {
    ///     HandlerDefinition("Carbons|enabled", $0.account, $0.attempt) { account, attempt in
    ///         await account.warn("carbons after attempt \(attempt ?? 1)")
    ///     }
    /// }
    /// ```
    public init(_ parameters: Parameters, define: (Parameters) -> HandlerDefinition) {
        self.parameters = parameters
        definition = define(parameters)
    }

    public var name: HandlerName { definition.name }

    /// Makes a handler of this function.
    ///
    /// ```swift
    /// let handler = try Carbons.enabled.handler { $0.attempt = 1 }
    /// ```
    ///
    /// - Parameter binding: Closures that bind arguments; they run in order.
    /// - Throws: `HandlerError` when encoding a Codable argument fails.
    public func handler(
        binding: (inout BoundArguments<Parameters, NoParameters>) -> Void...
    ) throws(HandlerError) -> Handler {
        try handler(nil, NoParameters(), binding)
    }

    /// Makes a handler of this function with an invalidation function. You can bind parameters of both functions; a
    /// name that both have is bound for both.
    ///
    /// ```swift
    /// let handler = try Omemo.bundleFetched.handler(invalidation: Omemo.bundleLost) {
    ///     $0.device = device
    ///     $0.done = false
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - invalidation: The function that is called when the handler is invalidated.
    ///   - binding: Closures that bind arguments; they run in order.
    /// - Throws: `HandlerError` when encoding a Codable argument fails, and when the invalidation function has a bound
    ///   name with another type.
    public func handler<Other>(
        invalidation: HandlerFunction<Other>, binding: (inout BoundArguments<Parameters, Other>) -> Void...
    ) throws(HandlerError) -> Handler {
        try handler(invalidation.definition, invalidation.parameters, binding)
    }

    private func handler<Other>(
        _ invalidation: HandlerDefinition?, _ others: Other,
        _ binding: [(inout BoundArguments<Parameters, Other>) -> Void]
    ) throws(HandlerError) -> Handler {
        var bound = BoundArguments(parameters, others)
        for bind in binding { bind(&bound) }
        return try definition.handler(invalidation: invalidation, binding: bound.arguments)
    }
}

/// The parameters of a missing invalidation function.
public struct NoParameters: Sendable {
    public init() {}
}
