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
    mutating func advance(over bytes: UnsafeBufferPointer<UInt8>) {
        offset += bytes.count
        var newlines = 0
        for byte in bytes { newlines &+= byte == UInt8(ascii: "\n") ? 1 : 0 }
        var lineStart = 0
        if newlines > 0 {
            line += newlines
            column = 1
            lineStart = bytes.count
            while bytes[lineStart - 1] != UInt8(ascii: "\n") { lineStart -= 1 }
        }
        // Every scalar has one byte that is no continuation byte.
        var scalars = 0
        for byte in UnsafeBufferPointer(rebasing: bytes[lineStart...]) { scalars &+= byte & 0xC0 != 0x80 ? 1 : 0 }
        column += scalars
    }

    func advanced(over bytes: UnsafeBufferPointer<UInt8>) -> SourcePosition {
        var position = self
        position.advance(over: bytes)
        return position
    }
}
