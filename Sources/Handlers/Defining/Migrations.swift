// The usual steps of a migration, one function each.

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
