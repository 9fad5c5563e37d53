// The handlers and types that this program knows. Stored data can name nothing else.
//
// It is complete when it is made, and checked then (HandlerRegistry+Checks.swift). What it makes of old handlers is
// HandlerRegistry+Updating.swift.

/// A type that has handlers; `@Handlers` makes a type one.
public protocol HandlerProvider {
    static var handlers: [HandlerDefinition] { get }
}

/// All handlers and Codable types of a program.
///
/// ```swift
/// let registry = try HandlerRegistry(Carbons.self, Omemo.self)
/// ```
public final class HandlerRegistry: Sendable {
    /// By present and former names.
    private let byName: [HandlerName: HandlerDefinition]
    private let objects: [String: any StorableObject.Type]

    /// A registry of types that have handlers, single handlers, and Codable types that are the type of no parameter.
    ///
    /// - Throws: `HandlerRegistryError` that lists everything that is wrong: names that are invalid or given twice,
    ///   migrations that are missing or lead nowhere, parameters of one name.
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

    /// The definition of a present or former name. Expected constant time.
    public func definition(of name: HandlerName) -> HandlerDefinition? { byName[name] }

    /// The names of all handlers, former ones not among them, in order.
    public var names: [HandlerName] {
        Set(byName.values.map(\.name)).sorted { $0.description < $1.description }
    }

    func object(_ name: String) -> (any StorableObject.Type)? { objects[name] }

    /// The definition of a name that has to be known.
    func known(_ name: HandlerName) throws(HandlerError) -> HandlerDefinition {
        guard let definition = byName[name] else { throw HandlerError(.unknownHandler, handler: name) }
        return definition
    }
}
