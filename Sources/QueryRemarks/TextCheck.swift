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

    /// The remark on a value as another language has it. This one compares a value as it is written.
    private func value(of node: QueryNode) -> QueryRemark? {
        guard case .filter(let filter) = node.content else { return nil }
        if case .matches = filter.condition { return nil }
        let name = query.tree.text(in: filter.name)
        let value = query.tree.text(in: filter.value)
        guard let (message, condition) = Self.foreign(value, of: name) else { return nil }
        // The whole query, if this is its only doubtful filter.
        let isShown =
            query.source.utf8.count <= QueryLimits.quotedScalars && query.tree.nodes.count(where: \.isFilter) == 1
        let before = isShown ? query.text(in: 0..<node.range.lowerBound) : ""
        let after = isShown ? query.text(in: node.range.upperBound..<query.source.utf8.count) : ""
        return QueryRemark(
            kind: .foreignValue, message: message,
            hint: condition.map { "did you mean '\(before)<\(name)\($0)>\(after)'?" },
            range: node.range)
    }

    /// The meaning of a value here, and the condition that was probably meant.
    private static func foreign(_ value: String, of name: String) -> (message: String, condition: String?)? {
        let compared = value.utf8.drop { $0 == UInt8(ascii: "=") }
        let inner = unquoted(compared)
        if inner.count < value.utf8.count {
            let isDoubled = value.utf8.first == UInt8(ascii: "=")
            let reason = isDoubled ? "the value begins with '=', which is" : inQuotes("value")
            let isPlain = inner.first.map { !"='\"".utf8.contains($0) } ?? false
            return (reason + " compared, too", isPlain ? "=\(Substring(inner))" : nil)
        }
        if isPlaceholder(value) { return ("'\(value)' is compared as text: '%@' is the place of an argument", "=%@") }
        return alternatives(value, of: name).map {
            ("the value is compared as a whole: alternatives need a pattern", "~^(\($0.joined(separator: "|")))$")
        }
    }

    static func inQuotes(_ text: String) -> String { "the quotes are a part of the \(text), and are" }

    /// `?`, `:id`, `$1` or `{}`, as databases and other libraries write places of arguments.
    private static func isPlaceholder(_ value: String) -> Bool {
        if value == "?" || value == "{}" { return true }
        guard let first = value.utf8.first, ":$".utf8.contains(first), value.utf8.count > 1 else { return false }
        return value.utf8.dropFirst().allSatisfy { isWord($0) }
    }

    /// The values in `a or b`, `a|b` and `a or name=b`, if they are words.
    private static func alternatives(_ value: String, of name: String) -> [String]? {
        let parts = value.replacing(" or ", with: "|").split(separator: "|", omittingEmptySubsequences: false)
            .map { part in
                let bare = part.trimmingPrefix(" ").trimmingPrefix(name + "=")
                return String(Substring(unquoted(bare.utf8)))
            }
        return parts.count > 1 && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(isWord) } ? parts : nil
    }

    /// Whether a byte is a letter, a digit, or a mark without a meaning in patterns.
    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39: true
        default: "-_:/".utf8.contains(byte)
        }
    }

    static func unquoted(_ value: Substring.UTF8View) -> Substring.UTF8View {
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

extension QueryNode {
    fileprivate var isFilter: Bool { if case .filter = content { true } else { false } }
}
