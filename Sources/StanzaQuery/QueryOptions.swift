// The options of compiling a query.

/// Compile options of a query.
public struct QueryOptions: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Filters ignore case, by simple case folding (rule 3.7).
    public static let caseInsensitiveFilters = QueryOptions(rawValue: 1)
    /// `bool`, `int`, `uint`, `double` and `base64` give no result for a text that is not entirely such a value
    /// (rule 4.5).
    public static let strictConversions = QueryOptions(rawValue: 2)

    /// The options of two Boolean switches.
    package init(ignoresCase: Bool, isStrict: Bool) {
        self = []
        if ignoresCase { insert(.caseInsensitiveFilters) }
        if isStrict { insert(.strictConversions) }
    }
}
