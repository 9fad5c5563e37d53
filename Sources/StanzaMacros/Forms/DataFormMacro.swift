// @DataForm on a structure: how its fields are read and written.

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The macro `@DataForm`. The functions that it adds belong to no actor, whatever the structure does: forms are read
/// anywhere, and values of fields are `Sendable`. Types have names that types of the program cannot hide.
enum DataFormMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(StructDeclSyntax.self) else {
            context.report("form", "@DataForm belongs on a structure", at: node)
            return []
        }
        if declaration.isHidden(from: "form", context) { return [] }
        guard let formType = formType(of: node, context), let fields = fields(of: declaration, context) else {
            return []
        }
        let access = declaration.memberAccess(in: context)
        let reading = fields.map(\.reading).joined(separator: "\n")
        let writing = fields.map(\.writing).joined(separator: "\n")
        return [
            try ExtensionDeclSyntax(
                """
                extension \(type.trimmed): DataFormConvertible {
                    \(raw: access)nonisolated static var formType: String { \(formType) }

                    \(raw: access)nonisolated init(from fields: _DataFormDecoder) throws(_DataFormDecodingError) {
                        \(raw: reading)
                    }

                    \(raw: access)nonisolated func encode(to form: inout _DataForm) throws(_DataFormEncodingError) {
                        \(raw: writing)
                    }
                }
                """)
        ]
    }

    private static func formType(of node: AttributeSyntax, _ context: some MacroExpansionContext) -> ExprSyntax? {
        guard case .argumentList(let list)? = node.arguments, let argument = list.first?.expression else { return nil }
        let value = argument.as(StringLiteralExprSyntax.self)?.representedLiteralValue
        if value?.isEmpty ?? true {
            context.report("form", "expected the FORM_TYPE as a string literal", at: argument)
            return nil
        }
        return argument.trimmed
    }

    /// The fields in the order of the source; `nil`, with a report for each mistake, if one of the properties is wrong.
    private static func fields(
        of declaration: some DeclGroupSyntax, _ context: some MacroExpansionContext
    ) -> [FieldProperty]? {
        var fields: [FieldProperty] = []
        var names: Set<[UInt8]> = []
        var isRight = true
        for member in declaration.memberBlock.members {
            if let condition = member.decl.as(IfConfigDeclSyntax.self) {
                isRight = reportProperties(inside: condition, context) && isRight
            }
            guard let variable = member.decl.as(VariableDeclSyntax.self) else { continue }
            guard let attribute = variable.fieldAttribute else {
                isRight = FieldProperty.checkOther(variable, context) && isRight
                continue
            }
            guard let field = FieldProperty(variable, attribute, context) else {
                isRight = false
                continue
            }
            if !names.insert(Array(field.name.utf8)).inserted {
                context.report("duplicate", "two fields are called '\(field.name)'", at: field.nameNode)
                isRight = false
            }
            fields.append(field)
        }
        if fields.isEmpty, isRight {
            context.report(
                "form", "a form needs a field: add '@Field' to a stored property", at: declaration.introducer)
            return nil
        }
        return isRight ? fields : nil
    }

    /// Reports fields inside `#if`: a macro cannot see which of them are compiled.
    private static func reportProperties(
        inside condition: IfConfigDeclSyntax, _ context: some MacroExpansionContext
    ) -> Bool {
        var isRight = true
        for clause in condition.clauses {
            for member in clause.elements?.as(MemberBlockItemListSyntax.self) ?? [] {
                if let nested = member.decl.as(IfConfigDeclSyntax.self) {
                    isRight = reportProperties(inside: nested, context) && isRight
                }
                guard let attribute = member.decl.as(VariableDeclSyntax.self)?.fieldAttribute else { continue }
                context.report("form", "a field is not allowed inside of '#if'", at: attribute)
                isRight = false
            }
        }
        return isRight
    }
}
