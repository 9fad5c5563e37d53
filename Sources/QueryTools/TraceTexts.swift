// The texts of a trace: instructions, places and results in a few words each, on one line.
//
// Many steps have the same instruction or element. Each text is made once, and none is longer than
// `QueryTrace.maximumTextLength`.

import QuerySyntax
import StanzaQuery
import XMLTree

struct TraceTexts {
    private let disassembler: Disassembler
    /// Those of one tree.
    private var paths = IndexPaths<Element>()
    private var pathTexts: [NodeIndex: String] = [:]
    private var instructions: [Int: String] = [:]

    init(_ disassembler: Disassembler) {
        self.disassembler = disassembler
    }

    mutating func instruction(at address: Int) -> String {
        if let known = instructions[address] { return known }
        let text = disassembler.describe(at: address).cut(to: QueryTrace.maximumTextLength)
        instructions[address] = text
        return text
    }

    /// The names from the root down: `iq/query/item[2]`; of a long path the end.
    mutating func path(of element: Element) -> String {
        if let known = pathTexts[element.index] { return known }
        var indexes = paths.path(of: element)[...]
        var parts: [String] = []
        var length = 0
        var next: Element? = element
        while let element = next {
            let index = indexes.popLast().map { "[\($0)]" } ?? ""
            // Half of the room, so that a long name leaves some to its parent's.
            let room = QueryTrace.maximumTextLength / 2
            let part = escapedText(element.name.cut(to: room)).cut(to: room) + index
            length += part.unicodeScalars.count
            if length > QueryTrace.maximumTextLength {
                parts.append("…")
                break
            }
            parts.append(part)
            next = element.parent
        }
        let text = parts.reversed().joined(separator: "/")
        pathTexts[element.index] = text
        return text
    }

    mutating func result(_ value: QueryValue) -> String {
        switch value {
        case .element(let element): "the element \(path(of: element))"
        case .form(let form): "the form \(path(of: form.element))"
        case .string(let string): quoted(string)
        case .attributes(let attributes):
            "[\(attributes.map { "\(quoted($0.key)): \(quoted($0.value))" }.joined(separator: ", "))]"
                .cut(to: QueryTrace.maximumTextLength)
        case .bool(let bool): bool.description
        case .int(let int): int.description
        case .uint(let uint): uint.description
        case .double(let double): double.description
        case .date(let date): date.description
        case .data(let data): "\(data.count) bytes"
        case .uuid(let uuid): uuid.uuidString
        case .field(let field): "the field \(field.name.map(quoted) ?? "without name")"
        }
    }

    /// Text between quotes, on one line; `…` follows if the text is longer.
    private func quoted(_ text: String) -> String {
        let beginning = text.unicodeScalars.prefix(QueryTrace.maximumTextLength)
        let isCut = beginning.endIndex < text.unicodeScalars.endIndex
        return quotedText(String(beginning)) + (isCut ? "…" : "")
    }
}

extension String {
    /// The text, or so many of its scalars and `…`.
    fileprivate func cut(to count: Int) -> String {
        let beginning = unicodeScalars.prefix(count)
        return beginning.endIndex < unicodeScalars.endIndex ? String(beginning) + "…" : self
    }
}
