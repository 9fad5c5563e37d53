// Which modules of a Swift source bring queries. Knows module names only, no calls: those are QueryCall.swift's.

/// Whether a Swift source can see queries.
struct SwiftImports {
    /// Modules that bring `find`, `Query` or the elements that they are for. A module imported elsewhere in the same
    /// target brings its members to all files, so a file may name the module of its elements only. Names that other
    /// packages have, such as `Handlers`, are left out.
    private static let modules: Set = [
        "StanzaQuery", "StanzaQueryMacros", "XMLTree", "QuerySyntax", "DataForms", "DataFormMacros", "HandlerMacros",
        "StreamManagement", "XMPPSession", "XMPPTransport",
    ]

    /// What may stand between `import` and the module.
    private static let kinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]

    private(set) var bringQueries = false

    /// Passes a name that no dot precedes.
    ///
    /// - Parameter place: Behind it.
    mutating func pass(_ name: String, _ place: SourceCursor) {
        guard name == "import" else { return }
        var cursor = place
        cursor.skipSpace()
        var module = cursor.name()
        if let kind = module, Self.kinds.contains(kind) {
            cursor.skipSpace()
            module = cursor.name()
        }
        if let module, Self.modules.contains(module) { bringQueries = true }
    }
}
