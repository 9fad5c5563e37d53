// Evaluates the queries of `stanza find` on stanzas, and formats the results. It keeps nothing between pieces of input,
// so any number of threads may use one.

import StanzaQuery

/// The work on each stanza. A class: copying a structure would retain its fields for each stanza, and all threads would
/// contend for their reference counts.
final class Evaluator: Sendable {
    let queries: SearchQueries
    let settings: ReadingSettings
    let formatter: ResultFormatter
    /// Whether the first result of all input is enough.
    let stopsAtFirst: Bool
    /// Whether the user wants the command to end.
    private let isInterrupted: @Sendable () -> Bool
    /// Set when no more results are wanted.
    let stopSign = StopSign()

    init(
        queries: SearchQueries, settings: ReadingSettings, formatter: ResultFormatter, stopsAtFirst: Bool,
        isInterrupted: @escaping @Sendable () -> Bool = { false }
    ) {
        self.queries = queries
        self.settings = settings
        self.formatter = formatter
        self.stopsAtFirst = stopsAtFirst
        self.isInterrupted = isInterrupted
    }

    /// Evaluates the queries on one item, and adds the results and mistakes.
    ///
    /// - Parameter goesOn: As for `Findings.add(_:while:)`.
    func evaluate(
        _ item: InputItem, from file: String, _ findings: inout Findings, while goesOn: (inout Findings) -> Bool
    ) {
        switch item {
        case .stanza(let stanza, let position):
            findings.stanzas += 1
            var isFirst = true
            queries.evaluate(stanza, onlyFirst: stopsAtFirst) { query, results in
                // Many queries take as long as many stanzas.
                if !isFirst, !goesOn(&findings) { return false }
                isFirst = false
                let source = ResultSource(file: file, line: position.line)
                switch results {
                case .success(let results):
                    findings.isEnough = stopsAtFirst
                    return findings.add(formatter.pieces(of: results, from: source, query: query), while: goesOn)
                case .failure(let error):
                    findings.add(
                        report: "\(source.text): the query could not be evaluated on this stanza\n\(error)", .usage)
                    return true
                }
            }
        case .problem(let problem):
            findings.add(report: problem.text(in: file), .badInput)
        }
    }

    /// Reads a block and evaluates the queries on its stanzas.
    ///
    /// - Parameter reader: Any reader; one serves many blocks.
    /// - Returns: `nil` if the block cannot be read without the input after it: it has a mistake, or its last stanza
    ///   ends after it. Also `nil` if its results are too long to be kept until their turn.
    func evaluate(_ block: Block, from file: String, with reader: StanzaReader) -> Findings? {
        var findings = Findings()
        reader.restart(at: block.place)
        for start in stride(from: 0, to: block.bytes.count, by: Self.pieceLength) {
            let end = min(start + Self.pieceLength, block.bytes.count)
            block.bytes.withUnsafeBytes { reader.feed(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
            evaluate(reader, from: file, &findings)
            if isOver(findings) { break }
        }
        if findings.outputLength > Self.maximumOutput, !findings.wasCut { return nil }
        if !isOver(findings) {
            if block.isLast {
                reader.finish()
                evaluate(reader, from: file, &findings)
            } else if !reader.endsBetweenStanzas() {
                return nil
            }
        }
        findings.stanzas += reader.takePassedOver()
        findings.endOutput()
        return findings
    }

    private func isOver(_ findings: Findings) -> Bool {
        findings.isEnough || findings.wasCut || findings.outputLength > Self.maximumOutput || stopSign.isSet
    }

    /// Evaluates the queries on the items read so far.
    private func evaluate(_ reader: StanzaReader, from file: String, _ findings: inout Findings) {
        while !isOver(findings), let item = reader.next(), goesOn(&findings) {
            evaluate(item, from: file, &findings, while: goesOn)
        }
    }

    /// Called while more work remains. Returns whether to continue.
    private func goesOn(_ findings: inout Findings) -> Bool {
        findings.wasCut = isInterrupted()
        return !isOver(findings)
    }

    /// The maximum length of the results of a block, which may be kept with those of many others. Usual results are far
    /// shorter.
    static let maximumOutput = 1 << 23

    /// The bytes read before their stanzas are taken: few trees exist at once, and they stay in the cache.
    private static let pieceLength = 1 << 14
}

extension Findings {
    /// Adds the results of one stanza.
    ///
    /// - Parameter goesOn: Called before each addition to results that are already many. It may take the present
    ///   results, and returns whether more are wanted.
    /// - Returns: Whether more are wanted.
    mutating func add(_ pieces: ResultPieces, while goesOn: (inout Findings) -> Bool) -> Bool {
        var pieces = pieces
        var isFirst = true
        while !pieces.isAtEnd {
            if !isFirst || outputLength >= ResultPieces.length, !goesOn(&self) { return false }
            addOutput(of: pieces.query) { pieces.append(to: &$0) }
            isFirst = false
        }
        return true
    }
}

extension InputProblem {
    /// The problem and its place, as it is reported.
    func text(in file: String) -> String { "\(file.asFileName):\(line):\(column): \(message)" }
}
