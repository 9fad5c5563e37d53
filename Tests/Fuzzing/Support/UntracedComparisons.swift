// Empty hooks for comparisons: `.ci/fuzz --fast` links them in place of libFuzzer's, which take half of the time.
// Without them libFuzzer learns of new ways from counters alone, and takes words from its dictionary.

@_cdecl("__wrap___sanitizer_cov_trace_cmp1") public func ignoreComparison1(_ one: UInt8, _ other: UInt8) {}
@_cdecl("__wrap___sanitizer_cov_trace_cmp4") public func ignoreComparison4(_ one: UInt32, _ other: UInt32) {}
@_cdecl("__wrap___sanitizer_cov_trace_cmp8") public func ignoreComparison8(_ one: UInt64, _ other: UInt64) {}
@_cdecl("__wrap___sanitizer_cov_trace_const_cmp1") public func ignoreConstant1(_ one: UInt8, _ other: UInt8) {}
@_cdecl("__wrap___sanitizer_cov_trace_const_cmp4") public func ignoreConstant4(_ one: UInt32, _ other: UInt32) {}
@_cdecl("__wrap___sanitizer_cov_trace_const_cmp8") public func ignoreConstant8(_ one: UInt64, _ other: UInt64) {}
