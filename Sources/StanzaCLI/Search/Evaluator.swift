// Evaluates the query of `stanza find` on stanzas, and makes text of the results. It keeps nothing between pieces of
// input, so any number of threads may use one.

import StanzaQuery

/// What is done with each stanza.
struct Evaluator: Sendable {
    let query: Query
    let arguments: [QueryArgumentValue]
    let settings: ReadingSettings
    let formatter: ResultFormatter
    /// Whether the first result of all input is enough.
    let stopsAtFirst: Bool
    /// Set when nobody wants results any more.
    let stopSign = StopSign()

    /// Evaluates on what `next` gives, until it gives nothing or the search is over.
    func evaluate(from file: String, next: () -> InputItem?) -> Findings {
        var findings = Findings()
        // Lines are read here rather than where they are cut, so that several threads read them.
        var lines: [JSONLine] = []
        var reader: JSONLineReader?
        func readLines() {
            if lines.isEmpty { return }
            let lineReader = reader ?? JSONLineReader(settings)
            reader = lineReader
            for item in lineReader.read(lines) { evaluate(on: item, from: file, &findings) }
            lines.removeAll(keepingCapacity: true)
        }
        while !findings.isEnough, let item = next() {
            if case .line(let line) = item {
                lines.append(line)
                if lines.count >= Self.linesAtOnce { readLines() }
            } else {
                readLines()
                evaluate(on: item, from: file, &findings)
            }
        }
        readLines()
        findings.endOutput()
        return findings
    }

    /// So many lines are parsed in one go: a bad one makes it necessary to parse all of them again.
    private static let linesAtOnce = 64

    private func evaluate(on item: InputItem, from file: String, _ findings: inout Findings) {
        if findings.isEnough || stopSign.isSet { return }
        switch item {
        case .stanza(let stanza, let line):
            findings.stanzas += 1
            evaluate(on: stanza, from: ResultSource(file: file, line: line), &findings)
        case .problem(let problem):
            findings.add(report: problem.report(in: file), .badInput)
        case .line:
            preconditionFailure("a line is read before it is evaluated")
        }
    }

    private func evaluate(on stanza: Element, from source: ResultSource, _ findings: inout Findings) {
        do throws(QueryError) {
            let results: [QueryValue<Element>]
            if stopsAtFirst {
                guard let result = try stanza.findFirst(query, arguments: arguments) else { return }
                results = [result]
                findings.isEnough = true
            } else {
                results = try stanza.find(query, arguments: arguments)
            }
            findings.count += results.count
            findings.addOutput { formatter.append(results, from: source, to: &$0) }
        } catch {
            let place = "\(source.file):\(source.line)"
            findings.add(
                report: "stanza: \(place): the query could not be evaluated on this stanza\n\(error)", .usage)
        }
    }
}

extension InputProblem {
    /// The problem and its place, as it is told.
    func report(in file: String) -> String { "stanza: \(file):\(line):\(column): \(message)" }
}
