// JSON lines: cuts the input into lines. What stands in them is read by JSONLineReader.swift, on any thread.

import Foundation
import StanzaQuery

/// A line of the input, not yet read.
struct JSONLine: Sendable {
    let bytes: [UInt8]
    /// The number of the line, from 1.
    let number: Int
}

/// Cuts JSON lines out of bytes.
final class JSONLinesInput: StanzaInput {
    private let limits: ParserLimits
    private var items: [InputItem] = []
    private var firstItem = 0
    /// The beginning of the line that is being read.
    private var pending: [UInt8] = []
    /// Whether the rest of this line is passed over, for it is too long.
    private var isSkipping = false
    private var lineNumber = 1

    init(limits: ParserLimits) {
        self.limits = limits
    }

    var hasEnded: Bool { false }

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
        var start = 0
        while start < bytes.count, let end = bytes.lineFeed(from: start) {
            add(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            endLine()
            lineNumber += 1
            start = end + 1
        }
        add(UnsafeRawBufferPointer(rebasing: bytes[start...]))
    }

    func finish() {
        endLine()
    }

    private func add(_ bytes: UnsafeRawBufferPointer) {
        if isSkipping { return }
        guard pending.count + bytes.count <= limits.bytes else {
            isSkipping = true
            pending = []
            let message = "this line has more than \(limits.bytes) bytes; --max-stanza-bytes allows more"
            items.append(.problem(InputProblem(line: lineNumber, column: 1, message: message)))
            return
        }
        pending.append(contentsOf: bytes)
    }

    private func endLine() {
        if !isSkipping, !pending.isEmpty { items.append(.line(JSONLine(bytes: pending, number: lineNumber))) }
        isSkipping = false
        pending = []
    }
}

extension UnsafeRawBufferPointer {
    /// Where the next line feed stands.
    fileprivate func lineFeed(from start: Int) -> Int? {
        guard let base = baseAddress, let found = memchr(base + start, 0x0A, count - start) else { return nil }
        return UnsafeRawPointer(found) - base
    }
}
