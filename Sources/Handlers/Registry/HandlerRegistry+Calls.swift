// Updates the arguments of a deferred call, which another version of the program passed, for this program.
//
// A migration expects all bound arguments. A call gives only some arguments; the others must keep their bound values.
// So the registry migrates the given arguments merged over the bound ones, and the bound ones alone. The values that
// differ between the two results are the arguments of the call.

extension HandlerRegistry {
    /// Returns the arguments of a deferred call, updated to the current version of the handler.
    ///
    /// - Parameters:
    ///   - call: The call as it was stored.
    ///   - handler: The handler as it is stored.
    /// - Throws: `HandlerError` for a name, version or type that is not registered, and for a migration that fails.
    func updated(_ call: DeferredCall, of handler: Handler) throws(HandlerError) -> HandlerArguments {
        let (name, version, bound) = handler.function(for: call.purpose)
        let definition = try known(name)
        guard let callVersion = call.version else {
            let first = try? definition.migrated(call.arguments, from: 1, over: bound, from: version)
            return HandlerArguments(try updated(first ?? call.arguments, in: definition.name))
        }
        guard callVersion <= definition.version else {
            throw HandlerError(
                .unknownVersion(stored: callVersion, newest: definition.version), handler: definition.name)
        }
        let given = try definition.migrated(call.arguments, from: callVersion, over: bound, from: version)
        var arguments = HandlerArguments(try updated(given, in: definition.name))
        for name in definition.renamed(call.withheld, from: callVersion) { arguments[name] = nil }
        return arguments
    }

    /// The version of the parameter list for which this program passes arguments. For a handler that is not registered,
    /// it is the stored version.
    func versionGiven(_ purpose: DeferredCall.Purpose, to handler: Handler) -> Int {
        let (name, version, _) = handler.function(for: purpose)
        return definition(of: name)?.version ?? version
    }
}

extension Handler {
    /// The function to call, its bound arguments, and the version of the parameter list that they fit.
    fileprivate func function(
        for purpose: DeferredCall.Purpose
    ) -> (name: HandlerName, version: Int, bound: [String: StoredValue]) {
        if case .invalidation = purpose, let invalidation {
            return (invalidation.name, invalidation.version, invalidationArguments)
        }
        return (name, version, arguments)
    }
}

extension HandlerDefinition {
    /// Migrates the arguments of a call to the current version.
    ///
    /// - Parameters:
    ///   - given: The arguments of the call.
    ///   - version: The version that `given` is for.
    ///   - bound: The bound arguments of the handler.
    ///   - boundVersion: The version that `bound` is for. If it is newer than `version`, `bound` is ignored, because
    ///     a migration cannot be undone.
    fileprivate func migrated(
        _ given: [String: StoredValue], from version: Int, over bound: [String: StoredValue],
        from boundVersion: Int
    ) throws(HandlerError) -> [String: StoredValue] {
        if version == self.version { return given }
        let base = boundVersion <= version ? try migrated(bound, from: boundVersion, to: version) : [:]
        let all = try migrated(base.merging(given) { _, given in given }, from: version)
        let own = (try? migrated(base, from: version)) ?? [:]
        return all.filter { own[$0.key] != $0.value }
    }

    /// Returns the current names of arguments that migrations only renamed; keeps other names.
    fileprivate func renamed(_ names: Set<String>, from version: Int) -> [String] {
        names.flatMap { name in
            let mark = StoredValue.bool(true)
            let found = (try? migrated([name: mark], from: version))?.filter { $0.value == mark }.map(\.key) ?? []
            return found.isEmpty ? [name] : found
        }
    }
}
