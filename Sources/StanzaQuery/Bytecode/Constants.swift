// The constants that a program's operands refer to.
//
// ProgramBuilder.swift fills them; they are immutable afterwards. The strings follow each other in one block.

import QuerySyntax
import StanzaPatterns
import XMLTree

/// An attribute whose name needs more than one comparison (4.3).
enum ResolvedAttribute: Hashable, Sendable {
    /// Clark notation: namespace and local name.
    case expanded(NameKey)
    /// A qualified name: as written, or else by the namespace that the prefix is bound to.
    case prefixed(qualified: NameKey, prefix: NameKey, local: NameKey)

    /// Whether the prefixes in scope have to be known to find it.
    var needsPrefixes: Bool {
        if case .prefixed(_, let prefix, _) = self { prefix != .xmlPrefix } else { false }
    }
}

/// A data-form query with its strings among the constants.
package struct FormConstant: Sendable {
    package var formType: StringIndex?
    package var type: StringIndex?
    package var item: Int?
    package var field: StringIndex?
}

/// A regular expression, or the literal that replaces it.
package struct PatternConstant: Sendable {
    package enum Work: Sendable {
        case regex(Regex)
        case literal(StringIndex)
    }

    package let work: Work
    /// The pattern as written.
    package let text: String
    /// Whether a match can only begin at the value's beginning (3.8).
    package let isAnchored: Bool
    /// The place of the pattern in the query, for the limit error.
    let range: SourceRange
}

/// A step of writing a filter's value that holds specifiers (6.1).
package enum ValueStep: Equatable, Sendable {
    /// Text to compare with.
    case text(StringIndex)
    /// The next argument as it is: `%@`.
    case argument(FormatSpecifier)
    /// The next argument, printed as the specifier says.
    case formatted(FormatSpecifier)
    /// The value is complete.
    case end

    /// The specifier that takes an argument here.
    package var specifier: FormatSpecifier? {
        switch self {
        case .argument(let specifier), .formatted(let specifier): specifier
        case .text, .end: nil
        }
    }
}
