// The type that encloses a declaration, as far as a macro can see it.

import SwiftSyntax
import SwiftSyntaxMacros

/// The types and extensions around a declaration.
struct EnclosingType {
    /// Its name as written, with those of the types around it: `Outer.Inner`.
    let name: String
    /// The name where the type is referred to, with the backticks that it needs.
    let reference: String
    /// `public` and the like of the enclosing extension, which its members have implicitly.
    let extensionAccess: String?
    let isProtocol: Bool
    let isGeneric: Bool

    /// The innermost type; `nil` outside of all types.
    init?(_ context: some MacroExpansionContext) {
        let types = context.lexicalContext.filter { $0.isProtocol((any DeclGroupSyntax).self) }
        guard let innermost = types.first else { return nil }
        name = types.reversed().map { Self.name(of: $0) { $0.plainText } }.joined(separator: ".")
        reference = types.reversed().map { Self.name(of: $0) { $0.trimmed.text } }.joined(separator: ".")
        extensionAccess = innermost.as(ExtensionDeclSyntax.self)?.modifiers.access
        isProtocol = innermost.is(ProtocolDeclSyntax.self)
        isGeneric = types.contains { type in
            type.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
                || type.as(ExtensionDeclSyntax.self)?.extendedType.as(IdentifierTypeSyntax.self)?
                    .genericArgumentClause != nil
        }
    }

    private static func name(of type: Syntax, _ text: (TokenSyntax) -> String) -> String {
        if let type = type.as(ExtensionDeclSyntax.self) { return type.extendedType.trimmedDescription }
        return type.asProtocol((any NamedDeclSyntax).self).map { text($0.name) } ?? ""
    }
}

extension DeclGroupSyntax {
    /// The access level of a member that a macro adds, with a space after it. The type may have that of an extension
    /// around it. A protocol of a `private` type needs `fileprivate` members.
    func memberAccess(in context: some MacroExpansionContext) -> String {
        let access = modifiers.access ?? EnclosingType(context)?.extensionAccess
        return access.map { $0 == "private" ? "fileprivate " : "\($0) " } ?? ""
    }
}

extension DeclGroupSyntax {
    /// Reports a type that an extension cannot see: a private one inside of another type.
    func isHidden(from id: String, _ context: some MacroExpansionContext) -> Bool {
        guard let modifier = modifiers.first(where: { $0.name.tokenKind == .keyword(.private) }),
            EnclosingType(context) != nil
        else { return false }
        context.report(
            id, "the macro extends this type, and an extension cannot see it: write 'fileprivate'", at: modifier)
        return true
    }
}

extension DeclModifierListSyntax {
    /// The access level that is written, as one that a member can have.
    var access: String? {
        for modifier in self {
            switch modifier.name.tokenKind {
            case .keyword(.open): return "public"
            case .keyword(.public), .keyword(.package), .keyword(.internal), .keyword(.fileprivate), .keyword(.private):
                if modifier.detail == nil { return modifier.name.text }
            default: break
            }
        }
        return nil
    }

    func contains(_ keyword: Keyword) -> Bool { contains { $0.name.tokenKind == .keyword(keyword) } }
}
