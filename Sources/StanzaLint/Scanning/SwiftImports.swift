// Which modules of a Swift source provide queries. It knows module names only; QueryCall.swift knows the calls.

/// Whether a Swift source can see queries.
struct SwiftImports {
    /// Modules that provide `find`, `Query` or the elements that they are for. A module imported elsewhere in the same
    /// target provides its members to all files. So a file may name the module of its elements only. Names that other
    /// packages have, such as `Handlers`, are left out.
    private static let modules: Set = [
        "StanzaQuery", "StanzaQueryMacros", "XMLTree", "QuerySyntax", "DataForms", "DataFormMacros", "HandlerMacros",
        "PayloadMacros", "Payloads", "StreamManagement", "XMPPPayloads", "XMPPSession", "XMPPTransport",
    ]

    /// The keywords allowed between `import` and the module.
    private static let kinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]

    private(set) var bringQueries = false

    /// Passes a name that no dot precedes.
    ///
    /// - Parameter place: The place after it.
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
