// Checks a registry when it is built: every name must be unique, and migrations must lead from every old version to the
// current one.

/// Collects definitions and their problems.
struct HandlerRegistryChecks {
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
        if name.isEmpty || name.utf8.count > HandlerLimits.nameBytes { problems.append(.invalidTypeName(name)) }
        if !(1...HandlerLimits.version).contains(object.storedVersion) {
            problems.append(.invalidTypeVersion(name, object.storedVersion))
        }
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
            if parameter.name.isEmpty || parameter.name.utf8.count > HandlerLimits.nameBytes {
                problems.append(.invalidParameterName(definition.name, parameter.name))
            }
            if !names.insert(parameter.name).inserted {
                problems.append(.duplicateParameter(definition.name, parameter.name))
            }
            for object in parameter.objects.types { add(object) }
        }
    }
}
