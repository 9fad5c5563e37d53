// @Field on a stored property: a mark, which @DataForm reads. Alone it only finds out that it is alone.

import SwiftSyntax
import SwiftSyntaxMacros

enum FieldMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        // @DataForm reports that a class cannot have it.
        let type = context.lexicalContext.first?.asProtocol((any WithAttributesSyntax).self)
        if !declaration.is(VariableDeclSyntax.self) || type?.attributes.attribute("DataForm") == nil {
            context.report("field", "@Field belongs on a stored property of a structure with @DataForm", at: node)
        }
        return []
    }
}

extension VariableDeclSyntax {
    var fieldAttribute: AttributeSyntax? { attributes.attribute("Field") }
}
