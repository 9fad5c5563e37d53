// A registry's entry for a handler: its names, its parameters, the migrations of old arguments, and the function.
//
// The macros generate definitions; by hand they take a few lines. The definition reads all arguments of a call before
// it runs anything, so a call that does not fit changes nothing.

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
    /// The stored name.
    public let name: HandlerName
    /// Stored names that earlier versions of the program used.
    public let formerNames: [HandlerName]
    /// The version of the parameter list, from 1. Raise it when bound arguments change their names or types.
    public let version: Int
    /// By the version that each starts from; one for every version before the current one.
    public let migrations: [Int: HandlerMigration]
    /// Whether exactly one call or invalidation of each handler wins.
    public let isSingleShot: Bool
    public let parameters: [HandlerParameterDescription]
    let prepare: @Sendable (CallFrame) async throws -> PreparedCall

    /// Defines a handler that calls a function.
    ///
    /// - Parameters:
    ///   - name: The stored name.
    ///   - formerly: Stored names that earlier versions of the program used.
    ///   - version: The version of the parameter list.
    ///   - migrations: By the version that each starts from: `[1: { $0.rename("rid", to: "device") }]`.
    ///   - isSingleShot: Whether exactly one call or invalidation wins.
    ///   - parameters: In the order in which the function takes them.
    ///   - call: The function. Its result and its errors reach the caller unchanged.
    public init<each Value: Sendable, Result: Sendable>(
        _ name: HandlerName, formerly: [HandlerName] = [], version: Int = 1, migrations: [Int: HandlerMigration] = [:],
        isSingleShot: Bool = false, _ parameters: repeat HandlerParameter<each Value>,
        call: @escaping @Sendable (repeat each Value) async throws -> Result
    ) {
        self.init(name, formerly, version, migrations, isSingleShot, repeat each parameters) { _, values in
            { try await call(repeat each values) }
        }
    }

    /// The values are a tuple: a pack cannot be captured.
    fileprivate init<each Value: Sendable>(
        _ name: HandlerName, _ formerNames: [HandlerName], _ version: Int, _ migrations: [Int: HandlerMigration],
        _ isSingleShot: Bool, _ parameters: repeat HandlerParameter<each Value>,
        prepare: @escaping @Sendable (CallFrame, (repeat each Value)) async throws -> PreparedCall
    ) {
        self.name = name
        self.formerNames = formerNames
        self.version = version
        self.migrations = migrations
        self.isSingleShot = isSingleShot
        var descriptions: [HandlerParameterDescription] = []
        for parameter in repeat each parameters { descriptions.append(parameter.description) }
        self.parameters = descriptions
        let readers = (repeat (each parameters).read)
        self.prepare = { frame in try await prepare(frame, (repeat try (each readers)(frame))) }
    }
}

extension HandlerDefinition {
    /// Makes a handler of this function.
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
typealias PreparedCall = @Sendable () async throws -> any Sendable

/// The instance whose method an instance handler calls.
public struct HandlerInstance<Instance: Sendable>: Sendable {
    private let instance: Instance

    init(_ instance: Instance) { self.instance = instance }

    /// The instance. Throws nothing: the getter is declared `async throws` so that one `try await` fits methods of
    /// every kind.
    public var value: Instance {
        get async throws { instance }
    }

    /// Returns the instance that a statement obtains. For the macros.
    ///
    /// - Throws: The errors of `statement`.
    public static func find(_ statement: () async throws -> Instance?) async throws -> Instance? {
        try await statement()
    }
}

extension HandlerDefinition {
    /// Defines a handler that calls a method of an instance. `instance` obtains it from the arguments; a call without
    /// one throws and changes nothing. The other parameters are those of a handler that calls a function.
    public init<Instance: Sendable, each Value: Sendable, Result: Sendable>(
        _ name: HandlerName, formerly: [HandlerName] = [], version: Int = 1, migrations: [Int: HandlerMigration] = [:],
        isSingleShot: Bool = false, _ parameters: repeat HandlerParameter<each Value>,
        instance: @escaping @Sendable (repeat each Value) async throws -> Instance?,
        call: @escaping @Sendable (HandlerInstance<Instance>, repeat each Value) async throws -> Result
    ) {
        self.init(name, formerly, version, migrations, isSingleShot, repeat each parameters) { frame, values in
            guard let found = try await instance(repeat each values) else {
                throw HandlerError(.noInstance, handler: frame.handler)
            }
            return { try await call(HandlerInstance(found), repeat each values) }
        }
    }
}

extension [String: StoredValue] {
    /// Renames an argument; does nothing if it is not bound.
    public mutating func rename(_ name: String, to newName: String) {
        if let value = removeValue(forKey: name) { self[newName] = value }
    }

    /// Binds an argument unless it is already bound.
    ///
    /// - Throws: The errors of `Storable.storedValue()`.
    public mutating func setDefault(_ value: some Storable, for name: String) throws {
        if self[name] == nil { self[name] = try value.storedValue() }
    }

    /// Replaces the value of an argument, possibly by one of another type; does nothing if it is not bound.
    ///
    /// ```swift
    /// let migrations: [Int: HandlerMigration] = [1: { try $0.change("device", from: Int.self) { String($0) } }]
    /// ```
    ///
    /// - Throws: The errors of `change`, and those of `Storable` for the old and the new value.
    public mutating func change<Old: Storable>(
        _ name: String, from type: Old.Type, _ change: (Old) throws -> some Storable
    ) throws {
        guard let old = self[name] else { return }
        self[name] = try change(Old(storedValue: old)).storedValue()
    }
}
