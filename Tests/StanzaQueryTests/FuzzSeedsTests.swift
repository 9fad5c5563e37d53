// Runs the fuzzers' own checks with all options on their seeds, which include all inputs of past failures: fixed bugs
// stay fixed.

import TestSupport
import Testing

@Suite struct FuzzSeedsTests {
    @Test(arguments: options)
    func compiler(_ options: UInt8) throws {
        #expect(try FuzzSeeds.run("Compiler", firstByte: options) { fuzzCompiler(FuzzInput($0, $1)) } >= 21)
    }

    @Test(arguments: options)
    func evaluation(_ options: UInt8) throws {
        #expect(try FuzzSeeds.run("Evaluation", firstByte: options) { fuzzEvaluation(FuzzInput($0, $1)) } >= 16)
    }

    @Test(arguments: options)
    func querySets(_ options: UInt8) throws {
        #expect(try FuzzSeeds.run("QuerySet", firstByte: options) { fuzzQuerySet(FuzzInput($0, $1)) } >= 8)
    }

    @Test(arguments: options)
    func interpolation(_ options: UInt8) throws {
        #expect(try FuzzSeeds.run("Interpolation", firstByte: options) { fuzzInterpolation(FuzzInput($0, $1)) } >= 16)
    }

    /// The first byte of each of these seeds, as QueryOptions has them.
    private static let options: Range<UInt8> = 0..<4
}
