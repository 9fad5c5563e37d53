// Names as written and as meant: backticks belong to the place of a name, not to the name.

import SwiftParser
import SwiftSyntax

extension TokenSyntax {
    /// The text without backticks.
    var plainText: String {
        guard text.hasPrefix("`"), text.hasSuffix("`"), text.count > 2 else { return text }
        return String(text.dropFirst().dropLast())
    }

    /// The name where it is declared or referred to; keywords have backticks there.
    var variableText: String {
        plainText.isValidSwiftIdentifier(for: .variableName) ? plainText : "`\(plainText)`"
    }

    /// The name where it is a label: most keywords have no backticks there.
    var labelText: String {
        ["inout", "let", "var"].contains(plainText) || isRaw ? "`\(plainText)`" : plainText
    }

    /// Whether the name always needs backticks, as one with spaces does, or is an operator.
    fileprivate var isRaw: Bool { !"_\(plainText)".isValidSwiftIdentifier(for: .variableName) }
}

extension FunctionDeclSyntax {
    /// Whether a name can be made of the function's, with a dollar sign before it.
    var hasPlainName: Bool { !name.isRaw }
}
