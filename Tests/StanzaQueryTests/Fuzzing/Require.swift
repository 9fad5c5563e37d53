// Reports a failed check of the fuzzers in a test, with its seed.

import TestSupport
import Testing

func require(_ condition: Bool, _ fault: @autoclosure () -> String, line: UInt = #line) {
    if !condition { Issue.record("seed \(FuzzSeeds.current), line \(line) of the check: \(fault())") }
}
