// The kinds of findings. Errors are those of the language (section 7); warnings have names, and can be disabled.

import QueryRemarks
public import QuerySyntax

/// A kind of finding.
public enum LintRule: Sendable, Hashable {
    /// The query does not compile, or its arguments do not fit.
    case error(Diagnostic.Kind)
    /// No value of an attribute passes all its filters, or an element's namespace does not.
    case contradictingFilters
    /// A name with a colon matches no element: names have no prefixes in queries.
    case colonInName
    /// A name that is a namespace, or begins with one, matches nothing: a namespace needs braces.
    case namespaceNeedsBraces
    /// `a/#` is the text of the children of `a`, and `a#` is the text of `a`.
    case textOfChildren
    /// `check` returns whether a result exists, and `false` is a result.
    case checkOfBool
    /// In Objective-C, the object of a `|bool` result is true whenever it exists.
    case truthOfBool
    /// `x\…\` is a form in an element x of the parent's namespace; forms are `jabber:x:data`.
    case formInX
    /// `.` and `a.b` are names; `/` separates segments.
    case dotInName
    /// Quotes, a second `=`, alternatives and placeholders are compared as text.
    case foreignValue
    /// A literal next to a `String` is one: its interpolations become part of the query.
    case splicedInterpolation

    /// All warnings.
    public static let warnings: [LintRule] = [
        .contradictingFilters, .colonInName, .namespaceNeedsBraces, .textOfChildren, .checkOfBool, .truthOfBool,
        .formInX, .dotInName, .foreignValue, .splicedInterpolation,
    ]

    /// The name that disables a warning; for errors, the name of the kind of mistake.
    public var name: String {
        switch self {
        case .error(let kind): kind.rawValue
        case .contradictingFilters: "contradicting-filters"
        case .colonInName: "colon-in-name"
        case .namespaceNeedsBraces: "namespace-needs-braces"
        case .textOfChildren: "text-of-children"
        case .checkOfBool: "check-of-bool"
        case .truthOfBool: "truth-of-bool"
        case .formInX: "form-in-x"
        case .dotInName: "dot-in-name"
        case .foreignValue: "foreign-value"
        case .splicedInterpolation: "spliced-interpolation"
        }
    }

    /// The warning for a remark.
    init(_ kind: QueryRemark.Kind) {
        self =
            switch kind {
            case .contradictingFilters: .contradictingFilters
            case .colonInName: .colonInName
            case .namespaceNeedsBraces: .namespaceNeedsBraces
            case .textOfChildren: .textOfChildren
            case .formInX: .formInX
            case .dotInName: .dotInName
            case .foreignValue: .foreignValue
            }
    }

    /// Whether the query fails when it is compiled or evaluated; otherwise it is a warning.
    public var isError: Bool { if case .error = self { true } else { false } }

    /// The warning with a name.
    public init?(warning name: String) {
        guard let rule = Self.warnings.first(where: { $0.name == name }) else { return nil }
        self = rule
    }
}
