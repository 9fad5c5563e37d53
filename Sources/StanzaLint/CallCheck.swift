// The mistakes and probable mistakes in the query of one call. QueryRemarks finds those that the text alone shows.

import QueryRemarks
import QuerySyntax
import StanzaQuery

/// A mistake or a probable mistake in a query, with its place in it.
struct QueryFinding {
    let rule: LintRule
    let message: String
    var hint: String?
    let range: SourceRange
}

/// Checks a query in a call.
struct CallCheck {
    private let call: QueryCall
    private let text: QueryText
    let query: ParsedQuery

    init(_ call: QueryCall) {
        self.call = call
        text = QueryText(shownAs: call.literal.text, slots: call.literal.slots)
        // With slots, specifiers are not available.
        let isTemplate = call.takesOnlySlots || !text.slots.isEmpty
        query = isTemplate ? ParsedQuery(parsing: text) : ParsedQuery(parsing: text.source)
    }

    /// All mistakes; warnings only if the query compiles.
    var findings: [QueryFinding] {
        if call.isSpliced { return [spliced] }
        if call.takesOnlySlots, !query.diagnostics.isEmpty { return query.diagnostics.map(Self.finding) }
        do throws(QueryError) {
            let compiled = try compile()
            return (argumentCount(compiled) + warnings).sorted { $0.range.lowerBound < $1.range.lowerBound }
        } catch {
            return error.diagnostics.map(Self.finding)
        }
    }

    /// The query as the program has it. Its values make no difference to its mistakes.
    private func compile() throws(QueryError) -> Query<QueryValue> {
        if text.slots.isEmpty { return try Query(text.source) }
        let source = Array(text.source.utf8)
        var pieces = QueryLiteral.StringInterpolation(
            literalCapacity: source.count, interpolationCount: text.slots.count)
        var start = 0
        for slot in text.slots {
            pieces.append(text: String(decoding: source[start..<slot.lowerBound], as: UTF8.self))
            pieces.appendInterpolation("value")
            start = slot.upperBound
        }
        pieces.append(text: String(decoding: source[start...], as: UTF8.self))
        return try Query(QueryLiteral(stringInterpolation: pieces))
    }

    private static func finding(_ diagnostic: Diagnostic) -> QueryFinding {
        let repair = diagnostic.repair.map { "did you mean '\($0)'?" }
        let hints = [diagnostic.expectation, repair].compactMap { $0 }
        return QueryFinding(
            rule: .error(diagnostic.kind), message: diagnostic.message,
            hint: hints.isEmpty ? nil : hints.joined(separator: "; "), range: diagnostic.range)
    }

    private func argumentCount(_ compiled: Query<QueryValue>) -> [QueryFinding] {
        guard let given = call.argumentCount, given != compiled.argumentCount else { return [] }
        let wanted = compiled.argumentCount
        return [
            QueryFinding(
                rule: .error(.arguments),
                message: "the query takes \(wanted) argument\(wanted == 1 ? "" : "s"), the call gives \(given)",
                range: 0..<text.source.utf8.count)
        ]
    }

    // MARK: Warnings

    private var spliced: QueryFinding {
        QueryFinding(
            rule: .splicedInterpolation,
            message: "beside a String, this literal is a String, too: its interpolated values are read as query text",
            hint: "write the literal alone in its call", range: text.slots.first ?? 0..<text.source.utf8.count)
    }

    private var warnings: [QueryFinding] {
        TextCheck(query, ignoresCase: call.hasOptions).remarks.map {
            QueryFinding(rule: LintRule($0.kind), message: $0.message, hint: $0.hint, range: $0.range)
        } + checkOfBool + truthOfBool
    }

    private var checkOfBool: [QueryFinding] {
        guard call.name == "check" || call.isChecked, query.tree.conversion == .bool,
            let range = query.tree.conversionRange
        else { return [] }
        return [
            QueryFinding(
                rule: .checkOfBool, message: "check asks whether there is a result, and 'false' is one",
                hint: "find the value, or check with a filter", range: range)
        ]
    }

    private var truthOfBool: [QueryFinding] {
        guard call.name == "findFirst", call.isCondition, query.tree.conversion == .bool,
            let range = query.tree.conversionRange
        else { return [] }
        return [
            QueryFinding(
                rule: .truthOfBool, message: "every object is true, also the one of 'false'",
                hint: "ask it for its boolValue, or check without '|bool'", range: range)
        ]
    }
}
