// #query("…"): a query that has been checked, as an expression.
//
// The library declares the macro several times, because the compiler decides a macro's type before it expands it. One
// declaration is for a known type of results, from the context or between angle brackets, one for elements, the
// default, and one for `check`, which needs no type. `#query(regex:)` has the first two.

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// The macro `#query` with a known type of the results.
enum QueryMacro: ExpressionMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> ExprSyntax {
        guard let query = check(node, in: context) else { return dummy(node) }
        guard let written = writtenTypes(of: node) else { return query.expansion() }
        let name = written.trimmedDescription
        if query.result.differs(from: name) {
            refuse(written, for: query, in: context)
            return dummy(node)
        }
        let type = query.result.isNamed(name) ? query.result.qualified : name
        return query.expansion(as: type)
    }
}

/// The macro `#query` for elements.
enum ElementQueryMacro: ExpressionMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> ExprSyntax {
        guard let query = check(node, in: context) else { return dummy(node) }
        let name = query.result.name
        // The compiler comes here with a type that is none of results, with several, and where elements are expected.
        if let written = writtenTypes(of: node) {
            if !query.result.isNamed(written.trimmedDescription) {
                refuse(written, for: query, in: context)
                return dummy(node)
            }
            if query.result != .element {
                // The compiler refuses `check` and a set's `insert` of a Boolean query, and then tries elements.
                let hint = name == "Bool" ? ": 'false' is a result, too; write 'findFirst(…) == true'" : ""
                context.report("type", "the query gives \(name), but elements are expected here\(hint)", at: written)
                return dummy(node)
            }
        }
        if query.result != .element {
            let macro = TokenSyntax.identifier("\(node.macroName.text)<\(name)>")
            let fixIt = FixIt(
                message: MacroMessage(message: "did you mean '#\(macro.text)'?", id: "type"),
                changes: [.replace(oldNode: Syntax(node.macroName), newNode: Syntax(macro))])
            context.report(
                "type",
                "the query gives \(name), but elements are expected here: write '#\(macro.text)(…)', or use it where \(name) is expected",
                at: node.macroName, fixIts: [fixIt])
            return dummy(node)
        }
        return query.expansion()
    }
}

/// The macro `#query` for results of any kind, whose existence `check` asks for.
enum ExistenceQueryMacro: ExpressionMacro {
    static func expansion(
        of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
    ) throws -> ExprSyntax {
        guard let query = check(node, in: context) else { return dummy(node) }
        if query.result.name == "Bool" {
            context.report(
                "type", "'false' is a result, too: write 'findFirst(…) == true' instead of 'check(…)'",
                at: node.macroName)
            return dummy(node)
        }
        return query.expansion(as: "StanzaQuery.QueryValue")
    }
}

/// The checked argument. It has the label `regex` if the query may exceed the limit of a regular expression.
private func check(
    _ node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
) -> QueryCheck? {
    guard let argument = node.arguments.first else {
        context.report("literal", "expected a string literal", at: node)
        return nil
    }
    let query = QueryCheck(argument.expression, options: node.options, in: context)
    guard let query, query.hasPattern != node.isOfRegex else { return query }
    var changed = argument
    changed.label = query.hasPattern ? .identifier("regex") : nil
    changed.colon = query.hasPattern ? .colonToken(trailingTrivia: .space) : nil
    let repaired = "#query(\(query.hasPattern ? "regex: " : "")…)"
    let fixIt = FixIt(
        message: MacroMessage(message: "did you mean '\(repaired)'?", id: "regex"),
        changes: [.replace(oldNode: Syntax(argument), newNode: Syntax(changed))])
    let reason =
        query.hasPattern
        ? "a regular expression may exceed its limit: write '\(repaired)', and 'try' before the call"
        : "no regular expression, which may exceed its limit: write '\(repaired)', without 'try'"
    context.report("regex", reason, at: argument.expression, fixIts: [fixIt])
    return nil
}

extension FreestandingMacroExpansionSyntax {
    /// The argument `options`.
    var options: ExprSyntax? { arguments.first { $0.label?.text == "options" }?.expression }

    /// Whether it is `#query(regex:)`.
    fileprivate var isOfRegex: Bool { arguments.first?.label?.text == "regex" }
}

/// The content of the angle brackets: one type, in a correct program.
private func writtenTypes(of node: some FreestandingMacroExpansionSyntax) -> GenericArgumentListSyntax? {
    node.genericArgumentClause?.arguments
}

/// Reports that a query does not give the written type.
private func refuse(
    _ written: GenericArgumentListSyntax, for query: QueryCheck, in context: some MacroExpansionContext
) {
    let name = query.result.name
    let fixIt = FixIt(
        message: MacroMessage(message: "did you mean '\(name)'?", id: "type"),
        changes: [.replace(oldNode: Syntax(written), newNode: Syntax(TokenSyntax.identifier(name)))])
    context.report(
        "type", "the query gives \(name), not \(written.trimmedDescription)", at: written, fixIts: [fixIt])
}

/// A query of any type: it replaces a query with a reported mistake, so that the compiler reports no second one.
private func dummy(_ node: some FreestandingMacroExpansionSyntax) -> ExprSyntax {
    "StanzaQuery._CheckedTemplate(\":\")()\(raw: node.isOfRegex ? ".query" : "")"
}
