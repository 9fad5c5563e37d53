// The types around a regular expression, and the expression itself in a package without PCRE2 and the trait `Patterns`.

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

extension Regex {
    /// How a pattern is read.
    package enum Syntax {
        /// A regular expression.
        case expression
        /// A regular expression whose classes of characters are those of Unicode.
        case unicodeExpression
    }

    /// Why PCRE2 refused a pattern.
    package struct CompileError: Error {
        package let message: String
        /// In UTF-8 bytes of the pattern.
        package let offset: Int
    }

    /// The outcome of a match.
    package enum Outcome {
        case match, noMatch
        /// A limit was exceeded, or PCRE2 failed otherwise (3.8).
        case limit
    }

    /// The regular expression of a text.
    package static func compiled(
        _ pattern: String, isCaseless: Bool = false, isCompiledFurther: Bool = true
    ) throws(CompileError) -> Regex {
        try Array(pattern.utf8).withUnsafeBufferPointer { bytes throws(CompileError) in
            try Regex(bytes, isCaseless: isCaseless, isCompiledFurther: isCompiledFurther)
        }
    }
}

#if !Patterns
/// No pattern can be matched. A query with one is an error; whether a form's value matches one is undecided.
package final class Regex: Sendable {
    package static let isAvailable = false
    private static let missing = "expected the trait 'Patterns' of swift-stanza: add it to 'traits:' of the dependency"
    package let isAnchored = true
    package let isCaseless = false

    package init(
        _ pattern: UnsafeBufferPointer<UInt8>, syntax: Syntax = .expression, isCaseless: Bool = false,
        isCompiledFurther: Bool = true
    ) throws(CompileError) {
        if syntax == .unicodeExpression { return }
        throw CompileError(message: Self.missing, offset: 0)
    }

    package func match(_ value: UnsafeBufferPointer<UInt8>) -> Outcome { .limit }
}
#endif
