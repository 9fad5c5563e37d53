// The options of compiling a query.

/// Compile options of a query.
public struct QueryOptions: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    @inlinable
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Filters ignore case, by simple case folding (rule 3.7).
    public static let caseInsensitiveFilters = QueryOptions(rawValue: 1)
    /// `bool`, `int`, `uint`, `double` and `base64` give no result for a text that is not entirely such a value
    /// (rule 4.5). The default where you ask for a type: with `as:`, and in `#query` and `#queries`.
    public static let strictConversions = QueryOptions(rawValue: 2)
    /// Where you ask for a type, they read the beginning of a text instead: `7x` is 7, and `x7` is 0 (rule 4.4).
    /// Elsewhere they do so without this option.
    public static let lenient = QueryOptions(rawValue: 4)

    /// The options of a query whose results have a type. The numbers are constants in the caller's module.
    @inlinable var ofType: QueryOptions {
        QueryOptions(rawValue: rawValue & 4 == 0 ? rawValue | 2 : rawValue & ~4)
    }

    /// The options that the compiler distinguishes.
    var compiled: QueryOptions { QueryOptions(rawValue: rawValue & 3) }

    /// The options of two Boolean switches.
    package init(ignoresCase: Bool, isStrict: Bool) {
        self = []
        if ignoresCase { insert(.caseInsensitiveFilters) }
        if isStrict { insert(.strictConversions) }
    }
}
