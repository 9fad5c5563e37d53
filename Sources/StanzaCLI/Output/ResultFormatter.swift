// Results as bytes: as lines of text, as JSON, as a document of XML, as a number, or not at all.

import SafeText
import StanzaQuery
import XMLTree

/// The output for results.
enum OutputFormat: Sendable {
    /// One line for each: `ResultLine.swift`.
    case text
    /// One JSON object in a line for each, in the forms of suites.
    case json
    /// One document with all of them.
    case xml
    /// How many there are.
    case count
    /// Nothing: the exit code is the answer.
    case nothing
}

/// The place of a stanza.
struct ResultSource {
    let file: String
    let line: Int

    /// `FILE:LINE`, with line breaks and the like escaped.
    var text: String { "\(file.asFileName):\(line)" }

    /// As a member of a result in JSON.
    fileprivate var member: JSONMember {
        let place = [
            JSONMember(name: "file", value: .string(file.withoutBytes)), JSONMember(name: "line", value: .number(line)),
        ]
        return JSONMember(name: "source", value: .object(place))
    }
}

/// Formats the results of one search as bytes.
struct ResultFormatter: Sendable {
    let format: OutputFormat
    /// Whether each result shows the place of its stanza.
    let showsSource: Bool

    /// Whether single results are not shown.
    fileprivate var isSilent: Bool { format == .count || format == .nothing }

    /// The output before all results.
    var beginning: String { format == .xml ? "<?xml version='1.0' encoding='UTF-8'?>\n<results>\n" : "" }

    /// The output after all results, with their number.
    func end(behind count: Int) -> String {
        switch format {
        case .xml: "</results>\n"
        case .count: "\(count)\n"
        case .text, .json, .nothing: ""
        }
    }

    /// The results of one stanza, to be appended piece by piece.
    func pieces(of results: [QueryValue<Element>], from source: ResultSource) -> ResultPieces {
        ResultPieces(self, results, from: source)
    }

    fileprivate func append(
        _ result: QueryValue<Element>, from source: ResultSource, _ paths: inout IndexPaths<Element>,
        to bytes: inout [UInt8]
    ) {
        switch format {
        case .text:
            if showsSource { bytes += "\(source.text):".utf8 }
            result.writeLine(to: &bytes)
            bytes.append(UInt8(ascii: "\n"))
        case .json:
            let members = PlainResult(result, paths: &paths).members + (showsSource ? [source.member] : [])
            bytes += JSONValue.object(members).text.utf8
            bytes.append(UInt8(ascii: "\n"))
        case .xml:
            append(result, from: showsSource ? source : nil, to: &bytes)
        case .count, .nothing:
            break
        }
    }

    /// The document contains elements as they are, and other results as `<result>`. With a source, every result is in a
    /// `<result>` that names it.
    private func append(_ result: QueryValue<Element>, from source: ResultSource?, to bytes: inout [UInt8]) {
        let attribute = source.map { " source='\("\($0.file.withoutBytes):\($0.line)".spelled(.xml))'" } ?? ""
        let element = result.element ?? result.form?.element
        let isWrapped = element == nil || source != nil
        let start = bytes.count
        if isWrapped { bytes += "<result\(attribute)>".utf8 }
        if let element {
            element.write(to: &bytes)
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
    private let results: [QueryValue<Element>]
    private let source: ResultSource
    private var paths = IndexPaths<Element>()
    private var next = 0

    /// The length at which a piece ends. A piece takes some milliseconds.
    static let length = 1 << 18
    /// The number of results at which a piece ends, however short they are: the paths of deep elements take time.
    private static let maximumCount = 64

    fileprivate init(_ formatter: ResultFormatter, _ results: [QueryValue<Element>], from source: ResultSource) {
        self.formatter = formatter
        self.results = results
        self.source = source
    }

    var isAtEnd: Bool { next == results.count }

    /// Appends the next piece. Returns how many results are in it.
    mutating func append(to bytes: inout [UInt8]) -> Int {
        let (first, start) = (next, bytes.count)
        if formatter.isSilent {
            next = results.count
        }
        while !isAtEnd, next - first < Self.maximumCount, bytes.count - start < Self.length {
            formatter.append(results[next], from: source, &paths, to: &bytes)
            next += 1
        }
        return next - first
    }
}
