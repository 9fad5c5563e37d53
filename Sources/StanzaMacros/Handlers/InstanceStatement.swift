// The statement that obtains the instance of an instance handler: an expression over the function's parameters, in a
// string.
//
// It is a string, because the compiler reads the arguments of a macro before it knows what the macro adds to the type:
// an expression that refers to the type itself would be a circle.

import SwiftParser
import SwiftParserDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The argument `on:`.
struct InstanceStatement {
    let expression: ExprSyntax

    /// `nil`, with a report, if it is not a literal, or not an expression.
    init?(_ argument: ExprSyntax, _ context: some MacroExpansionContext) {
        guard let text = argument.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
            context.report(
                "instance", "expected a string literal with an expression over the parameters: on: \"account.omemo\"",
                at: argument)
            return nil
        }
        var parser = Parser(text)
        expression = ExprSyntax.parse(from: &parser)
        let isWhole = expression.description == text && !text.allSatisfy(\.isWhitespace)
        guard isWhole, !expression.hasError else {
            let reason = ParseDiagnosticsGenerator.diagnostics(for: expression).first?.message
            context.report(
                "instance",
                "'\(text)' is not an expression\(reason.map { " (\($0))" } ?? ""): expected one over the parameters, such as \"account.omemo\"",
                at: argument)
            return nil
        }
    }
}
