// Draws a diagnostic under the query: a pure function from texts and a range to lines (7.3). It does not depend on the
// kind of mistake.

/// Draws a remark on a piece of a query, in three lines.
///
/// The query stays on one line: control and format characters are replaced, one for one. The caret counts scalars, so a
/// terminal shows it aside of combining and wide characters. A long query is cut to a window around the mistake.
package func drawRemark(_ headline: String, at range: SourceRange, hint: String?, in query: String) -> String {
    let window = DrawingWindow(around: range, in: query)
    let pad = String(repeating: " ", count: window.column)
    let line = "^" + String(repeating: "~", count: max(0, window.width - 1))
    return "\(headline)\n  \(window.text)\n  \(pad)\(line)" + (hint.map { " \($0)" } ?? "")
}

/// The part of a query that is drawn, and where the mistake is in it. Columns count scalars.
private struct DrawingWindow {
    let text: String
    let column: Int
    let width: Int

    init(around range: SourceRange, in query: String) {
        let utf8 = query.utf8
        let start =
            utf8.index(utf8.startIndex, offsetBy: max(0, range.lowerBound), limitedBy: utf8.endIndex) ?? utf8.endIndex
        let end = utf8.index(start, offsetBy: range.count, limitedBy: utf8.endIndex) ?? utf8.endIndex
        let scalars = query.unicodeScalars
        let limit = QueryLimits.drawnScalars

        // The mistake gets room first, then the text before it, then the text after it.
        let marked = scalars[start..<end].prefix(limit)
        let followingWish = min(limit / 4, scalars[marked.endIndex...].prefix(limit).count)
        let before = scalars[..<start].suffix(max(0, limit - marked.count - followingWish))
        let after = scalars[marked.endIndex...].prefix(limit - marked.count - before.count)

        let isCutBefore = before.startIndex > scalars.startIndex
        let isCutAfter = after.endIndex < scalars.endIndex
        text =
            (isCutBefore ? "…" : "") + visibleScalars(String(scalars[before.startIndex..<after.endIndex]))
            + (isCutAfter ? "…" : "")
        column = before.count + (isCutBefore ? 1 : 0)
        width = marked.count
    }
}

/// A text on one line, scalar for scalar: control characters become their pictures, invisible ones and those that turn
/// the direction of writing a replacement character. The result has no character that controls a terminal.
package func visibleScalars(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { $0 += String($1.picture) }
}

extension Unicode.Scalar {
    /// The picture of the scalar in a drawing.
    fileprivate var picture: Unicode.Scalar {
        switch (value, properties.generalCategory) {
        case (0..<0x20, _): Unicode.Scalar(0x2400 + value) ?? "\u{FFFD}"
        case (0x7F, _): "\u{2421}"
        case (_, .control), (_, .format), (_, .lineSeparator), (_, .paragraphSeparator), (_, .unassigned): "\u{FFFD}"
        default: self
        }
    }
}
