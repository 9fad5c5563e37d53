// #named(device, jid): variables under their own names.

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The macro `#named`.
enum NamedMacro: ExpressionMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> ExprSyntax {
        var names: Set<String> = []
        var assignments: [String] = []
        for argument in node.arguments {
            let expression = argument.expression.trimmed
            guard let name = name(of: expression) else {
                context.report(
                    "named",
                    "expected a variable or a member, which have names; for other values write { $0.name = value }",
                    at: argument.expression)
                return "{ _ in }"
            }
            guard names.insert(name).inserted else {
                context.report("named", "two of the values are called '\(name)'", at: argument.expression)
                return "{ _ in }"
            }
            let place = ownMembers.contains(name) ? "$0[dynamicMember: \\.\(name)]" : "$0.\(name)"
            assignments.append("\(place) = \(expression.trimmedDescription)")
        }
        return assignments.isEmpty ? "{ _ in }" : "{\n\(raw: assignments.joined(separator: "\n"))\n}"
    }

    /// The members of `HandlerArguments`, which hide arguments of the same name.
    private static let ownMembers: Set = ["completed", "debugDescription", "description", "names", "only"]

    private static func name(of expression: ExprSyntax) -> String? {
        if let variable = expression.as(DeclReferenceExprSyntax.self), variable.argumentNames == nil {
            return variable.baseName.tokenKind == .keyword(.self) ? nil : variable.baseName.text
        }
        if let member = expression.as(MemberAccessExprSyntax.self), member.base != nil {
            return member.declName.baseName.text
        }
        return nil
    }
}
