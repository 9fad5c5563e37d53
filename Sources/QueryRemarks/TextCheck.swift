// Finds parts of a query's text that are legal but probably not intended, for the linter, the commands, the macros and
// the playground. It does not depend on source code.

import QuerySyntax

/// Checks the text of a query that compiles.
package struct TextCheck {
    let query: ParsedQuery
    /// Whether values that differ in case only may be equal.
    private let ignoresCase: Bool

    package init(_ query: ParsedQuery, ignoresCase: Bool = false) {
        self.query = query
        self.ignoresCase = ignoresCase
    }

    /// All remarks, in the order of the text.
    package var remarks: [QueryRemark] {
        let ofNodes = query.tree.nodes.flatMap { [name(of: $0), value(of: $0)] }.compactMap(\.self)
        let remarks = (ignoresCase ? [] : contradictions) + ofNodes + textOfChildren + formInX
        return remarks.stablySorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    private var textOfChildren: [QueryRemark] {
        let steps = query.tree.nodes.filter(\.isStep)
        guard case .text? = query.tree.extraction, steps.count > 1, let last = steps.last, last.range.isEmpty,
            case .elements = last.content, let range = query.tree.extractionRange
        else { return [] }
        let before = query.text(in: steps[steps.count - 2].range)
        return [
            QueryRemark(
                kind: .textOfChildren, message: "'\(before)/#' is the text of all children of '\(before)'",
                hint: "did you mean '\(before)#'? Write '*#' for the children", range: range)
        ]
    }

    /// The remark on a value written as in other languages: in quotes, or after two equals signs. The language compares
    /// a value as written.
    private func value(of node: QueryNode) -> QueryRemark? {
        guard case .filter(let filter) = node.content else { return nil }
        if case .matches = filter.condition { return nil }
        let name = query.tree.text(in: filter.name)
        let value = query.tree.text(in: filter.value).utf8
        let compared = value.drop { $0 == UInt8(ascii: "=") }
        let inner = Self.unquoted(compared)
        let isDoubled = value.first == UInt8(ascii: "=")
        if !isDoubled, inner.count == value.count { return nil }
        return QueryRemark(
            kind: isDoubled ? .doubledEquals : .quotedValue,
            message: isDoubled
                ? "the value begins with '=', which is compared, too"
                : "the quotes are a part of the value, and are compared, too",
            hint: inner.isEmpty ? nil : "did you mean '<\(name)=\(Substring(inner))>'?", range: node.range)
    }

    private static func unquoted(_ value: Substring.UTF8View) -> Substring.UTF8View {
        guard let quote = value.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\""),
            value.count > 1, value.last == quote
        else { return value }
        return value.dropFirst().dropLast()
    }

    private var formInX: [QueryRemark] {
        guard case .form? = query.tree.extraction, let last = query.tree.nodes.last(where: \.isStep),
            case .elements(let test) = last.content, case .named(let name) = test.name,
            query.tree.text(of: name) == "x", case .inherited = test.namespace
        else { return [] }
        return [
            QueryRemark(
                kind: .formInX, message: "'x' has the namespace of its parent here, and forms have not",
                hint: "leave out the 'x': a form query alone means '{jabber:x:data}x'", range: last.range)
        ]
    }
}
