// The parameters of a handler, which are those of its function.

import SwiftSyntax
import SwiftSyntaxMacros

/// One parameter of a handler.
struct ParameterSource {
    /// The name inside of the function, which is the name of the argument.
    let name: TokenSyntax
    /// The name at a call of the function; `nil` for none.
    let label: TokenSyntax?
    let type: TypeSyntax

    /// The type as an expression: `(any Error).self`.
    var metatype: String {
        let text = type.trimmedDescription
        let isPlain =
            type.is(IdentifierTypeSyntax.self) || type.is(MemberTypeSyntax.self) || type.is(OptionalTypeSyntax.self)
            || type.is(ArrayTypeSyntax.self) || type.is(DictionaryTypeSyntax.self)
        return isPlain ? "\(text).self" : "(\(text)).self"
    }
}

extension ParameterSource {
    /// The parameters of a function; `nil`, with a report for each, if one of them can be no argument of a handler.
    static func parameters(
        of function: FunctionDeclSyntax, _ context: some MacroExpansionContext
    ) -> [ParameterSource]? {
        var parameters: [ParameterSource] = []
        var isRight = true
        for parameter in function.signature.parameterClause.parameters {
            let name = parameter.secondName ?? parameter.firstName
            if let (problem, node) = problem(with: parameter) {
                context.report("parameter", "'\(name.plainText)': \(problem)", at: node)
                isRight = false
            }
            let isUnlabelled = parameter.firstName.tokenKind == .wildcard
            parameters.append(
                ParameterSource(
                    name: name.trimmed, label: isUnlabelled ? nil : parameter.firstName.trimmed,
                    type: parameter.type.trimmed))
        }
        return isRight ? parameters : nil
    }

    private static func problem(with parameter: FunctionParameterSyntax) -> (String, Syntax)? {
        if (parameter.secondName ?? parameter.firstName).tokenKind == .wildcard {
            return ("an argument needs a name: it is found by it", Syntax(parameter.firstName))
        }
        if let ellipsis = parameter.ellipsis {
            return ("a handler takes no variable number of arguments: use an array", Syntax(ellipsis))
        }
        if let value = parameter.defaultValue {
            return (
                "a default value is never used: make the parameter optional, and use '??' inside the function",
                Syntax(value)
            )
        }
        return problem(with: parameter.type).map { ($0, Syntax(parameter.type)) }
    }

    /// The reason why values of a type cannot be arguments.
    private static func problem(with type: TypeSyntax) -> String? {
        if let attributed = type.as(AttributedTypeSyntax.self) {
            if attributed.baseType.is(FunctionTypeSyntax.self) { return functionProblem }
            return "an argument is a plain value: remove '\(attributed.trimmedDescription.prefix { $0 != " " })'"
        }
        if type.is(FunctionTypeSyntax.self) { return functionProblem }
        if let optional = type.as(OptionalTypeSyntax.self) { return problem(with: optional.wrappedType) }
        if let inner = type.as(TupleTypeSyntax.self)?.elements, inner.count == 1, let only = inner.first {
            return problem(with: only.type)
        }
        if type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return "write '?' for an argument that may be missing, and nothing for one that may not"
        }
        if type.as(SomeOrAnyTypeSyntax.self)?.someOrAnySpecifier.tokenKind == .keyword(.some) {
            return "a handler needs a concrete type, or 'any'"
        }
        return nil
    }

    private static let functionProblem = "a closure cannot be stored: pass a Handler"
}
