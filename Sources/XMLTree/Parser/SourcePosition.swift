// Where something stands in the input, and the tracker that counts lines and columns.
//
// The tracker sees every byte of the input once, in order; it knows nothing of XML. Who moves it: ParserState.swift.

/// A place in a parser's input.
public struct SourcePosition: Sendable, Hashable {
    /// The line, from 1. Only line feeds end a line.
    public var line: Int
    /// The column in its line, from 1, in Unicode scalars.
    public var column: Int
    /// The number of bytes before this place, from the beginning of the stream or the last `reset()`.
    public var offset: Int

    public init(line: Int, column: Int, offset: Int) {
        self.line = line
        self.column = column
        self.offset = offset
    }

    /// The beginning of the input.
    public static let start = SourcePosition(line: 1, column: 1, offset: 0)
}

extension SourcePosition: CustomStringConvertible {
    public var description: String { "line \(line), column \(column) (byte \(offset))" }
}

extension SourcePosition {
    /// Moves over the bytes that stand behind this position.
    package mutating func advance(over bytes: UnsafeBufferPointer<UInt8>) {
        offset += bytes.count
        let newlines = bytes.count { $0 == .lineFeed }
        var lineStart = 0
        if newlines > 0 {
            line += newlines
            column = 1
            lineStart = bytes.count
            while bytes[lineStart - 1] != .lineFeed { lineStart -= 1 }
        }
        // Every scalar has one byte that is no continuation byte.
        column += UnsafeBufferPointer(rebasing: bytes[lineStart...]).count { $0 & 0xC0 != 0x80 }
    }

    package func advanced(over bytes: UnsafeBufferPointer<UInt8>) -> SourcePosition {
        var position = self
        position.advance(over: bytes)
        return position
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// The number of bytes that `condition` is true of. In blocks whose count fits a byte, so that the compiler can
    /// compare and add sixteen bytes at once.
    @inline(__always)
    fileprivate func count(where condition: (UInt8) -> Bool) -> Int {
        var total = 0
        var index = 0
        while index < count {
            let end = Swift.min(index + 240, count)
            var matches: UInt8 = 0
            while index < end {
                matches &+= condition(self[index]) ? 1 : 0
                index += 1
            }
            total += Int(matches)
        }
        return total
    }
}
