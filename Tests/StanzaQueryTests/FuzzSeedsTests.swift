// Runs the fuzzers' own checks with all options on their seeds, which include all inputs of past failures: fixed bugs
// stay fixed.

import TestSupport
import Testing

@Suite struct FuzzSeedsTests {
    /// The first byte of each of these seeds, as QueryOptions has them.
    @Test(arguments: 0..<4 as Range<UInt8>)
    func seeds(_ options: UInt8) throws {
        #expect(try FuzzSeeds.run("Compiler", firstByte: options) { fuzzCompiler(FuzzInput($0, $1)) } >= 21)
        #expect(try FuzzSeeds.run("Evaluation", firstByte: options) { fuzzEvaluation(FuzzInput($0, $1)) } >= 16)
        #expect(try FuzzSeeds.run("QuerySet", firstByte: options) { fuzzQuerySet(FuzzInput($0, $1)) } >= 8)
        #expect(try FuzzSeeds.run("Interpolation", firstByte: options) { fuzzInterpolation(FuzzInput($0, $1)) } >= 16)
    }
}
