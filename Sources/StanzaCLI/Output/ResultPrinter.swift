// Prints results: as lines of text, as JSON, as a document of XML, as a number, or not at all.

import StanzaQuery

/// What is printed of results.
enum OutputForm: Sendable {
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
}

/// Prints the results of one search.
struct ResultPrinter {
    let form: OutputForm
    /// Whether each result tells where its stanza came from.
    let showsSource: Bool
    let output: Output
    private(set) var count = 0

    init(_ form: OutputForm, showsSource: Bool, to output: Output) {
        self.form = form
        self.showsSource = showsSource
        self.output = output
    }

    /// Prints what comes before all results.
    func begin() {
        if form == .xml { output.write("<?xml version='1.0' encoding='UTF-8'?>\n<results>\n") }
    }

    /// Prints the results of one stanza.
    mutating func print(_ results: [QueryValue<Element>], from source: ResultSource) {
        count += results.count
        let prefix = showsSource ? "\(source.file.onOneLine):\(source.line):" : ""
        switch form {
        case .text:
            for result in results {
                output.write(prefix)
                output.write(result.line)
                output.write("\n")
            }
        case .json:
            var paths = IndexPaths<Element>()
            for result in results { output.write(prefix + PlainResult(result, paths: &paths).json.text + "\n") }
        case .xml:
            for result in results { write(result, from: showsSource ? source : nil) }
        case .count, .nothing:
            break
        }
    }

    /// Prints what comes behind all results.
    func end() {
        switch form {
        case .xml: output.write("</results>\n")
        case .count: output.write("\(count)\n")
        case .text, .json, .nothing: break
        }
    }

    /// Elements stand in the document as they are, other results as `<result>`. With a source, all have a `<result>`
    /// that names it.
    private func write(_ result: QueryValue<Element>, from source: ResultSource?) {
        var bytes: [UInt8] = []
        let attribute = source.map { " source='\(($0.file + ":" + String($0.line)).escapedForXML)'" } ?? ""
        let element = result.element ?? result.form?.element
        let isWrapped = element == nil || source != nil
        if isWrapped { bytes += "<result\(attribute)>".utf8 }
        if let element {
            element.write(to: &bytes)
        } else {
            bytes += result.text.escapedForXML.utf8
        }
        if isWrapped { bytes += "</result>".utf8 }
        output.write(bytes + [UInt8(ascii: "\n")])
    }
}
