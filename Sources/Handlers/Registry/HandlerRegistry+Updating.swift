// Updates old handlers: checks names, versions and types, and runs migrations.
//
// This program can call every updated handler. A handler that it cannot update stays as it is.

extension HandlerRegistry {
    /// Returns the handler with current names and with arguments of the current version.
    ///
    /// - Throws: `HandlerError` for a name, version or type that is not registered, at any depth, for a migration that
    ///   fails, and for an argument whose type is not its parameter's.
    func updated(_ handler: Handler) throws(HandlerError) -> Handler {
        let definition = try known(handler.name)
        let arguments = try updated(handler.arguments, of: definition, from: handler.version)
        var invalidation: Handler.Invalidation?
        if let old = handler.invalidation {
            let definition = try known(old.name)
            let own = try updated(handler.invalidationArguments, of: definition, from: old.version)
            invalidation = Handler.Invalidation(
                name: definition.name, version: definition.version, arguments: own == arguments ? nil : own)
        }
        return Handler(
            id: handler.id, name: definition.name, version: definition.version, invalidation: invalidation,
            arguments: arguments, state: handler.state)
    }

    private func updated(
        _ arguments: [String: StoredValue], of definition: HandlerDefinition, from version: Int
    ) throws(HandlerError) -> [String: StoredValue] {
        guard version <= definition.version else {
            throw HandlerError(
                .unknownVersion(stored: version, newest: definition.version), handler: definition.name)
        }
        let migrated = try definition.migrated(arguments, from: version)
        let arguments = try updated(migrated, in: definition.name)
        try definition.checkTypes(of: arguments)
        return arguments
    }

    /// Checks the types within values, and updates the handlers within.
    func updated(
        _ values: [String: StoredValue], in handler: HandlerName
    ) throws(HandlerError) -> [String: StoredValue] {
        var result = values
        for (name, value) in values { result[name] = try updated(value, in: handler) }
        return result
    }

    private func updated(_ value: StoredValue, in handler: HandlerName) throws(HandlerError) -> StoredValue {
        switch value {
        case .handler(let nested): return .handler(try updated(nested))
        case .object(let object):
            guard let type = self.object(object.type), object.version <= type.storedVersion else {
                throw HandlerError(.unknownType(object.type, version: object.version), handler: handler)
            }
            return value
        case .array(let values):
            var result: [StoredValue] = []
            result.reserveCapacity(values.count)
            for value in values { result.append(try updated(value, in: handler)) }
            return .array(result)
        case .dictionary(let values): return .dictionary(try updated(values, in: handler))
        default: return value
        }
    }
}

extension HandlerDefinition {
    /// Migrates arguments from one version of the parameter list to another, by default this definition's.
    func migrated(
        _ arguments: [String: StoredValue], from version: Int, to newest: Int? = nil
    ) throws(HandlerError) -> [String: StoredValue] {
        var arguments = arguments
        for version in version..<max(version, newest ?? self.version) {
            // The checks of the registry ensure that it exists.
            guard let migration = migrations[version] else { continue }
            do {
                try migration(&arguments)
            } catch {
                let reason = (error as? StorableMismatch)?.description ?? "\(type(of: error))"
                throw HandlerError(.migrationFailed(from: version, reason: reason), handler: name)
            }
        }
        return arguments
    }

    /// Throws for a bound argument whose type is not its parameter's. Ignores arguments that are not declared.
    func checkTypes(of arguments: [String: StoredValue]) throws(HandlerError) {
        for parameter in parameters {
            guard let value = arguments[parameter.name] else { continue }
            guard let type = parameter.storableType else {
                throw HandlerError(.notStorable(argument: parameter.name, type: parameter.type), handler: name)
            }
            guard value.matches(type) else {
                throw HandlerError(
                    .wrongType(argument: parameter.name, expected: type.description, actual: value.typeDescription),
                    handler: name)
            }
        }
    }
}
