// Lines that hold a stanza each: cuts the input into lines. LineBatch.swift reads them.
//
// Lines are independent: a bad line affects no other, and an input can be cut between any two.

import QueryTools
import StanzaQuery
import XMLTree

/// Reads lines: JSON objects with a member `xml`, or those and XML.
final class LinesInput: StanzaInput {
    private let limits: ParserLimits
    private var batch: LineBatch
    /// Passes over lines without results.
    private var filter: MeasuredFilter
    private var statistics = InputStatistics()
    /// The beginning of the current line.
    private var pending: [UInt8] = []
    /// Whether the rest of this line is skipped, because it is too long.
    private var isSkipping = false
    /// The beginning of the current line in the input.
    private var start: SourcePosition
    /// The end of the fed bytes.
    private var fedEnd: Int

    init(
        _ format: InputFormat, context: NamespaceContext, limits: ParserLimits, filter: StanzaFilter? = nil,
        members: LineMembers = LineMembers(), at place: InputPlace
    ) {
        self.limits = limits
        self.filter = MeasuredFilter(filter)
        start = place.position
        fedEnd = start.offset
        batch = LineBatch(context: context, limits: limits, allowsXML: format == .lines, members: members)
    }

    func restart(at place: InputPlace) {
        batch.restart()
        pending = []
        isSkipping = false
        filter.restart()
        statistics = InputStatistics()
        start = place.position
        fedEnd = start.offset
    }

    var hasEnded: Bool { false }

    func endsBetweenStanzas() -> Bool { pending.isEmpty && !isSkipping }

    func takeStatistics() -> InputStatistics {
        defer { statistics = InputStatistics() }
        return statistics
    }

    var continuation: SourcePosition? { isSkipping ? nil : start }

    func next() -> InputItem? { batch.next() }

    func feed(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        filter.begin()
        while let end = bytes.position(of: UInt8(ascii: "\n"), from: index) {
            let line = UnsafeRawBufferPointer(rebasing: bytes[index..<end])
            if pending.isEmpty, !isSkipping, line.count <= limits.bytes {
                if isNeeded(index..<end, of: bytes) { take(line) }
            } else {
                keep(line)
                endLine()
            }
            index = end + 1
            start.line += 1
            start.offset = fedEnd + index
        }
        keep(UnsafeRawBufferPointer(rebasing: bytes[index...]))
        fedEnd += bytes.count
        batch.read()
    }

    func finish() {
        endLine()
        batch.read()
    }

    /// Keeps a part of a line until its end comes.
    private func keep(_ part: UnsafeRawBufferPointer) {
        if isSkipping { return }
        guard pending.count + part.count <= limits.bytes else {
            isSkipping = true
            pending = []
            let message = "this line has more than \(limits.bytes) bytes; --max-stanza-bytes allows more"
            batch.add(InputProblem(line: start.line, column: 1, message: message))
            return
        }
        pending.append(contentsOf: part)
    }

    /// Takes the line that was kept.
    private func endLine() {
        let line = pending
        pending = []
        if !isSkipping {
            // The filter reads other bytes before and after this line.
            filter.begin()
            line.withUnsafeBytes { if isNeeded(0..<$0.count, of: $0) { take($0) } }
            filter.begin()
        }
        isSkipping = false
    }

    /// Whether the query may have a result on a line.
    private func isNeeded(_ line: Range<Int>, of bytes: UnsafeRawBufferPointer) -> Bool {
        if filter.admits(line, of: bytes) { return true }
        if bytes[line].contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) { statistics.passedOver += 1 }
        return false
    }

    private func take(_ line: UnsafeRawBufferPointer) {
        batch.add(line, at: start)
        if batch.isFull { batch.read() }
    }
}
