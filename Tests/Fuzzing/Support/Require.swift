// How a fuzzer says that something is wrong. The tests, which run its checks on its seeds, have another one.

/// Ends the process, as a crash that libFuzzer keeps the input of.
public func require(_ condition: Bool, _ fault: @autoclosure () -> String, line: UInt = #line) {
    if !condition { fatalError("line \(line): \(fault())") }
}
