// Calls that waited, as the present program makes them: what a program of another version has given.
//
// Migrations are made for what is bound, all of it. A call gives a part, and what it does not give must stay as it is
// bound: so what is given is migrated over what is bound, and what differs then is the call's.

extension HandlerRegistry {
    /// What a call gives, for the present version of the handler.
    ///
    /// - Parameters:
    ///   - call: The call as it was stored.
    ///   - handler: The handler as it is stored.
    /// - Throws: `HandlerError` for a name, version or type that is not registered, and for a migration that fails.
    func updated(_ call: ParkedCall, of handler: Handler) throws(HandlerError) -> HandlerArguments {
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

    /// The version of the parameter list that this program gives arguments for. A handler that it does not know, it was
    /// told to call as it is stored.
    func versionGiven(_ purpose: ParkedCall.Purpose, to handler: Handler) -> Int {
        let (name, version, _) = handler.function(for: purpose)
        return definition(of: name)?.version ?? version
    }
}

extension Handler {
    /// The function that is called, with the version of its parameter list that the arguments are bound for.
    fileprivate func function(
        for purpose: ParkedCall.Purpose
    ) -> (name: HandlerName, version: Int, bound: [String: StoredValue]) {
        if case .invalidation = purpose, let invalidation {
            return (invalidation.name, invalidation.version, invalidationArguments)
        }
        return (name, version, arguments)
    }
}

extension HandlerDefinition {
    /// What is given, for the present version.
    ///
    /// - Parameters:
    ///   - given: What is given.
    ///   - version: The version that it is given for.
    ///   - bound: What is bound.
    ///   - boundVersion: The version that it is bound for. There is no way back from a newer one.
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

    /// Names as they are in the present version, where they were only renamed.
    fileprivate func renamed(_ names: Set<String>, from version: Int) -> [String] {
        names.flatMap { name in
            let mark = StoredValue.bool(true)
            let found = (try? migrated([name: mark], from: version))?.filter { $0.value == mark }.map(\.key) ?? []
            return found.isEmpty ? [name] : found
        }
    }
}
