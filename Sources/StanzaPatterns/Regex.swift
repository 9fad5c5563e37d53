// Regular expressions with limits: one type that wraps PCRE2.
//
// Only this file and MatchScratch.swift import PCRE2. The users of a pattern define its meaning: queries in StanzaQuery
// (language rules 3.7, 3.8), the validation of form fields in DataForms.

import CPCRE2
import Synchronization

/// The limits of a match (3.8).
package enum RegexLimits {
    /// Steps of the matcher, and depth of its backtracking, for one starting position: a runaway pattern ends after
    /// some milliseconds if it is anchored, and after some seconds in the worst case otherwise.
    static let match: UInt32 = 1_000_000
    /// KiB of memory for backtracking points, of a match without machine code.
    static let heapKiB: UInt32 = 64 * 1024
    /// PCRE2 restarts its counts for every starting position, so a pattern that is not anchored is not tried on longer
    /// values.
    package static let unanchoredValue = 4096
    /// The maximum length of a value whose match memory is kept for the next match. For a longer value, with or without
    /// a match, the interpreter may have taken all of `heapKiB`; up to here it takes some hundred KiB at most.
    static let keptValue = 256
    /// Bytes that PCRE2's messages fit into.
    static let message = 256
}

/// A compiled regular expression.
///
/// Sendable although it holds pointers: compiled code is immutable, and machine code is made in a copy before that is
/// published.
package final class Regex: @unchecked Sendable {
    private let code: OpaquePointer
    private let isCompiledFurther: Bool
    /// The address of a copy of the code with machine code; 0 before the first match.
    private let fasterCode = Atomic<UInt>(0)
    /// Whether machine code is missing, because of the platform or the pattern.
    private let isInterpreted: Atomic<Bool>
    /// Whether a match can only begin at the value's first byte.
    package let isAnchored: Bool
    /// Whether case does not count.
    package let isCaseless: Bool

    /// How a pattern is read.
    package enum Syntax {
        /// A regular expression.
        case expression
        /// A regular expression whose classes of characters are those of Unicode.
        case unicodeExpression
        /// Text that the whole value must equal.
        case wholeLiteral
    }

    /// Why PCRE2 refused a pattern.
    package struct CompileError: Error {
        package let message: String
        /// In UTF-8 bytes of the pattern.
        package let offset: Int
    }

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
        case .wholeLiteral:
            options |= UInt32(PCRE2_LITERAL) | UInt32(PCRE2_ANCHORED) | UInt32(PCRE2_ENDANCHORED)
        }
        if isCaseless { options |= UInt32(PCRE2_CASELESS) }
        var error: Int32 = 0
        var offset = 0
        let compiled = pattern.withNonNullStart { start in
            pcre2_compile_8(start, pattern.count, options, &error, &offset, OpaquePointer(bitPattern: Self.settings))
        }
        guard let compiled else { throw CompileError(message: Self.message(error), offset: offset) }
        code = compiled
        self.isCaseless = isCaseless
        self.isCompiledFurther = isCompiledFurther && Self.makesMachineCode
        isInterpreted = Atomic(!self.isCompiledFurther)
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

    /// The regular expression of a text.
    package static func compiled(
        _ pattern: String, isCaseless: Bool = false, isCompiledFurther: Bool = true
    ) throws(CompileError) -> Regex {
        try Array(pattern.utf8).withUnsafeBufferPointer { bytes throws(CompileError) in
            try Regex(bytes, isCaseless: isCaseless, isCompiledFurther: isCompiledFurther)
        }
    }

    deinit {
        pcre2_code_free_8(code)
        if let faster = OpaquePointer(bitPattern: fasterCode.load(ordering: .acquiring)) { pcre2_code_free_8(faster) }
    }

    /// Apple lets apps execute only signed code, except on macOS. PCRE2 ends such a process instead of failing.
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
    private static let makesMachineCode = false
    #else
    private static let makesMachineCode = true
    #endif

    /// The outcome of a match.
    package enum Outcome {
        case match, noMatch
        /// A limit was exceeded, or PCRE2 failed otherwise (3.8).
        case limit
    }

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
        return length <= RegexLimits.keptValue || !isInterpreted.load(ordering: .relaxed)
    }

    /// The first match makes the machine code: that takes several times as long as the rest of compiling, and a program
    /// never uses many of its patterns.
    private var codeForMatching: OpaquePointer {
        OpaquePointer(bitPattern: fasterCode.load(ordering: .acquiring)) ?? makeFasterCode()
    }

    /// Threads that come here at the same time make one each; the first one stays.
    @inline(never)
    private func makeFasterCode() -> OpaquePointer {
        guard let copy = pcre2_code_copy_8(code) else { return code }
        // Without JIT, on platforms or patterns that lack it, PCRE2 interprets the copy. For some of these patterns it
        // reports no failure.
        pcre2_jit_compile_8(copy, UInt32(PCRE2_JIT_COMPLETE))
        if Self.machineCodeSize(of: copy) == 0 { isInterpreted.store(true, ordering: .relaxed) }
        let (isFirst, published) = fasterCode.compareExchange(
            expected: 0, desired: UInt(bitPattern: copy), ordering: .acquiringAndReleasing)
        if isFirst { return copy }
        pcre2_code_free_8(copy)
        return OpaquePointer(bitPattern: published) ?? code
    }

    /// Bytes of machine code, for tests; 0 before the first match.
    package var machineCodeSize: Int {
        guard let faster = OpaquePointer(bitPattern: fasterCode.load(ordering: .acquiring)) else { return 0 }
        return Self.machineCodeSize(of: faster)
    }

    private static func machineCodeSize(of code: OpaquePointer) -> Int {
        var size = 0
        pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_JITSIZE), &size)
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
