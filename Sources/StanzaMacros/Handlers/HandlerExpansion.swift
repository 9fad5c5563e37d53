// The expansion of @Handler: the code that you would write by hand.

import SwiftSyntax
import SwiftSyntaxBuilder

struct HandlerExpansion {
    private let function: FunctionDeclSyntax
    private let type: EnclosingType

    init(_ function: FunctionDeclSyntax, in type: EnclosingType) {
        self.function = function
        self.type = type
    }

    private var name: String { function.name.plainText }

    /// Followed by a space.
    private var access: String {
        (function.modifiers.access ?? type.extensionAccess).map { "\($0) " } ?? ""
    }

    /// The access of declarations in a structure beside the function: private there would be for that structure alone.
    private var memberAccess: String { access == "private " ? "fileprivate " : access }

    private var storedName: String { "\"\(type.name)|\(name)\"" }

    /// A handler of no function, in place of one that has a mistake.
    var placeholder: DeclSyntax {
        """
        \(raw: access)nonisolated static let $\(raw: name): HandlerFunction<NoParameters> = HandlerFunction(NoParameters()) { _ in
            HandlerDefinition(\(raw: storedName)) {}
        }
        """
    }

    func declarations(of handler: HandlerSource) -> [DeclSyntax] {
        let parameters = handler.parameters
        let properties = parameters.map { parameter in
            "    \(memberAccess)let \(parameter.name.variableText) = HandlerParameter(\"\(parameter.name.plainText)\", \(parameter.metatype))"
        }
        let structure: DeclSyntax = """
            \(raw: access)struct \(raw: name)_Parameters: Sendable {
            \(raw: properties.joined(separator: "\n"))
            }
            """
        var arguments = [handler.attribute.name?.trimmedDescription ?? storedName]
        arguments += handler.attribute.passedOn.map { "\($0.label): \($0.value.trimmedDescription)" }
        // Anonymous arguments cannot hide, or be hidden by, names of the program.
        arguments += parameters.map { "$0.\($0.name.variableText)" }
        arguments += handler.statement.map { calls(handler, $0) } ?? ["call: \(reference(handler))"]
        let property: DeclSyntax = """
            \(raw: access)nonisolated static let $\(raw: name): HandlerFunction<\(raw: name)_Parameters> = HandlerFunction(\(raw: name)_Parameters()) {\(raw: parameters.isEmpty ? " _ in" : "")
                HandlerDefinition(
                    \(raw: arguments.joined(separator: ",\n        "))
                )
            }
            """
        return [structure, property]
    }

    /// The static function by its full name, which the compiler turns into an asynchronous one that may throw.
    private func reference(_ handler: HandlerSource) -> String {
        if handler.parameters.isEmpty { return function.name.text }
        return "\(function.name.text)(\(handler.parameters.map { "\($0.label?.labelText ?? "_"):" }.joined()))"
    }

    /// How the instance is obtained, and how its method is called.
    private func calls(_ handler: HandlerSource, _ statement: InstanceStatement) -> [String] {
        let parameters = handler.parameters.map { "\($0.name.variableText): \($0.type.trimmedDescription)" }
        let values = handler.parameters.enumerated().map { index, parameter in
            (parameter.label.map { "\($0.labelText): " } ?? "") + "$\(index + 1)"
        }
        return [
            """
            instance: { (\(parameters.joined(separator: ", "))) in
                        try await HandlerInstance<\(type.reference)>.find { \(statement.expression.trimmedDescription) }
                    }
            """,
            """
            call: { try await $0.value.\(function.name.text)(\(values.joined(separator: ", "))) }
            """,
        ]
    }
}
