// The handlers and types that this program knows. Stored data cannot load anything else.
//
// The initializer takes all definitions and checks them (HandlerRegistry+Checks.swift). HandlerRegistry+Updating.swift
// updates old handlers.

/// A type that has handlers. The macro `@Handlers` adds the conformance.
public protocol HandlerProvider {
    static var handlers: [HandlerDefinition] { get }
}

/// All handlers and Codable types of a program.
///
/// ```swift
/// let registry = try HandlerRegistry(Carbons.self, Omemo.self)
/// ```
public final class HandlerRegistry: Sendable {
    /// By current and former names.
    private let byName: [HandlerName: HandlerDefinition]
    private let objects: [String: any StorableObject.Type]

    /// Creates a registry of types that have handlers, single handlers, and Codable types that no parameter declares.
    ///
    /// - Throws: `HandlerRegistryError` that lists all problems: names that are invalid or used twice, missing or
    ///   useless migrations, and two parameters with one name.
    public init(
        _ providers: any HandlerProvider.Type..., handlers: [HandlerDefinition] = [],
        objects: [any StorableObject.Type] = []
    ) throws(HandlerRegistryError) {
        let definitions = providers.flatMap { $0.handlers } + handlers
        var checks = HandlerRegistryChecks()
        for definition in definitions { checks.add(definition) }
        for object in objects { checks.add(object) }
        if !checks.problems.isEmpty { throw HandlerRegistryError(problems: checks.problems) }
        byName = checks.byName
        self.objects = checks.objects
    }

    /// Returns the definition of a current or former name, in expected constant time.
    public func definition(of name: HandlerName) -> HandlerDefinition? { byName[name] }

    /// The current names of all handlers, sorted.
    public var names: [HandlerName] {
        Set(byName.values.map(\.name)).sorted { $0.description < $1.description }
    }

    func object(_ name: String) -> (any StorableObject.Type)? { objects[name] }

    /// Returns the definition of a name, or throws for an unknown one.
    func known(_ name: HandlerName) throws(HandlerError) -> HandlerDefinition {
        guard let definition = byName[name] else { throw HandlerError(.unknownHandler, handler: name) }
        return definition
    }
}
