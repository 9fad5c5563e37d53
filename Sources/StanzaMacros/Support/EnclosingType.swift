// The type that encloses a declaration, as far as a macro can see it.

import SwiftSyntax
import SwiftSyntaxMacros

/// The types and extensions around a declaration.
struct EnclosingType {
    /// Its name as written, with those of the types around it: `Outer.Inner`.
    let name: String
    /// `public` and the like of the enclosing extension, which its members have implicitly.
    let extensionAccess: String?
    let isProtocol: Bool
    let isGeneric: Bool

    /// The innermost type; `nil` outside of all types.
    init?(_ context: some MacroExpansionContext) {
        let types = context.lexicalContext.filter { $0.isProtocol((any DeclGroupSyntax).self) }
        guard let innermost = types.first else { return nil }
        name = types.reversed().map(Self.name).joined(separator: ".")
        extensionAccess = innermost.as(ExtensionDeclSyntax.self)?.modifiers.access
        isProtocol = innermost.is(ProtocolDeclSyntax.self)
        isGeneric = types.contains { type in
            type.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil
                || type.as(ExtensionDeclSyntax.self)?.extendedType.as(IdentifierTypeSyntax.self)?
                    .genericArgumentClause != nil
        }
    }

    private static func name(of type: Syntax) -> String {
        if let type = type.as(ExtensionDeclSyntax.self) { return type.extendedType.trimmedDescription }
        return type.asProtocol((any NamedDeclSyntax).self)?.name.plainText ?? ""
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

    /// The access level of a member that a macro adds, with a space after it. A protocol of a `private` type needs
    /// `fileprivate` members.
    var memberAccess: String { access.map { $0 == "private" ? "fileprivate " : "\($0) " } ?? "" }

    func contains(_ keyword: Keyword) -> Bool { contains { $0.name.tokenKind == .keyword(keyword) } }
}
