// @Handler on a function: the structure of its parameters, and the property that makes handlers of it.
//
// HandlerExpansion.swift has the text.

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// The macro `@Handler`.
enum HandlerMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let function = declaration.as(FunctionDeclSyntax.self) else {
            context.report("function", "@Handler belongs on a static function or an instance method", at: node)
            return []
        }
        guard let type = EnclosingType(context), !type.isProtocol else {
            context.report(
                "type",
                "a handler needs a type that it belongs to: move the function into a class, structure, enumeration or actor",
                at: node)
            return []
        }
        guard function.hasPlainName else {
            let name = function.name.plainText
            context.report(
                "name",
                "no handler can be called '$\(name)': rename the function; @Handler(\"\(type.name)|\(name)\") keeps the stored name",
                at: function.name)
            return []
        }
        if function.modifiers.contains(.override) {
            context.report(
                "override",
                "a handler of the function that this one overrides calls this one, too: remove '@Handler'",
                at: function.name)
            return []
        }
        let expansion = HandlerExpansion(function, in: type)
        guard let handler = HandlerSource(function, HandlerAttribute(node), type, context) else {
            // The macro has reported the mistake. References to the handler should not be errors, too.
            return [expansion.placeholder]
        }
        return expansion.declarations(of: handler)
    }
}

/// A function that can be a handler, with its attribute's arguments.
struct HandlerSource {
    let attribute: HandlerAttribute
    /// The parameters of the function.
    let parameters: [ParameterSource]
    /// How the instance is obtained; `nil` for static functions.
    let statement: InstanceStatement?

    /// `nil`, with reports, for a mistake.
    init?(
        _ function: FunctionDeclSyntax, _ attribute: HandlerAttribute, _ type: EnclosingType,
        _ context: some MacroExpansionContext
    ) {
        self.attribute = attribute
        var isRight = attribute.check(context)
        if !Self.check(function, type, context) { isRight = false }
        let isStatic = function.modifiers.contains(.static) || function.modifiers.contains(.class)
        switch (isStatic, attribute.instance) {
        case (true, let instance?):
            context.report("instance", "a static function is called on no instance: remove 'on:'", at: instance)
            return nil
        case (true, nil): statement = nil
        case (false, nil):
            Self.reportMissingStatement(of: attribute, context)
            return nil
        case (false, let instance?):
            guard let statement = InstanceStatement(instance, context) else { return nil }
            self.statement = statement
        }
        guard let parameters = ParameterSource.parameters(of: function, context), isRight else { return nil }
        self.parameters = parameters
    }

    private static func check(
        _ function: FunctionDeclSyntax, _ type: EnclosingType, _ context: some MacroExpansionContext
    ) -> Bool {
        if type.isGeneric {
            context.report(
                "generic", "a handler cannot belong to a generic type: nothing stored says what its parameters are",
                at: function.name)
            return false
        }
        if let clause = function.genericParameterClause {
            context.report(
                "generic", "a handler cannot be generic: nothing stored says what its parameters are", at: clause)
            return false
        }
        if function.modifiers.contains(.mutating) {
            context.report(
                "mutating", "a handler cannot change its instance: use a class or an actor", at: function.name)
            return false
        }
        return true
    }

    private static func reportMissingStatement(of attribute: HandlerAttribute, _ context: some MacroExpansionContext) {
        let statement = "on: \"<#instance#>\""
        var arguments = ""
        if case .argumentList(let list)? = attribute.node.arguments, !list.isEmpty {
            arguments = list.trimmedDescription + ", "
        }
        let repaired: AttributeSyntax = "@\(attribute.node.attributeName.trimmed)(\(raw: arguments)\(raw: statement))"
        context.report(
            "instance",
            "an instance method needs a statement that obtains the instance from the arguments: add 'on: \"account.omemo\"', or make the function static",
            at: attribute.node,
            fixIts: [
                FixIt(
                    message: MacroMessage(message: "add 'on:'", id: "instance"),
                    changes: [
                        .replace(
                            oldNode: Syntax(attribute.node),
                            newNode: Syntax(
                                repaired.with(\.leadingTrivia, attribute.node.leadingTrivia)
                                    .with(\.trailingTrivia, attribute.node.trailingTrivia)))
                    ])
            ])
    }
}
