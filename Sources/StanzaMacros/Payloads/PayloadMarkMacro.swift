// @Attribute, @Child and the other marks of @Payload. Alone, a mark only finds out that it is alone.

import SwiftSyntax
import SwiftSyntaxMacros

enum PayloadMarkMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let type = context.lexicalContext.first
        let isInPayload = type?.asProtocol((any WithAttributesSyntax).self)?.attributes.attribute("Payload") != nil
        let name = node.plainName
        if name == "Case" {
            if !declaration.is(EnumCaseDeclSyntax.self) || !isInPayload {
                context.report("case", "@Case belongs on a case of an enumeration with @Payload", at: node)
            }
            return []
        }
        let isInStructure = isInPayload && type?.is(EnumDeclSyntax.self) != true
        if !declaration.is(VariableDeclSyntax.self) || !isInStructure {
            context.report("member", "@\(name) belongs on a stored property of a structure with @Payload", at: node)
        }
        return []
    }
}
