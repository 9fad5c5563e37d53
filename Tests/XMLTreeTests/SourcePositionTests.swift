// Counts lines and columns over runs of every length: `SourcePosition` counts long runs in blocks, short ones bytewise.

import Testing

@testable import XMLTree

@Suite struct SourcePositionTests {
    /// The rule: a line feed ends a line, and each scalar before it takes a column.
    private func expected(_ scalars: some Sequence<Unicode.Scalar>) -> SourcePosition {
        var position = SourcePosition.start
        for scalar in scalars {
            position.offset += UTF8.width(scalar)
            if scalar == "\n" {
                position.line += 1
                position.column = 1
            } else {
                position.column += 1
            }
        }
        return position
    }

    private func advanced(over bytes: [UInt8], in sizes: [Int]) -> SourcePosition {
        var position = SourcePosition.start
        bytes.withUnsafeBufferPointer { all in
            var start = 0
            for size in sizes {
                position.advance(over: UnsafeBufferPointer(rebasing: all[start..<start + size]))
                start += size
            }
        }
        return position
    }

    /// Scalars of one to four bytes, and line feeds at each distance from the end.
    private func texts(_ count: Int) -> [[Unicode.Scalar]] {
        let letters: [Unicode.Scalar] = ["a", "é", "€", "😀", "\u{7F}", "\u{80}", "\t"]
        let plain = (0..<count).map { letters[$0 % letters.count] }
        return [plain, plain.map { _ in "\n" }, plain.map { _ in "x" }]
            + (0..<count).map { place in plain.indices.map { $0 == place ? "\n" : plain[$0] } }
    }

    @Test func positionCountsRunsOfEachLength() {
        for count in 0...70 {
            for scalars in texts(count) {
                let bytes = scalars.flatMap { Array(UTF8.encode($0)!) }
                let expected = expected(scalars)
                #expect(advanced(over: bytes, in: [bytes.count]) == expected, "\(count) scalars")
                #expect(advanced(over: bytes, in: bytes.map { _ in 1 }) == expected, "\(count) scalars, bytewise")
            }
        }
    }

    @Test func positionIgnoresCuts() {
        for scalars in texts(40) {
            let bytes = scalars.flatMap { Array(UTF8.encode($0)!) }
            let expected = expected(scalars)
            for cut in 0...bytes.count {
                #expect(advanced(over: bytes, in: [cut, bytes.count - cut]) == expected, "a cut at \(cut)")
            }
        }
    }

    /// A lane of a block counts up to 255 bytes; longer runs sum the lanes in between.
    @Test func positionSumsLongRuns() {
        for count in [254, 255, 256, 257, 511].map({ $0 * 16 }) + [4079, 4081, 100_003] {
            for scalar in ["x", "\n"] as [Unicode.Scalar] {
                let bytes = [UInt8](repeating: UInt8(scalar.value), count: count)
                let expected = expected(repeatElement(scalar, count: count))
                #expect(advanced(over: bytes, in: [count]) == expected, "\(count) bytes")
            }
        }
    }
}
