// The remarks on a query that compiles. TextCheck.swift decides when they apply.

import QuerySyntax

/// A part of a query that is legal but probably not intended.
package struct QueryRemark {
    /// The kinds. The raw value is the name of the linter's warning.
    package enum Kind: String, CaseIterable {
        case contradictingFilters = "contradicting-filters"
        case colonInName = "colon-in-name"
        case namespaceNeedsBraces = "namespace-needs-braces"
        case textOfChildren = "text-of-children"
        case formInX = "form-in-x"
        case dotInName = "dot-in-name"
        case foreignValue = "foreign-value"
    }

    package let kind: Kind
    package let message: String
    package var hint: String?
    package let range: SourceRange

    /// Returns the message with a drawing of its part of the query, like that of a mistake. The first word is
    /// `warning:`.
    package func rendered(in query: String) -> String { "warning: " + drawn(in: query) }

    /// Returns the same without the first word, for callers that add their own.
    package func drawn(in query: String) -> String {
        drawRemark(
            visibleScalars(message), at: range, hint: hint.map(visibleScalars),
            in: query)
    }
}
