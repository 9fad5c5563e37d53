// The fuzzers' seeds, and what they found among them, in the fuzzers' own checks: what was mended stays so.

import TestSupport
import Testing

@Suite struct FuzzSeedsTests {
    @Test func compiler() throws {
        #expect(try FuzzSeeds.run("Compiler") { fuzzCompiler(FuzzInput($0, $1)) } >= 21)
    }

    @Test func evaluation() throws {
        #expect(try FuzzSeeds.run("Evaluation") { fuzzEvaluation(FuzzInput($0, $1)) } >= 16)
    }

    @Test func querySets() throws {
        #expect(try FuzzSeeds.run("QuerySet") { fuzzQuerySet(FuzzInput($0, $1)) } >= 8)
    }

    @Test func interpolation() throws {
        #expect(try FuzzSeeds.run("Interpolation") { fuzzInterpolation(FuzzInput($0, $1)) } >= 16)
    }
}
