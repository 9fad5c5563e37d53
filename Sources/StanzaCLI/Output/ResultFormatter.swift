// Results as bytes: as lines of text, as JSON, as a document of XML, as a number, or not at all.

import SafeText
import StanzaQuery
import XMLTree

/// What is printed of results.
enum OutputFormat: Sendable {
    /// One line for each: `ResultLine.swift`.
    case text
    /// One JSON object in a line for each, in the forms of suites.
    case json
    /// One document with all of them.
    case xml
    /// How many there are.
    case count
    /// Nothing: the exit code tells.
    case nothing
}

/// Where a stanza came from.
struct ResultSource {
    let file: String
    let line: Int

    /// `FILE:LINE`, with what a line cannot hold escaped.
    var text: String { "\(file.asFileName):\(line)" }

    /// As a member of a result in JSON.
    fileprivate var member: JSONMember {
        let place = [
            JSONMember(name: "file", value: .string(file.withoutBytes)), JSONMember(name: "line", value: .number(line)),
        ]
        return JSONMember(name: "source", value: .object(place))
    }
}

/// Makes bytes of the results of one search.
struct ResultFormatter: Sendable {
    let format: OutputFormat
    /// Whether each result tells where its stanza came from.
    let showsSource: Bool

    /// Whether single results are not shown.
    fileprivate var isSilent: Bool { format == .count || format == .nothing }

    /// What stands before all results.
    var beginning: String { format == .xml ? "<?xml version='1.0' encoding='UTF-8'?>\n<results>\n" : "" }

    /// What stands behind all results, when there were so many.
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

    /// Elements stand in the document as they are, other results as `<result>`. With a source, all have a `<result>`
    /// that names it.
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

/// The results of one stanza as bytes, piece by piece. An element takes the namespaces in scope with it, so results may
/// be many thousand times as long as their stanza. No piece takes long: the caller can look at Ctrl-C between two.
struct ResultPieces {
    private let formatter: ResultFormatter
    private let results: [QueryValue<Element>]
    private let source: ResultSource
    private var paths = IndexPaths<Element>()
    private var next = 0

    /// A piece ends with the result that makes it so long. That takes some milliseconds.
    static let length = 1 << 18
    /// A piece ends after so many results, however short they are: the paths of deep elements take their time.
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
