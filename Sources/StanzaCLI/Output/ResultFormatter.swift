// Results as bytes: as lines of text, as JSON, as a document of XML, as a number, or not at all.

import SafeText
import StanzaQuery
import XMLTree

/// The output for results.
enum OutputFormat: String, Sendable {
    /// One line for each: `ResultLine.swift`. The columns of rows are aligned: `ColumnAligner.swift`.
    case text
    /// One JSON object in a line for each: `ElementJSON.swift`.
    case json
    /// One document with all of them.
    case xml
    /// Rows for other programs.
    case csv, tsv
    /// The number of results.
    case count
    /// Nothing: the exit code is the answer.
    case check

    /// Whether single results are not shown.
    var isSilent: Bool { self == .count || self == .check }
}

/// The place of a stanza.
struct ResultSource {
    let file: String
    let position: SourcePosition

    /// `FILE:LINE`, with line breaks and the like escaped.
    var text: String { "\(file.asFileName):\(position.line)" }
    /// `FILE:LINE` for other programs.
    var plainText: String { "\(file.withoutBytes):\(position.line)" }

    /// An object with the place as its member `source`.
    var json: JSONValue {
        let place = [
            JSONMember(name: "file", value: .string(file.withoutBytes)),
            JSONMember(name: "line", value: .number(position.line)),
            JSONMember(name: "offset", value: .number(position.offset)),
        ]
        return .object([JSONMember(name: "source", value: .object(place))])
    }
}

/// Formats the results of one search as bytes.
struct ResultFormatter: Sendable {
    let format: OutputFormat
    /// Whether each result shows the place of its stanza.
    let showsSource: Bool
    /// How many queries have numbers, which their results show. Without numbers, there is one query.
    var numberedQueries = 0
    /// The layout of elements in text and XML.
    var layout = XMLFormat.compact
    /// Paints the number of a query, and the place of a stanza.
    var painter = Painter(isOn: false)

    /// The output before all results.
    var beginning: String { format == .xml ? "<?xml version='1.0' encoding='UTF-8'?>\n<results>\n" : "" }

    /// The output after all results.
    func end(after counts: ResultCounts) -> String {
        switch format {
        case .xml: "</results>\n"
        case .count where numberedQueries == 0: "\(counts.all)\n"
        case .count: (0..<numberedQueries).map { "\($0 + 1):\(counts[$0])\n" }.joined()
        case .text, .json, .csv, .tsv, .check: ""
        }
    }

    /// The results of a query on one stanza, to be appended piece by piece.
    ///
    /// - Parameter query: The place of the query among several, from 0.
    func pieces(of results: [QueryValue], from source: ResultSource, query: Int = 0) -> ResultPieces {
        ResultPieces(self, results, from: source, query)
    }

    fileprivate func append(
        _ result: QueryValue, from source: ResultSource, of query: Int, to bytes: inout [UInt8]
    ) {
        let number = numberedQueries > 0 ? query + 1 : nil
        switch format {
        case .text:
            if let number { bytes += painter.paint("\(number):", .visited).utf8 }
            if showsSource { bytes += painter.paint("\(source.text):", .visited).utf8 }
            result.writeLine(to: &bytes, layout)
            bytes.append(UInt8(ascii: "\n"))
        case .json:
            bytes.append(UInt8(ascii: "{"))
            result.writeJSONMember(to: &bytes)
            if let number { bytes += ", \"query\": \(number)".utf8 }
            if showsSource {
                bytes += ", ".utf8
                source.json.writeMembers(to: &bytes)
            }
            bytes += "}\n".utf8
        case .xml:
            append(result, from: showsSource ? source : nil, query: number, to: &bytes)
        case .csv, .tsv, .count, .check:
            break
        }
    }

    /// The document contains elements as they are, and other results as `<result>`. With a source or a number, every
    /// result is in a `<result>` that has them.
    private func append(
        _ result: QueryValue, from source: ResultSource?, query number: Int?, to bytes: inout [UInt8]
    ) {
        let attributes =
            (number.map { " query='\($0)'" } ?? "")
            + (source.map { " source='\($0.plainText.spelled(.xml))'" } ?? "")
        let element = result.element ?? result.form?.element
        let isWrapped = element == nil || !attributes.isEmpty
        let start = bytes.count
        if isWrapped { bytes += "<result\(attributes)>".utf8 }
        if let element {
            element.write(to: &bytes, format: layout)
        } else {
            bytes.append(result.text, spelled: .xml)
        }
        if isWrapped { bytes += "</result>".utf8 }
        bytes.spell(from: start, as: .references(keepingLineBreaks: true))
        bytes.append(UInt8(ascii: "\n"))
    }
}

/// The results of one stanza as bytes, piece by piece. An element includes the namespaces in scope, so results may be
/// many thousand times as long as their stanza. No piece takes long: the caller can check for Ctrl-C between two.
struct ResultPieces {
    private let formatter: ResultFormatter
    private let results: [QueryValue]
    private let source: ResultSource
    let query: Int
    private var next = 0

    /// The length at which a piece ends. A piece takes some milliseconds.
    static let length = 1 << 18
    /// The number of results at which a piece ends, however short they are: the paths of deep elements take time.
    private static let maximumCount = 64

    fileprivate init(
        _ formatter: ResultFormatter, _ results: [QueryValue], from source: ResultSource, _ query: Int
    ) {
        self.formatter = formatter
        self.results = results
        self.source = source
        self.query = query
    }

    var isAtEnd: Bool { next == results.count }

    /// Appends the next piece. Returns how many results are in it.
    mutating func append(to bytes: inout [UInt8]) -> Int {
        let (first, start) = (next, bytes.count)
        if formatter.format.isSilent {
            next = results.count
        }
        while !isAtEnd, next - first < Self.maximumCount, bytes.count - start < Self.length {
            formatter.append(results[next], from: source, of: query, to: &bytes)
            next += 1
        }
        return next - first
    }
}
