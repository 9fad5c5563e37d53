// The entry point for libFuzzer. The tests use the other files here, too, with another `require`.

@_exported import FuzzSupport

@_cdecl("LLVMFuzzerTestOneInput")
public func runOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    fuzzInterpolation(FuzzInput(data, size))
    return 0
}
