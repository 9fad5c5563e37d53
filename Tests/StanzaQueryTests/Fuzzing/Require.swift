// How the fuzzers' checks say in a test that something is wrong, and with which seed.

import TestSupport
import Testing

func require(_ condition: Bool, _ fault: @autoclosure () -> String, line: UInt = #line) {
    if !condition { Issue.record("seed \(FuzzSeeds.current), line \(line) of the check: \(fault())") }
}
