// The handlers and types that this program knows. Stored data cannot load anything else.
//
// The initializer takes all definitions and checks them: every name must be unique, and migrations must lead from every
// old version to the current one. HandlerRegistry+Updating.swift updates old handlers.

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
    public convenience init(
        _ providers: any HandlerProvider.Type..., handlers: [HandlerDefinition] = [],
        objects: [any StorableObject.Type] = []
    ) throws(HandlerRegistryError) {
        try self.init(providers, handlers, objects)
    }

    package init(
        _ providers: [any HandlerProvider.Type], _ handlers: [HandlerDefinition] = [],
        _ objects: [any StorableObject.Type] = []
    ) throws(HandlerRegistryError) {
        let definitions = providers.flatMap { $0.handlers } + handlers
        var checks = HandlerRegistryChecks()
        for definition in definitions { checks.add(definition) }
        for object in objects { checks.add(object) }
        if !checks.problems.isEmpty { throw HandlerRegistryError(problems: checks.problems) }
        byName = checks.byName
        self.objects = checks.objects
    }

    /// A registry without handlers.
    public static let empty = HandlerRegistry()

    private init() { (byName, objects) = ([:], [:]) }

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

/// Collects definitions and their problems.
private struct HandlerRegistryChecks {
    private(set) var byName: [HandlerName: HandlerDefinition] = [:]
    private(set) var objects: [String: any StorableObject.Type] = [:]
    private(set) var problems: [HandlerRegistryError.Problem] = []

    mutating func add(_ definition: HandlerDefinition) {
        for name in [definition.name] + definition.formerNames {
            if !name.isValid { problems.append(.invalidName(name)) }
            if byName.updateValue(definition, forKey: name) != nil { problems.append(.duplicateName(name)) }
        }
        checkVersions(of: definition)
        checkParameters(of: definition)
    }

    mutating func add(_ object: any StorableObject.Type) {
        let name = object.storedName
        problems += object.problems
        if let known = objects.updateValue(object, forKey: name), known != object {
            problems.append(.duplicateTypeName(name))
        }
    }

    private mutating func checkVersions(of definition: HandlerDefinition) {
        guard (1...HandlerLimits.version).contains(definition.version) else {
            problems.append(.invalidVersion(definition.name, definition.version))
            return
        }
        for version in 1..<definition.version where definition.migrations[version] == nil {
            problems.append(.missingMigration(definition.name, from: version))
        }
        for version in definition.migrations.keys.sorted() where !(1..<definition.version).contains(version) {
            problems.append(.uselessMigration(definition.name, from: version, version: definition.version))
        }
    }

    private mutating func checkParameters(of definition: HandlerDefinition) {
        if definition.parameters.count > HandlerLimits.arguments {
            problems.append(.tooManyParameters(definition.name))
        }
        var names: Set<String> = []
        for parameter in definition.parameters {
            if !parameter.name.isName { problems.append(.invalidParameterName(definition.name, parameter.name)) }
            if !names.insert(parameter.name).inserted {
                problems.append(.duplicateParameter(definition.name, parameter.name))
            }
            for object in parameter.objects { add(object) }
        }
    }
}

extension StorableObject {
    /// Why no value of the type can be stored.
    package static var problems: [HandlerRegistryError.Problem] {
        var problems: [HandlerRegistryError.Problem] = []
        if !storedName.isName { problems.append(.invalidTypeName(storedName)) }
        if !(1...HandlerLimits.version).contains(storedVersion) {
            problems.append(.invalidTypeVersion(storedName, storedVersion))
        }
        return problems
    }
}
