// The text that @Handler expands to: what one would write by hand.

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

    /// With a space behind it.
    private var access: String {
        (function.modifiers.access ?? type.memberAccess).map { "\($0) " } ?? ""
    }

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
            "    \(access)let \(parameter.name.text) = HandlerParameter(\"\(parameter.name.plainText)\", \(parameter.metatype))"
        }
        let structure: DeclSyntax = """
            \(raw: access)struct \(raw: name)_Parameters: Sendable {
            \(raw: properties.joined(separator: "\n"))
            }
            """
        var arguments = [handler.attribute.name?.trimmedDescription ?? storedName]
        arguments += handler.attribute.passedOn.map { "\($0.label): \($0.value.trimmedDescription)" }
        arguments += parameters.map { "parameters.\($0.name.text)" }
        arguments += handler.statement.map { calls(handler, $0) } ?? ["call: \(reference(handler))"]
        let unused = parameters.isEmpty ? "_" : "parameters"
        let property: DeclSyntax = """
            \(raw: access)nonisolated static let $\(raw: name): HandlerFunction<\(raw: name)_Parameters> = HandlerFunction(\(raw: name)_Parameters()) { \(raw: unused) in
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
        return "\(function.name.text)(\(handler.parameters.map { "\($0.label?.text ?? "_"):" }.joined()))"
    }

    /// How the instance is obtained, and how its method is called.
    private func calls(_ handler: HandlerSource, _ statement: InstanceStatement) -> [String] {
        let parameters = handler.parameters.map { "\($0.name.text): \($0.type.trimmedDescription)" }
        let instance = "instance: HandlerInstance<\(type.name)>"
        let values = handler.parameters.map { parameter in
            (parameter.label.map { "\($0.text): " } ?? "") + parameter.name.text
        }
        return [
            """
            instance: { (\(parameters.joined(separator: ", "))) in
                        try await HandlerInstance<\(type.name)>.find { \(statement.expression.trimmedDescription) }
                    }
            """,
            """
            call: { (\(([instance] + parameters).joined(separator: ", "))) in
                        try await instance.value.\(function.name.text)(\(values.joined(separator: ", ")))
                    }
            """,
        ]
    }
}
