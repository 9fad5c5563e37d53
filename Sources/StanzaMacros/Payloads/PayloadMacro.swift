// @Payload: how a structure or an enumeration is read from an element and written as one. PayloadMember.swift has the
// members of structures, PayloadChoice.swift the cases of enumerations.

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The macro `@Payload`. Its extension belongs to no actor, whatever the type does: elements are read anywhere. In a
/// module of the main actor, the conformance of a `nonisolated` type would otherwise belong to that actor.
enum PayloadMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        if declaration.isHidden(from: "payload", context) { return [] }
        guard let arguments = PayloadArguments(node, context) else { return [] }
        let members: [String]?
        if let structure = declaration.as(StructDeclSyntax.self) {
            members = Self.members(of: structure, arguments, node, context)
        } else if let enumeration = declaration.as(EnumDeclSyntax.self) {
            members = PayloadChoice(enumeration, arguments, node, context)?.members
        } else {
            context.report("payload", "@Payload belongs on a structure or an enumeration", at: node)
            members = nil
        }
        guard let members else { return [] }
        let access = declaration.memberAccess(in: context)
        let isGeneric =
            declaration.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
            || EnclosingType(context)?.isGeneric == true
        let text = members.map { member in
            // A generic type has no stored static properties.
            let member = isGeneric ? member : member.storedStatics
            return "\(access)\(member)"
        }
        return [
            try ExtensionDeclSyntax(
                """
                nonisolated extension \(type.trimmed): Payload {
                    \(raw: text.joined(separator: "\n\n"))
                }
                """)
        ]
    }

    private static func members(
        of declaration: StructDeclSyntax, _ arguments: PayloadArguments, _ node: AttributeSyntax,
        _ context: some MacroExpansionContext
    ) -> [String]? {
        guard let name = arguments.name else {
            context.report("payload", "expected the name of the element: @Payload(\"{namespace}name\")", at: node)
            return nil
        }
        if let problem = name.value.problem ?? (name.value.namespace == nil ? "write '{namespace}name'" : nil) {
            context.report("name", problem, at: name.expression)
            return nil
        }
        if let attribute = arguments.attribute {
            context.report("payload", "'by' chooses a case, and a structure has none", at: attribute.expression)
            return nil
        }
        guard let members = PayloadMembers(declaration, context) else { return nil }
        return [
            "static var payloadName: _PayloadName { \(name.expression.trimmedDescription) }",
            """
            init(from reader: _PayloadReader) throws(_PayloadError) {
            \(members.reading(refusesOthers: arguments.refusesOthers))
            }
            """,
            """
            func encode(to writer: _PayloadWriter) throws(_PayloadError) {
            \(members.writing)
            }
            """,
        ]
    }
}

extension String {
    /// A computed static property of one expression as a stored one.
    fileprivate var storedStatics: String {
        guard hasPrefix("static var "), hasSuffix(" }"), let brace = firstIndex(of: "{") else { return self }
        let type = dropFirst("static var ".count).prefix(upTo: brace)
        return "static let \(type)= \(self[index(brace, offsetBy: 2)...].dropLast(2))"
    }
}

/// The arguments of `@Payload`.
struct PayloadArguments {
    struct Name {
        let value: WrittenName
        let expression: ExprSyntax
    }

    /// The name of the element.
    let name: Name?
    /// The attribute that chooses a case.
    let attribute: Name?
    let refusesOthers: Bool

    /// `nil`, with a report, for arguments that are not literals.
    init?(_ node: AttributeSyntax, _ context: some MacroExpansionContext) {
        var (names, refuses): ([String: Name], Bool) = ([:], false)
        if case .argumentList(let list)? = node.arguments {
            for argument in list {
                let label = argument.label?.text ?? ""
                if label == "refusesOthers" {
                    guard let literal = argument.expression.as(BooleanLiteralExprSyntax.self) else {
                        context.report("payload", "expected true or false", at: argument.expression)
                        return nil
                    }
                    refuses = literal.literal.tokenKind == .keyword(.true)
                } else if let text = argument.expression.stringValue {
                    names[label] = Name(value: WrittenName(text), expression: argument.expression)
                } else if !argument.expression.is(NilLiteralExprSyntax.self) {
                    context.report("payload", "expected a string literal", at: argument.expression)
                    return nil
                }
            }
        }
        (name, attribute, refusesOthers) = (names[""], names["by"], refuses)
    }
}
