// Lines that hold a stanza each: cuts the input into lines. LineBatch.swift reads them.
//
// Lines are independent: a bad line affects no other, and an input can be cut between any two.

import XMLTree

/// Reads lines: JSON objects with a member `xml`, or those and XML.
final class LinesInput: StanzaInput {
    private let limits: ParserLimits
    private var batch: LineBatch
    private var items: [InputItem] = []
    private var firstItem = 0
    /// The beginning of the current line.
    private var pending: [UInt8] = []
    /// Whether the rest of this line is skipped, because it is too long.
    private var isSkipping = false
    /// The beginning of the current line in the input.
    private var start: SourcePosition
    /// The end of the fed bytes.
    private var fedEnd: Int

    init(_ format: InputFormat, context: NamespaceContext, limits: ParserLimits, at place: InputPlace) {
        self.limits = limits
        start = place.position
        fedEnd = start.offset
        batch = LineBatch(context: context, limits: limits, allowsXML: format == .lines)
    }

    func restart(at place: InputPlace) {
        items.removeAll(keepingCapacity: true)
        firstItem = 0
        pending = []
        isSkipping = false
        start = place.position
        fedEnd = start.offset
    }

    var hasEnded: Bool { false }

    func endsBetweenStanzas() -> Bool { pending.isEmpty && !isSkipping }

    func next() -> InputItem? {
        guard firstItem < items.count else {
            items.removeAll(keepingCapacity: true)
            firstItem = 0
            return nil
        }
        defer { firstItem += 1 }
        return items[firstItem]
    }

    func feed(_ bytes: UnsafeRawBufferPointer) {
        var index = 0
        while let end = bytes.position(of: UInt8(ascii: "\n"), from: index) {
            let line = UnsafeRawBufferPointer(rebasing: bytes[index..<end])
            if pending.isEmpty, !isSkipping, line.count <= limits.bytes {
                take(line)
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
        batch.read(into: &items)
    }

    func finish() {
        endLine()
        batch.read(into: &items)
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
        if !isSkipping { line.withUnsafeBytes { take($0) } }
        isSkipping = false
    }

    private func take(_ line: UnsafeRawBufferPointer) {
        batch.add(line, at: start)
        if batch.isFull { batch.read(into: &items) }
    }
}
