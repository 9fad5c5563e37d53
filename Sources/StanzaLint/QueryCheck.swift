// What is wrong with one query, or probably is.

import QuerySyntax
import StanzaQuery

/// Looks at a query in a call.
struct QueryCheck {
    /// A finding, with its place in the query.
    struct Finding {
        let rule: LintRule
        let message: String
        var hint: String?
        let range: SourceRange
    }

    private let call: QueryCall
    private let text: QueryText
    let query: ParsedQuery

    init(_ call: QueryCall) {
        self.call = call
        text = QueryText(shownAs: call.literal.text, slots: call.literal.slots)
        // Where there are slots, there are no specifiers.
        let isTemplate = call.takesOnlySlots || !text.slots.isEmpty
        query = isTemplate ? ParsedQuery(parsing: text) : ParsedQuery(parsing: text.source)
    }

    /// All that is wrong; warnings only where there is no error.
    var findings: [Finding] {
        if call.isSpliced { return [spliced] }
        if call.takesOnlySlots, !query.diagnostics.isEmpty { return query.diagnostics.map(Self.finding) }
        do throws(QueryError) {
            let compiled = try compile()
            return (argumentCount(compiled) + warnings).sorted { $0.range.lowerBound < $1.range.lowerBound }
        } catch {
            return error.diagnostics.map(Self.finding)
        }
    }

    /// The query as the program has it. Which values it has makes no difference to what is wrong.
    private func compile() throws(QueryError) -> Query {
        if text.slots.isEmpty { return try Query(text.source) }
        let source = Array(text.source.utf8)
        var pieces = InterpolatedQuery.StringInterpolation(
            literalCapacity: source.count, interpolationCount: text.slots.count)
        var start = 0
        for slot in text.slots {
            pieces.appendLiteral(String(decoding: source[start..<slot.lowerBound], as: UTF8.self))
            pieces.appendInterpolation("value")
            start = slot.upperBound
        }
        pieces.appendLiteral(String(decoding: source[start...], as: UTF8.self))
        return try Query(InterpolatedQuery(stringInterpolation: pieces))
    }

    private static func finding(_ diagnostic: Diagnostic) -> Finding {
        let repair = diagnostic.repair.map { "did you mean '\($0)'?" }
        let hints = [diagnostic.expectation, repair].compactMap { $0 }
        return Finding(
            rule: .error(diagnostic.kind), message: diagnostic.message,
            hint: hints.isEmpty ? nil : hints.joined(separator: "; "), range: diagnostic.range)
    }

    private func argumentCount(_ compiled: Query) -> [Finding] {
        guard let given = call.argumentCount, given != compiled.argumentCount else { return [] }
        let wanted = compiled.argumentCount
        return [
            Finding(
                rule: .error(.arguments),
                message: "the query takes \(wanted) argument\(wanted == 1 ? "" : "s"), the call gives \(given)",
                range: 0..<text.source.utf8.count)
        ]
    }

    // MARK: Warnings

    private var spliced: Finding {
        Finding(
            rule: .splicedInterpolation,
            message: "beside a String this literal is one: what is interpolated is read as a part of the query",
            hint: "write the literal alone in its call", range: text.slots.first ?? 0..<text.source.utf8.count)
    }

    private var warnings: [Finding] {
        // An option may say that values which differ in case only are the same.
        (call.hasOptions ? [] : contradictions) + query.tree.segments.flatMap(names(in:)) + extractedName
            + textOfChildren + checkOfBool + truthOfBool + formInX
    }

    private var textOfChildren: [Finding] {
        let segments = query.tree.segments
        guard case .text? = query.tree.extraction, segments.count > 1, let last = segments.last, last.range.isEmpty,
            case .elements = last.step, let range = query.tree.extractionRange
        else { return [] }
        let before = query.text(in: segments[segments.count - 2].range)
        return [
            Finding(
                rule: .textOfChildren, message: "'\(before)/#' is the text of all children of '\(before)'",
                hint: "did you mean '\(before)#'? Write '*#' for the children", range: range)
        ]
    }

    private var checkOfBool: [Finding] {
        guard call.name == "check" || call.isChecked, query.tree.conversion == .bool,
            let range = query.tree.conversionRange
        else { return [] }
        return [
            Finding(
                rule: .checkOfBool, message: "check tells whether there is a result, and 'false' is one",
                hint: "find the value, or check with a filter", range: range)
        ]
    }

    private var truthOfBool: [Finding] {
        guard call.name == "findFirst", call.isCondition, query.tree.conversion == .bool,
            let range = query.tree.conversionRange
        else { return [] }
        return [
            Finding(
                rule: .truthOfBool, message: "an object is true whenever there is one, also that of 'false'",
                hint: "ask it for its boolValue, or check without '|bool'", range: range)
        ]
    }

    private var formInX: [Finding] {
        guard case .form? = query.tree.extraction, let last = query.tree.segments.last,
            case .elements(let test) = last.step, case .named(let name) = test.name, name == "x",
            case .inherited = test.namespace
        else { return [] }
        return [
            Finding(
                rule: .formInX, message: "'x' has the namespace of its parent here, and forms have not",
                hint: "leave out the 'x': a form query alone means '{jabber:x:data}x'", range: last.range)
        ]
    }
}

extension String {
    /// Code point by code point, as the language compares.
    func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
