// A stanza as an outline with the query's mark on each element: `stanza explain --on`.

import DataForms
import QueryTools
import SafeText
import StanzaQuery

/// Draws a stanza with marks.
struct MarkedStanza {
    let inspection: QueryInspection
    let painter: Painter

    /// The maximum number of elements drawn: a reader can use no more.
    static let maximumLines = 2_000
    /// Of a longer line only the beginning is drawn.
    static let maximumWidth = 160
    /// The same for a line of characters that take no column, or of many scalars each.
    static let maximumScalars = 4 * maximumWidth
    /// Deeper elements are not indented further.
    private static let maximumIndentation = 40

    /// A line for each element, then the number of elements of each kind.
    func drawing(of stanza: Element) -> String {
        var text = ""
        var lines = 0
        var counts: [QueryInspection.Mark?: Int] = [:]
        var waiting = [(stanza, 0)]
        while let (element, depth) = waiting.popLast() {
            let mark = inspection.mark(of: element)
            counts[mark, default: 0] += 1
            if lines < Self.maximumLines { text += line(element, depth, mark) }
            lines += 1
            waiting += element.children.reversed().map { ($0, depth + 1) }
        }
        if lines > Self.maximumLines { text += "… \(lines - Self.maximumLines) more elements\n" }
        return text + legend(counts)
    }

    private func line(_ element: Element, _ depth: Int, _ mark: QueryInspection.Mark?) -> String {
        let indentation = String(repeating: "  ", count: min(depth, Self.maximumIndentation))
        var line = Self.sign(of: mark) + " " + indentation + tag(of: element)
        let results = inspection.results(from: element).filter { $0.element == nil && $0.form == nil }
        if !results.isEmpty { line += "  → " + results.map(\.valueLine).joined(separator: ", ") }
        line = line.cut(toScalars: Self.maximumScalars).cut(to: Self.maximumWidth)
        return painter.paint(line, Self.style(of: mark)) + "\n"
    }

    /// The element without its children, as XML in its parent's context.
    private func tag(of element: Element) -> String {
        var bytes: [UInt8] = []
        element.shallowCopy(withText: true).write(
            to: &bytes, in: element.parent?.namespacesInScope ?? .empty, format: .compact)
        bytes.spell(from: 0, as: .references(keepingLineBreaks: false))
        return String(decoding: bytes, as: UTF8.self)
    }

    private func legend(_ counts: [QueryInspection.Mark?: Int]) -> String {
        let kinds: [(QueryInspection.Mark?, String)] = [
            (.matched, "matched"), (.visited, "visited"), (.rejected, "rejected"), (nil, "not examined"),
        ]
        let parts = kinds.map { mark, name in
            let sign = mark == nil ? "" : Self.sign(of: mark) + " "
            return painter.paint("\(sign)\(name): \(counts[mark] ?? 0)", Self.style(of: mark))
        }
        return parts.joined(separator: ", ") + "\n"
    }

    private static func sign(of mark: QueryInspection.Mark?) -> String {
        switch mark {
        case .matched: "+"
        case .visited: "·"
        case .rejected: "-"
        case nil: " "
        }
    }

    private static func style(of mark: QueryInspection.Mark?) -> TextStyle {
        switch mark {
        case .matched: .matched
        case .visited: .visited
        case .rejected: .rejected
        case nil: .quiet
        }
    }
}
