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
        let remarks =
            (ignoresCase ? [] : contradictions) + query.tree.segments.flatMap { names(in: $0) + values(in: $0) }
            + extractedName + textOfChildren + formInX
        return remarks.stablySorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    private var textOfChildren: [QueryRemark] {
        let segments = query.tree.segments
        guard case .text? = query.tree.extraction, segments.count > 1, let last = segments.last, last.range.isEmpty,
            case .elements = last.step, let range = query.tree.extractionRange
        else { return [] }
        let before = query.text(in: segments[segments.count - 2].range)
        return [
            QueryRemark(
                kind: .textOfChildren, message: "'\(before)/#' is the text of all children of '\(before)'",
                hint: "did you mean '\(before)#'? Write '*#' for the children", range: range)
        ]
    }

    /// The remarks on values written as in other languages: in quotes, or after two equals signs. The language compares
    /// a value as written.
    private func values(in segment: Segment) -> [QueryRemark] {
        segment.filters.compactMap { filter in
            guard case .equals = filter.condition else { return nil }
            let name = query.text(in: filter.attributeRange)
            // The text between '=' and '>'.
            let value = query.text(in: (filter.attributeRange.upperBound + 1)..<(filter.range.upperBound - 1)).utf8
            let compared = value.drop { $0 == UInt8(ascii: "=") }
            let inner = Self.unquoted(compared)
            let isDoubled = value.first == UInt8(ascii: "=")
            if !isDoubled, inner.count == value.count { return nil }
            return QueryRemark(
                kind: isDoubled ? .doubledEquals : .quotedValue,
                message: isDoubled
                    ? "the value begins with '=', which is compared, too"
                    : "the quotes are a part of the value, and are compared, too",
                hint: inner.isEmpty ? nil : "did you mean '<\(name)=\(Substring(inner))>'?", range: filter.range)
        }
    }

    private static func unquoted(_ value: Substring.UTF8View) -> Substring.UTF8View {
        guard let quote = value.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\""),
            value.count > 1, value.last == quote
        else { return value }
        return value.dropFirst().dropLast()
    }

    private var formInX: [QueryRemark] {
        guard case .form? = query.tree.extraction, let last = query.tree.segments.last,
            case .elements(let test) = last.step, case .named(let name) = test.name, name == "x",
            case .inherited = test.namespace
        else { return [] }
        return [
            QueryRemark(
                kind: .formInX, message: "'x' has the namespace of its parent here, and forms have not",
                hint: "leave out the 'x': a form query alone means '{jabber:x:data}x'", range: last.range)
        ]
    }
}
