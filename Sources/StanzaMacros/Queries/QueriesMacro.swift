// #queries(["name": "…"]): static properties whose types follow from the queries' texts.

import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The macro `#queries`.
enum QueriesMacro: DeclarationMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard case .elements(let entries)? = node.arguments.first?.expression.as(DictionaryExprSyntax.self)?.content
        else {
            context.report("queries", "expected names and queries: [\"name\": \"query\", …]", at: node)
            return []
        }
        // The members of a protocol are requirements.
        guard let place = context.lexicalContext.first, place.asProtocol((any DeclGroupSyntax).self) != nil,
            !place.is(ProtocolDeclSyntax.self)
        else {
            context.report(
                "queries", "the queries become static properties: write this in a type or an extension, and not here",
                at: node)
            return []
        }
        var declarations: [DeclSyntax] = []
        for entry in entries {
            guard let name = entry.key.as(StringLiteralExprSyntax.self)?.representedLiteralValue,
                TokenSyntax.identifier(name).variableText == name
            else {
                context.report(
                    "queries", "expected the name of a property, as a literal; write keywords in backticks",
                    at: entry.key)
                continue
            }
            guard let query = QueryCheck(entry.value, options: node.options, in: context) else { continue }
            if let value = query.literal.values.first {
                context.report(
                    "queries", "there is nothing to interpolate here: write #query where the value is known",
                    at: value.expression)
                continue
            }
            declarations.append(
                """
                nonisolated static var \(raw: name): \
                StanzaQuery.\(raw: query.hasPattern ? "Query" : "CheckedQuery")<\(raw: query.result.qualified)> {
                    \(query.expansion())
                }
                """)
        }
        return declarations
    }
}
