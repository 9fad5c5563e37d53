// Counts lines and columns over runs of every length: `SourcePosition` counts long runs in blocks, short ones bytewise.

import Testing

@testable import XMLTree

@Suite struct SourcePositionTests {
    /// Expects the place after a text that is passed in runs of these sizes: a line feed ends a line, and each scalar
    /// before it takes a column.
    private func expect(_ scalars: [Unicode.Scalar], in sizes: ([UInt8]) -> [Int]) {
        let bytes = scalars.flatMap { Array(UTF8.encode($0)!) }
        let line = scalars.split(separator: "\n", omittingEmptySubsequences: false)
        let expected = SourcePosition(line: line.count, column: line[line.count - 1].count + 1, offset: bytes.count)
        var (position, start) = (SourcePosition.start, 0)
        for size in sizes(bytes) {
            bytes[start..<start + size].withUnsafeBufferPointer { position.advance(over: $0) }
            start += size
        }
        #expect(position == expected, "\(scalars.count) scalars in \(sizes(bytes))")
    }

    /// Scalars of one to four bytes, and line feeds at each distance from the end.
    @Test func runsOfEachLength() {
        let letters: [Unicode.Scalar] = ["a", "é", "€", "😀", "\u{7F}", "\u{80}", "\t"]
        for count in 0...70 {
            let plain = (0..<count).map { letters[$0 % letters.count] }
            let lines = (0..<count).map { place in plain.indices.map { $0 == place ? "\n" : plain[$0] } }
            for scalars in [plain, plain.map { _ in "\n" }, plain.map { _ in "x" }] + lines {
                expect(scalars) { [$0.count] }
                expect(scalars) { $0.map { _ in 1 } }
                expect(scalars) { [$0.count / 3, $0.count - $0.count / 3] }
            }
        }
    }

    /// A lane of a block counts up to 255 bytes; longer runs sum the lanes in between.
    @Test func longRuns() {
        for count in [254, 255, 256, 257, 511].map({ $0 * 16 }) + [4079, 4081, 100_003] {
            for scalar in ["x", "\n"] as [Unicode.Scalar] {
                expect(Array(repeating: scalar, count: count)) { [$0.count] }
            }
        }
    }
}
