// Regular expressions with limits: one type that wraps PCRE2.
//
// Only this file and MatchScratch.swift import PCRE2. The users of a pattern define its meaning: queries in StanzaQuery
// (language rules 3.7, 3.8), the validation of form fields in DataForms. RegexTypes.swift has what the type shares with
// that of a package without PCRE2.

#if Patterns
import CPCRE2
import Locking

/// A compiled regular expression.
///
/// Sendable although it holds pointers: compiled code is immutable, and machine code is made in a copy before that is
/// published.
package final class Regex: @unchecked Sendable {
    package static let isAvailable = true
    private let code: OpaquePointer
    private let isCompiledFurther: Bool
    /// The address of a copy of the code with machine code; 0 before the first match.
    private let fasterCode: AtomicWord
    /// Whether a match can only begin at the value's first byte.
    package let isAnchored: Bool
    /// Whether case does not count.
    package let isCaseless: Bool

    /// - Parameter isCompiledFurther: Whether the first match makes machine code, which takes longer than some matches
    ///   without it. Where a system refuses memory to execute, no match does.
    package init(
        _ pattern: UnsafeBufferPointer<UInt8>, syntax: Syntax = .expression, isCaseless: Bool = false,
        isCompiledFurther: Bool = true
    ) throws(CompileError) {
        var options = UInt32(PCRE2_UTF) | UInt32(PCRE2_NO_UTF_CHECK)
        switch syntax {
        case .expression:
            options |= UInt32(PCRE2_DOTALL) | UInt32(PCRE2_DOLLAR_ENDONLY)
            options |= UInt32(PCRE2_NEVER_UCP) | UInt32(PCRE2_NEVER_BACKSLASH_C)
        case .unicodeExpression:
            options |= UInt32(PCRE2_DOTALL) | UInt32(PCRE2_DOLLAR_ENDONLY) | UInt32(PCRE2_UCP)
            options |= UInt32(PCRE2_NEVER_BACKSLASH_C)
        }
        if isCaseless { options |= UInt32(PCRE2_CASELESS) }
        var error: Int32 = 0
        var offset = 0
        let compiled = pattern.withNonNullStart { start in
            pcre2_compile_8(start, pattern.count, options, &error, &offset, OpaquePointer(bitPattern: Self.settings))
        }
        guard let compiled else { throw CompileError(message: Self.message(error), offset: offset) }
        code = compiled
        fasterCode = AtomicWord()
        self.isCaseless = isCaseless
        self.isCompiledFurther = isCompiledFurther && Self.makesMachineCode
        var allOptions: UInt32 = 0
        pcre2_pattern_info_8(compiled, UInt32(PCRE2_INFO_ALLOPTIONS), &allOptions)
        isAnchored = allOptions & UInt32(PCRE2_ANCHORED) != 0
    }

    /// The address of PCRE2's compile context, which nothing changes later. A newline is LF, and `\R` is any newline of
    /// Unicode (3.7), whatever the defaults of the library's build are.
    private static let settings: UInt = {
        let context = pcre2_compile_context_create_8(nil)
        if let context {
            pcre2_set_newline_8(context, UInt32(PCRE2_NEWLINE_LF))
            pcre2_set_bsr_8(context, UInt32(PCRE2_BSR_UNICODE))
        }
        return UInt(bitPattern: context)
    }()

    deinit {
        pcre2_code_free_8(code)
        if let faster = OpaquePointer(bitPattern: fasterCode.value) { pcre2_code_free_8(faster) }
        fasterCode.deallocate()
    }

    /// Apple lets apps execute only signed code, except on macOS. PCRE2 ends such a process instead of failing.
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    private static let makesMachineCode = false
    #else
    private static let makesMachineCode = true
    #endif

    /// Whether the pattern matches somewhere in a value, which is valid UTF-8.
    package func match(_ value: UnsafeBufferPointer<UInt8>) -> Outcome {
        guard isAnchored || value.count <= RegexLimits.unanchoredValue else { return .limit }
        guard let result = result(on: value) else { return .limit }
        if result >= 0 { return .match }
        return result == PCRE2_ERROR_NOMATCH ? .noMatch : .limit
    }

    /// PCRE2's result; `nil` if memory is exhausted.
    func result(on value: UnsafeBufferPointer<UInt8>) -> Int32? {
        guard let scratch = MatchScratch.take() else { return nil }
        let code = isCompiledFurther ? codeForMatching : code
        let options = UInt32(PCRE2_NO_UTF_CHECK)
        var result = scratch.match(code, value, options)
        let isRepeated = result == PCRE2_ERROR_JIT_STACKLIMIT
        if isRepeated { result = scratch.match(code, value, options | UInt32(PCRE2_NO_JIT)) }
        if keepsScratch(of: value.count, isRepeated, result) { scratch.giveBack() } else { scratch.discard() }
        return result
    }

    /// Whether the next match reuses the memory of this one. The interpreter's backtracking points stay in it.
    func keepsScratch(of length: Int, _ isRepeated: Bool, _ result: Int32) -> Bool {
        if isRepeated || result < PCRE2_ERROR_NOMATCH { return false }
        // Without machine code, because of the platform or the pattern, the interpreter has run.
        return length <= RegexLimits.keptValue || machineCodeSize > 0
    }

    /// The first match makes the machine code: that takes several times as long as the rest of compiling, and a program
    /// never uses many of its patterns.
    private var codeForMatching: OpaquePointer {
        OpaquePointer(bitPattern: fasterCode.value) ?? makeFasterCode()
    }

    /// Threads that come here at the same time make one each; the first one stays.
    @inline(never)
    private func makeFasterCode() -> OpaquePointer {
        guard let copy = pcre2_code_copy_8(code) else { return code }
        // Without JIT, on platforms or patterns that lack it, PCRE2 interprets the copy. For some of these patterns it
        // reports no failure.
        pcre2_jit_compile_8(copy, UInt32(PCRE2_JIT_COMPLETE))
        let published = fasterCode.replace(0, with: Int(bitPattern: copy))
        if published == 0 { return copy }
        pcre2_code_free_8(copy)
        return OpaquePointer(bitPattern: published) ?? code
    }

    /// Bytes of machine code; 0 before the first match.
    package var machineCodeSize: Int {
        var size = 0
        if let faster = OpaquePointer(bitPattern: fasterCode.value) {
            pcre2_pattern_info_8(faster, UInt32(PCRE2_INFO_JITSIZE), &size)
        }
        return size
    }

    private static func message(_ error: Int32) -> String {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: RegexLimits.message) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            let length = pcre2_get_error_message_8(error, start, buffer.count)
            return String(decoding: UnsafeBufferPointer(start: start, count: max(0, Int(length))), as: UTF8.self)
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// PCRE2 wants an address even for no bytes.
    func withNonNullStart<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        if let baseAddress { return body(baseAddress) }
        return withUnsafePointer(to: 0) { body($0) }
    }
}
#endif
