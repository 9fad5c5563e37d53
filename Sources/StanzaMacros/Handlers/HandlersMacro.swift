// @Handlers on a type: the list of its handlers.

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The macro `@Handlers`.
enum HandlersMacro: MemberMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let functions = handlers(in: declaration.memberBlock.members, context)
        if functions.isEmpty {
            context.warn("handlers", "the braces of this type contain no function with @Handler", at: node)
        }
        checkNames(of: functions, in: declaration, context)
        let access = declaration.modifiers.contains(.open) ? "open " : declaration.memberAccess(in: context)
        let kind = kind(of: declaration, isInherited: protocols.isEmpty)
        let list = functions.map { "$\($0.function.name.plainText).definition" }.joined(separator: ", ")
        return ["\(raw: access)nonisolated \(raw: kind) var handlers: [HandlerDefinition] { [\(raw: list)] }"]
    }

    /// The kind of property: that of a class can be overridden, since a subclass has a list of its own.
    ///
    /// - Parameter isInherited: Whether the type conforms without this macro, by its superclass or by its own clause.
    private static func kind(of declaration: some DeclGroupSyntax, isInherited: Bool) -> String {
        guard declaration.is(ClassDeclSyntax.self) else { return "static" }
        let own = declaration.inheritanceClause?.inheritedTypes.contains { inherited in
            let type = inherited.type
            return type.as(IdentifierTypeSyntax.self)?.name.text == "HandlerProvider"
                || type.as(MemberTypeSyntax.self)?.name.text == "HandlerProvider"
        }
        if isInherited, own != true { return "override class" }
        return declaration.modifiers.contains(.final) ? "static" : "class"
    }

    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        // The type conforms already.
        if protocols.isEmpty || declaration.isHidden(from: "handlers", context) { return [] }
        return [try ExtensionDeclSyntax("extension \(type.trimmed): HandlerProvider {}")]
    }

    private static func handlers(
        in members: MemberBlockItemListSyntax, _ context: some MacroExpansionContext
    ) -> [MarkedFunction] {
        members.flatMap { member -> [MarkedFunction] in
            if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                reportHandlers(inside: condition, context)
                return []
            }
            guard let function = member.decl.as(FunctionDeclSyntax.self), function.hasPlainName else { return [] }
            return function.attributes.attribute("Handler").map { [(function, HandlerAttribute($0))] } ?? []
        }
    }

    /// Which of them are compiled a macro cannot see.
    private static func reportHandlers(inside condition: IfConfigDeclSyntax, _ context: some MacroExpansionContext) {
        for clause in condition.clauses {
            guard let members = clause.elements?.as(MemberBlockItemListSyntax.self) else { continue }
            for (function, _) in handlers(in: members, context) {
                context.report(
                    "handlers", "a handler inside of '#if' is not listed: put the '#if' into the function",
                    at: function.name)
            }
        }
    }

    /// Reports names that two handlers have. Others of the program are the registry's to find.
    private static func checkNames(
        of functions: [MarkedFunction], in declaration: some DeclGroupSyntax, _ context: some MacroExpansionContext
    ) {
        var names: Set<String> = []
        var functionNames: Set<String> = []
        let own = declaration.asProtocol((any NamedDeclSyntax).self)?.name.plainText
        let type = [EnclosingType(context)?.name, own].compactMap(\.self).joined(separator: ".")
        for (function, attribute) in functions {
            let name = function.name.plainText
            if !functionNames.insert(name).inserted {
                context.report(
                    "duplicate", "two handlers are made of functions called '\(name)': rename one of them",
                    at: function.name)
                continue
            }
            var stored = attribute.literalNames
            if attribute.name == nil { stored.insert(("\(type)|\(name)", Syntax(function.name)), at: 0) }
            for (name, node) in stored where !names.insert(name).inserted {
                context.report(
                    "duplicate", "two handlers are called '\(name)', now or formerly: give one of them another name",
                    at: node)
            }
        }
    }
}

private typealias MarkedFunction = (function: FunctionDeclSyntax, attribute: HandlerAttribute)
