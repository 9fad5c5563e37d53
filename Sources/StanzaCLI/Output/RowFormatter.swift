// The rows of `--row`: one line for each stanza, with a column for each query or member.

import StanzaQuery

/// A column of `--row NAME=QUERY`.
struct RowColumn: Sendable {
    /// The source of its values.
    enum Content: Sendable {
        /// The first result of a query: its text.
        case query(String)
        /// A member of the stanza's line, by the names on the path to it: `.connection`.
        case member([String])
    }

    let name: String
    let content: Content

    /// Reads `NAME=QUERY` or `NAME=.MEMBER`; `nil` without a name of letters, digits, '_' and '-'. A filter has a '=',
    /// too.
    init?(argument: String) {
        guard let end = argument.firstIndex(of: "=") else { return nil }
        name = String(argument[..<end])
        guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }) else {
            return nil
        }
        let value = argument[argument.index(after: end)...]
        // A path with the parent begins with two.
        if value.hasPrefix("."), !value.hasPrefix("..") {
            let path = LineMembers.names(value.dropFirst())
            if path.isEmpty { return nil }
            content = .member(path)
        } else {
            content = .query(String(value))
        }
    }

    var query: String? { if case .query(let text) = content { text } else { nil } }
    var member: [String]? { if case .member(let path) = content { path } else { nil } }
    /// Whether it is a member that a log has, in some of its lines.
    var isOfLogs: Bool { member.map { $0.count == 1 && LogOrigin.names.contains($0[0]) } ?? false }
}

enum RowValue {
    case missing
    case result(QueryValue)
    case member(JSONValue)
}

/// Formats rows as bytes.
struct RowFormatter: Sendable {
    let columns: [RowColumn]
    let format: OutputFormat
    /// Whether the first column is the place of the stanza.
    let showsSource: Bool
    /// Whether the first line has the names of the columns.
    let hasHeader: Bool
    /// How many queries precede those of the columns. With any, only a stanza with a result of one of them has a row.
    let conditions: Int

    /// The output before all rows.
    var beginning: String {
        guard hasHeader, let separator else { return "" }
        let names = (showsSource ? ["source"] : []) + columns.map(\.name)
        return names.joined(separator: separator) + "\n"
    }

    private var separator: String? {
        switch format {
        case .text, .tsv: "\t"
        case .csv: ","
        case .json, .xml, .count, .check: nil
        }
    }

    /// The values of a row; `nil` if the stanza has none.
    ///
    /// - Parameters:
    ///   - results: The first result of each query.
    ///   - members: The members of the stanza's line, in the order of the columns.
    func values(_ results: [QueryValue?], members: [JSONValue]) -> [RowValue]? {
        let deciding = conditions > 0 ? results[..<conditions] : results[...]
        if !deciding.isEmpty, deciding.allSatisfy({ $0 == nil }) { return nil }
        var (query, member) = (conditions, 0)
        return columns.map { column in
            switch column.content {
            case .query:
                defer { query += 1 }
                return results[query].map { .result($0) } ?? .missing
            case .member:
                defer { member += 1 }
                guard members.indices.contains(member) else { return .missing }
                if case .null = members[member] { return .missing }
                return .member(members[member])
            }
        }
    }

    func append(_ values: [RowValue], from source: ResultSource, to bytes: inout [UInt8]) {
        if format.isSilent { return }
        if format == .json {
            bytes.append(UInt8(ascii: "{"))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes += ", ".utf8 }
                JSONValue.string(columns[index].name).write(to: &bytes)
                bytes += ": ".utf8
                value.writeJSON(to: &bytes)
            }
            if showsSource {
                bytes += ", ".utf8
                source.json.writeMembers(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        } else {
            let texts = (showsSource ? [source.plainText] : []) + values.map(\.text)
            for (index, text) in texts.enumerated() {
                if index > 0 { bytes += (separator ?? "").utf8 }
                let isOnly = texts.count == 1
                let field =
                    format == .csv
                    ? Self.quoted(text, isOnly: isOnly) : text.escapedForLine.replacing("\t", with: "\\t")
                bytes += field.utf8
            }
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// A field of RFC 4180. It keeps its line breaks. Readers skip a blank line, so an empty field alone has quotes.
    private static func quoted(_ text: String, isOnly: Bool) -> String {
        if text.isEmpty { return isOnly ? "\"\"" : "" }
        let text = text.split(separator: "\t", omittingEmptySubsequences: false)
            .map { String($0).linesWithoutControls }.joined(separator: "\t")
        let isPlain = !text.utf8.contains { [UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\n")].contains($0) }
        return isPlain ? text : "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}

extension RowValue {
    /// The value as text; empty if it is missing.
    fileprivate var text: String {
        switch self {
        case .missing: ""
        case .result(let result): result.text
        case .member(let value): value.string ?? value.text
        }
    }

    fileprivate func writeJSON(to bytes: inout [UInt8]) {
        switch self {
        case .missing: bytes += "null".utf8
        case .result(let result): result.writeJSONValue(to: &bytes)
        case .member(let value): value.write(to: &bytes)
        }
    }
}
