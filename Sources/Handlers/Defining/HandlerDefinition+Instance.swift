// Instance handlers: methods of an instance that a closure obtains from the arguments. The macros generate these. A
// handwritten handler can obtain the instance inside its own closure.

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
    /// Defines a handler that calls a method of an instance.
    ///
    /// - Parameters:
    ///   - name: The stored name.
    ///   - formerly: Stored names that earlier versions of the program used.
    ///   - version: The version of the parameter list.
    ///   - migrations: By the version that each starts from.
    ///   - isSingleShot: Whether exactly one call or invalidation wins.
    ///   - parameters: In the order in which `instance` and `call` take them.
    ///   - instance: Obtains the instance from the arguments; a call without one throws and changes nothing.
    ///   - call: Calls the method. Its errors reach the caller unchanged.
    public init<Instance: Sendable, each Value: Sendable, Result: Sendable>(
        _ name: HandlerName, formerly: [HandlerName] = [], version: Int = 1, migrations: [Int: HandlerMigration] = [:],
        isSingleShot: Bool = false, _ parameters: repeat HandlerParameter<each Value>,
        instance: @escaping @Sendable (repeat each Value) async throws -> Instance?,
        call: @escaping @Sendable (HandlerInstance<Instance>, repeat each Value) async throws -> Result
    ) {
        var descriptions: [HandlerParameterDescription] = []
        for parameter in repeat each parameters { descriptions.append(parameter.description) }
        let readers = (repeat (each parameters).read)
        self.init(
            name: name, formerNames: formerly, version: version, migrations: migrations, isSingleShot: isSingleShot,
            parameters: descriptions
        ) { frame in
            let values = (repeat try (each readers)(frame))
            guard let found = try await instance(repeat each values) else {
                throw HandlerError(.noInstance, handler: frame.handler)
            }
            return { try await call(HandlerInstance(found), repeat each values) }
        }
    }
}
