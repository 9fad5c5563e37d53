// The one type for all mistakes in a query: from the lexer, the parser, the compiler and the run. Diagnostic+Text.swift
// has the texts, DiagnosticDrawing.swift the caret.

/// A mistake in a query, and its place.
///
/// ```text
/// error: unknown conversion 'integer'
///   {urn:xmpp:mam:2}fin@count|integer
///                             ^~~~~~~ expected one of: bool, int, uint, double, datetime, base64, uuid, uuidcast
///   did you mean '|int'?
/// ```
public struct Diagnostic: Error, Hashable, Sendable {
    /// The kinds of mistakes. The raw value is the kind's name in conformance suites, which have no `resultType`.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        case syntax
        case unknownConversion
        case misplacedConversion
        case misplacedExtraction
        case invalidRegex
        case arguments
        case regexLimit
        case resultType
    }

    /// The mistake, with the values that its text needs.
    public let problem: Problem
    /// Where, in UTF-8 offsets (7.2). Empty at the end of the query.
    public let range: SourceRange
    /// The obvious repair, if one exists.
    public let fix: Fix?

    public init(_ problem: Problem, at range: SourceRange, fix: Fix? = nil) {
        self.problem = problem
        self.range = range
        self.fix = fix
    }

    /// The kind of mistake.
    public var kind: Kind { problem.kind }

    /// The repaired text, as it appears after "did you mean".
    public var repair: String? { fix?.shown }
}

extension Diagnostic {
    /// A change of the query that repairs a mistake.
    public struct Fix: Hashable, Sendable {
        /// The range to replace, in UTF-8 offsets of the query; empty: an insertion.
        public let range: SourceRange
        /// The replacement.
        public let replacement: String
        /// As much of the repaired query as shows the repair.
        public let shown: String

        public init(replacing range: SourceRange, with replacement: String, shown: String) {
            self.range = range
            self.replacement = replacement
            self.shown = shown
        }
    }
}
