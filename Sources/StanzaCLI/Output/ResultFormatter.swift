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

    /// Appends the results of one stanza, until the user interrupts it: an element takes all namespaces in scope with
    /// it, so that the results of one stanza may be a thousand times as long as the stanza.
    ///
    /// - Returns: How many results it has appended.
    func append(
        _ results: [QueryValue<Element>], from source: ResultSource, to bytes: inout [UInt8],
        until isInterrupted: () -> Bool
    ) -> Int {
        if format == .count || format == .nothing { return results.count }
        for (index, piece) in results.chunks(of: Self.uninterruptedResults).enumerated() {
            if index > 0, isInterrupted() { return index * Self.uninterruptedResults }
            append(piece, from: source, to: &bytes)
        }
        return results.count
    }

    /// So many results are appended between two looks at Ctrl-C.
    private static let uninterruptedResults = 64

    private func append(_ results: ArraySlice<QueryValue<Element>>, from source: ResultSource, to bytes: inout [UInt8])
    {
        switch format {
        case .text:
            let prefix = prefix(source)
            for result in results {
                bytes += prefix
                result.writeLine(to: &bytes)
                bytes.append(UInt8(ascii: "\n"))
            }
        case .json:
            var paths = IndexPaths<Element>()
            for result in results {
                let members = PlainResult(result, paths: &paths).members + (showsSource ? [source.member] : [])
                bytes += JSONValue.object(members).text.utf8
                bytes.append(UInt8(ascii: "\n"))
            }
        case .xml:
            for result in results { append(result, from: showsSource ? source : nil, to: &bytes) }
        case .count, .nothing:
            break
        }
    }

    private func prefix(_ source: ResultSource) -> [UInt8] {
        showsSource ? Array("\(source.text):".utf8) : []
    }

    /// Elements stand in the document as they are, other results as `<result>`. With a source, all have a `<result>`
    /// that names it.
    private func append(_ result: QueryValue<Element>, from source: ResultSource?, to bytes: inout [UInt8]) {
        let attribute = source.map { " source='\(($0.file.withoutBytes + ":" + String($0.line)).escapedForXML)'" } ?? ""
        let element = result.element ?? result.form?.element
        let isWrapped = element == nil || source != nil
        let start = bytes.count
        if isWrapped { bytes += "<result\(attribute)>".utf8 }
        if let element {
            element.write(to: &bytes)
        } else {
            bytes += result.text.escapedForXML.utf8
        }
        if isWrapped { bytes += "</result>".utf8 }
        bytes.spell(from: start, as: .references(keepingLineBreaks: true))
        bytes.append(UInt8(ascii: "\n"))
    }
}

extension Array {
    fileprivate func chunks(of count: Int) -> some Sequence<ArraySlice<Element>> {
        stride(from: 0, to: self.count, by: count).lazy.map { self[$0..<Swift.min($0 + count, self.count)] }
    }
}

extension String {
    /// The text as content or attribute value of XML, on one line. What XML forbids, as names of files may hold it, is
    /// replaced.
    fileprivate var escapedForXML: String {
        var text = String(String.UnicodeScalarView(unicodeScalars.map { $0.isForbiddenInXML ? "\u{FFFD}" : $0 }))
        var bytes: [UInt8] = []
        text.withUTF8 { bytes.append(escaped: $0, inAttribute: true) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Unicode.Scalar {
    fileprivate var isForbiddenInXML: Bool {
        switch self {
        case "\t", "\n", "\r": false
        case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": true
        default: false
        }
    }
}
