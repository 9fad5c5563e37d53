// Places in the input, and the code that counts lines and columns.
//
// It processes every byte of the input once, in order, and does not depend on XML. The tokenizer uses it, and so do
// programs that cut input for several parsers.

/// A place in a parser's input.
public struct SourcePosition: Sendable, Hashable, BitwiseCopyable {
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
    /// Moves over the bytes after this position.
    package mutating func advance(over bytes: UnsafeBufferPointer<UInt8>) {
        offset += bytes.count
        var rest = bytes
        // For a few bytes, blocks do not pay.
        if rest.count >= 16 {
            let lineFeeds = rest.count { $0 .== SIMD16(repeating: .lineFeed) }
            if lineFeeds > 0 {
                line += lineFeeds
                column = 1
                var lineStart = rest.count
                while rest[lineStart - 1] != .lineFeed { lineStart -= 1 }
                rest = UnsafeBufferPointer(rebasing: rest[lineStart...])
            }
            if rest.count >= 16 {
                column += rest.scalarCount
                return
            }
        }
        for byte in rest {
            if byte == .lineFeed {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
    }

    package func advanced(over bytes: UnsafeBufferPointer<UInt8>) -> SourcePosition {
        var position = self
        position.advance(over: bytes)
        return position
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Every scalar has exactly one byte that is not a continuation byte. Continuation bytes are the lowest signed
    /// numbers.
    @inline(never)
    fileprivate var scalarCount: Int {
        count { SIMD16<Int8>(truncatingIfNeeded: $0) .> SIMD16<Int8>(repeating: -65) }
    }
}
