// What a registry knows of a handler: its names, its parameters, how old arguments become new ones, and the function.
//
// The macros write definitions; by hand they take a few lines. Preparing a call reads all its arguments before anything
// is run, so that a call that does not fit changes nothing.

/// Changes bound arguments of one version of a parameter list into those of the next one.
public typealias HandlerMigration = @Sendable (inout [String: StoredValue]) throws -> Void

/// A handler: a function under a stable name.
///
/// ```swift
/// let enabled = HandlerDefinition(
///     "Carbons|enabled", HandlerParameter("account", Account.self), HandlerParameter("iq", Element.self)
/// ) { account, iq in
///     if try iq.check("/<type=result>") { await account.useCarbons() }
/// }
/// ```
public struct HandlerDefinition: Sendable {
    /// The name that is stored.
    public let name: HandlerName
    /// Names under which earlier versions of the program stored it.
    public let formerNames: [HandlerName]
    /// The version of the parameter list, from 1. It has to rise when bound arguments change their names or types.
    public let version: Int
    /// By the version that each of them starts from; one for every version before the present one.
    public let migrations: [Int: HandlerMigration]
    /// Whether of all calls and invalidations of one handler exactly one wins.
    public let isSingleShot: Bool
    public let parameters: [HandlerParameterDescription]
    let prepare: @Sendable (CallFrame) async throws -> PreparedCall

    /// A handler that calls a function.
    ///
    /// - Parameters:
    ///   - name: What is stored.
    ///   - formerly: What was stored for it before.
    ///   - version: The version of the parameter list.
    ///   - migrations: By the version that each starts from: `[1: { $0.rename("rid", to: "device") }]`.
    ///   - isSingleShot: Whether exactly one call or invalidation wins.
    ///   - parameters: In the order in which the function takes them.
    ///   - call: The function. What it throws reaches the caller unchanged.
    public init<each Value: Sendable>(
        _ name: HandlerName, formerly: [HandlerName] = [], version: Int = 1, migrations: [Int: HandlerMigration] = [:],
        isSingleShot: Bool = false, _ parameters: repeat HandlerParameter<each Value>,
        call: @escaping @Sendable (repeat each Value) async throws -> Void
    ) {
        var descriptions: [HandlerParameterDescription] = []
        for parameter in repeat each parameters { descriptions.append(parameter.description) }
        // A pack cannot be captured, a tuple of it can.
        let readers = (repeat (each parameters).read)
        self.init(
            name: name, formerNames: formerly, version: version, migrations: migrations, isSingleShot: isSingleShot,
            parameters: descriptions
        ) { frame in
            let values = (repeat try (each readers)(frame))
            return { try await call(repeat each values) }
        }
    }

    init(
        name: HandlerName, formerNames: [HandlerName], version: Int, migrations: [Int: HandlerMigration],
        isSingleShot: Bool, parameters: [HandlerParameterDescription],
        prepare: @escaping @Sendable (CallFrame) async throws -> PreparedCall
    ) {
        self.name = name
        self.formerNames = formerNames
        self.version = version
        self.migrations = migrations
        self.isSingleShot = isSingleShot
        self.parameters = parameters
        self.prepare = prepare
    }
}

extension HandlerDefinition {
    /// A new handler of this function.
    ///
    /// ```swift
    /// let handler = try bundleFetched.handler(invalidation: bundleLost, binding: ["device": 5])
    /// ```
    ///
    /// - Parameters:
    ///   - invalidation: The function that is called when the handler is invalidated.
    ///   - arguments: The bound arguments. The handler keeps names that neither function declares, and ignores them.
    /// - Throws: `HandlerError` for an argument of a wrong type, and for one that is not storable.
    public func handler(
        invalidation: HandlerDefinition? = nil, binding arguments: HandlerArguments = [:]
    ) throws(HandlerError) -> Handler {
        let stored = try arguments.stored(for: name)
        try checkTypes(of: stored)
        try invalidation?.checkTypes(of: stored)
        return Handler(
            name: name, version: version,
            invalidation: invalidation.map { Handler.Invalidation(name: $0.name, version: $0.version) },
            arguments: stored)
    }
}

/// A call whose arguments fit, ready to run.
typealias PreparedCall = @Sendable () async throws -> Void
