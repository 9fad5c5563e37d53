// Evaluates the queries of `stanza find` on stanzas, and formats the results. It keeps nothing between pieces of input,
// so any number of threads may use one.

import StanzaQuery

/// The work on each stanza. A class: copying a structure would retain its fields for each stanza, and all threads would
/// contend for their reference counts.
final class Evaluator: Sendable {
    let queries: SearchQueries
    let settings: ReadingSettings
    let formatter: ResultFormatter
    /// The rows to print instead of single results.
    let rows: RowFormatter?
    /// The elements of the input that are the stanzas; `nil` if each is one itself.
    let containers: Query<Element>?
    /// Whether the first result of all input is enough.
    let stopsAtFirst: Bool
    /// Whether the user wants the command to end.
    private let isInterrupted: @Sendable () -> Bool
    /// Set when no more results are wanted.
    let stopSign = StopSign()

    init(
        queries: SearchQueries, settings: ReadingSettings, formatter: ResultFormatter, rows: RowFormatter? = nil,
        containers: Query<Element>? = nil, stopsAtFirst: Bool,
        isInterrupted: @escaping @Sendable () -> Bool = { false }
    ) {
        self.queries = queries
        self.settings = settings
        self.formatter = formatter
        self.rows = rows
        self.containers = containers
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
        case .stanza(let stanza, let position, let members):
            let source = ResultSource(file: file, position: position)
            guard let containers else { return evaluate(stanza, members, source, &findings, while: goesOn) }
            do throws(QueryError) {
                for (index, stanza) in try stanza.find(containers).enumerated() {
                    // A container may have as many stanzas as the input.
                    if index > 0, findings.isEnough || !goesOn(&findings) { return }
                    // A stanza has no parent, and its queries start with its own namespace.
                    evaluate(stanza.copy(), members, source, &findings, while: goesOn)
                }
            } catch {
                findings.add(error, on: source)
            }
        case .problem(let problem):
            findings.add(report: problem.text(in: file), .badInput)
        case .results(let results):
            findings.stanzas += results.count
            findings.addOutput(of: 0) {
                $0 += results.lines
                return results.count
            }
        }
    }

    private func evaluate(
        _ stanza: Element, _ members: [JSONValue], _ source: ResultSource, _ findings: inout Findings,
        while goesOn: (inout Findings) -> Bool
    ) {
        findings.stanzas += 1
        if let rows { return addRow(of: stanza, rows, members, source, &findings) }
        var isFirst = true
        queries.evaluate(stanza, onlyFirst: stopsAtFirst) { query, results in
            // Many queries take as long as many stanzas.
            if !isFirst, !goesOn(&findings) { return false }
            isFirst = false
            switch results {
            case .success(let results):
                findings.isEnough = stopsAtFirst
                return findings.add(formatter.pieces(of: results, from: source, query: query), while: goesOn)
            case .failure(let error):
                findings.add(error, on: source)
                return true
            }
        }
    }

    private func addRow(
        of stanza: Element, _ rows: RowFormatter, _ members: [JSONValue], _ source: ResultSource,
        _ findings: inout Findings
    ) {
        var results = [QueryValue?](repeating: nil, count: queries.numbered)
        queries.firstResults(on: stanza) { query, result in
            switch result {
            case .success(let value): results[query] = value
            case .failure(let error): findings.add(error, on: source)
            }
        }
        for (query, result) in results.enumerated() where result != nil { findings.columnResults.add(1, of: query) }
        for (member, value) in members.enumerated() {
            if case .null = value { continue }
            findings.columnResults.add(1, of: queries.numbered + member)
        }
        guard let values = rows.values(results, members: members) else { return }
        findings.isEnough = stopsAtFirst
        findings.addOutput(of: 0) {
            rows.append(values, from: source, to: &$0)
            return 1
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
        findings.addPassedOver(by: reader)
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
    /// Adds the failure of a query.
    fileprivate mutating func add(_ error: QueryError, on source: ResultSource) {
        add(report: "\(source.text): the query could not be evaluated on this stanza\n\(error)", .usage)
    }

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
