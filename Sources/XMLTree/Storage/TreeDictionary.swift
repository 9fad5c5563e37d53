// The shared data of many trees: a parser makes one for all trees that use the same table of names.

/// The names that trees refer to, and the bindings around their roots.
///
/// Sendable although it holds pointers into a table: no code writes the names that a built tree refers to.
@usableFromInline package final class TreeDictionary: @unchecked Sendable {
    let names: NameTable
    /// `nil` if the trees have no bindings around them.
    let context: SharedNamespaceContext?
    /// The table's records: this saves a load.
    @usableFromInline let records: UnsafePointer<NameRecord>
    @usableFromInline let nameBytes: UnsafePointer<UInt8>

    init(names: NameTable, context: SharedNamespaceContext?) {
        self.names = names
        self.context = context
        records = UnsafePointer(names.records)
        nameBytes = UnsafePointer(names.bytes)
    }
}
