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
    /// Whether the user wants the command to end.
    var isInterrupted: @Sendable () -> Bool = { false }
    /// Set when nobody wants results any more.
    let stopSign = StopSign()

    /// Adds what is found in one item.
    ///
    /// - Parameter goesOn: Asked before more results are added to many. It may take what is there, and returns whether
    ///   more are wanted.
    func evaluate(
        _ item: InputItem, from file: String, _ findings: inout Findings, while goesOn: (inout Findings) -> Bool
    ) {
        switch item {
        case .stanza(let stanza, let position):
            findings.stanzas += 1
            evaluate(on: stanza, from: ResultSource(file: file, line: position.line), &findings, while: goesOn)
        case .problem(let problem):
            findings.add(report: problem.text(in: file), .badInput)
        }
    }

    /// Reads a block and evaluates on what it holds.
    ///
    /// - Parameter reader: Any one, which is kept for many blocks.
    /// - Returns: `nil` if it cannot be read apart from what follows: there is a mistake in it, or a stanza goes on
    ///   behind it. Also if its results are too long to be kept until it is their turn.
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
        findings.endOutput()
        return findings
    }

    private func isOver(_ findings: Findings) -> Bool {
        findings.isEnough || findings.wasCut || findings.outputLength > Self.maximumOutput || stopSign.isSet
    }

    /// Takes what has been read.
    private func evaluate(_ reader: StanzaReader, from file: String, _ findings: inout Findings) {
        while !isOver(findings), let item = reader.next(), goesOn(&findings) {
            evaluate(item, from: file, &findings, while: goesOn)
        }
    }

    /// Asked while there is more to do.
    private func goesOn(_ findings: inout Findings) -> Bool {
        findings.wasCut = isInterrupted()
        return !isOver(findings)
    }

    /// So long may the results of a block be, which may be kept with those of many others: more than usual ones are, by
    /// far.
    static let maximumOutput = 1 << 23

    /// So much is read before its stanzas are taken: few trees are there at once, and they stay in the cache.
    private static let pieceLength = 1 << 14

    private func evaluate(
        on stanza: Element, from source: ResultSource, _ findings: inout Findings,
        while goesOn: (inout Findings) -> Bool
    ) {
        let results: [QueryValue<Element>]
        do throws(QueryError) {
            if stopsAtFirst {
                guard let result = try stanza.findFirst(query, arguments: arguments) else { return }
                results = [result]
                findings.isEnough = true
            } else {
                results = try stanza.find(query, arguments: arguments)
            }
        } catch {
            return findings.add(
                report: "\(source.text): the query could not be evaluated on this stanza\n\(error)", .usage)
        }
        var pieces = formatter.pieces(of: results, from: source)
        var isFirst = true
        while !pieces.isAtEnd {
            if !isFirst || findings.outputLength >= ResultPieces.length, !goesOn(&findings) { return }
            findings.addOutput { pieces.append(to: &$0) }
            isFirst = false
        }
    }
}

extension InputProblem {
    /// The problem and its place, as it is told.
    func text(in file: String) -> String { "\(file.asFileName):\(line):\(column): \(message)" }
}
