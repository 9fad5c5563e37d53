// Checks a query at compile time: QuerySyntax reads its text, PCRE2 its regular expressions. The macro reports mistakes
// in the literal, and probable mistakes as warnings.

import QueryRemarks
import QuerySyntax
import StanzaPatterns
import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// A literal that holds a query without mistakes.
struct QueryCheck {
    let literal: QueryLiteral
    let result: QueryResultName
    /// Whether its evaluation may exceed the limit of a regular expression.
    let hasPattern: Bool
    /// The options as a further argument, or nothing.
    let options: String

    /// `nil` when something is wrong, which then has been reported.
    init?(_ expression: ExprSyntax, options: ExprSyntax?, in context: some MacroExpansionContext) {
        guard let string = expression.as(StringLiteralExprSyntax.self) else {
            context.report("literal", "expected a string literal, which can be checked", at: expression)
            return nil
        }
        let literal: QueryLiteral
        do throws(QueryLiteral.Fault) {
            literal = try QueryLiteral(string)
        } catch {
            if !error.message.isEmpty { context.report("interpolation", error.message, at: error.node) }
            return nil
        }
        let query = ParsedQuery(parsing: literal.text)
        let mistakes = query.diagnostics + Self.invalidPatterns(in: query.tree)
        let sorted = mistakes.stablySorted { $0.range.lowerBound < $1.range.lowerBound }
        for mistake in sorted.prefix(QueryLimits.diagnostics) {
            let fixIts = mistake.fix.flatMap { fix in
                literal.change(for: fix).map { change in
                    FixIt(
                        message: MacroMessage(message: "did you mean '\(fix.shown)'?", id: "query"), changes: [change])
                }
            }
            context.report(
                "query", Self.message(mistake, in: query.source),
                at: literal.node(at: mistake.range.lowerBound) ?? Syntax(string), fixIts: fixIts.map { [$0] } ?? [])
        }
        guard mistakes.isEmpty else { return nil }
        for remark in TextCheck(query, ignoresCase: options != nil).remarks.prefix(QueryLimits.diagnostics) {
            let node = literal.node(at: remark.range.lowerBound) ?? Syntax(string)
            context.warn("remark", remark.drawn(in: query.source), at: node)
        }
        self.literal = literal
        result = QueryResultName(query.tree)
        hasPattern = !Self.patterns(in: query.tree).isEmpty
        self.options = options.map { ", options: \($0.trimmedDescription)" } ?? ""
    }

    /// The expansion.
    ///
    /// - Parameter type: The type of the results; `nil` for that of the text.
    func expansion(as type: String? = nil) -> ExprSyntax {
        let template = "StanzaQuery._CheckedTemplate<\(type ?? result.qualified)>"
        let values = literal.values.map { value in
            let expression = value.expression.trimmedDescription
            guard let fallback = value.fallback else { return "(\(expression)).queryArgument" }
            return "\(template).argument(\(expression), default: \(fallback.trimmedDescription))"
        }
        let query = "\(template)(\(literal.encoded)\(options))(\(values.joined(separator: ", ")))"
        return "\(raw: query)\(raw: hasPattern ? ".query" : "")"
    }

    /// The message with the drawing of the query, without the word that the compiler adds itself.
    private static func message(_ mistake: QuerySyntax.Diagnostic, in source: String) -> String {
        let drawing = mistake.rendered(in: source)
        return drawing.hasPrefix("error: ") ? String(drawing.dropFirst("error: ".count)) : drawing
    }

    private static func invalidPatterns(in tree: QueryTree) -> [QuerySyntax.Diagnostic] {
        patterns(in: tree).compactMap { pattern in
            do throws(Regex.CompileError) {
                _ = try Regex.compiled(tree.text(in: pattern), isCompiledFurther: false)
                return nil
            } catch {
                return Diagnostic(.invalidRegex(message: error.message, offset: error.offset), at: pattern.range)
            }
        }
    }

    private static func patterns(in tree: QueryTree) -> [TextRange] {
        tree.nodes.compactMap { node in
            guard case .filter(let filter) = node.content, case .matches = filter.condition else { return nil }
            return filter.value
        }
    }
}
