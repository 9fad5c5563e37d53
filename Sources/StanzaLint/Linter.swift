// The entry point of the linter: source files in, findings about their queries out.
//
// Scanning/ finds the literals in each language; CallCheck.swift checks the queries. The module has no command line.

import QuerySyntax

/// Finds the queries in source code, and the mistakes in them.
///
/// ```swift
/// let findings = Linter().findings(in: source, language: .swift)
/// let first = findings.first?.message  // unknown conversion 'integer'
/// ```
///
/// It checks literals in calls of `find`, `findFirst` and `check`, in `Query(…)` and `#query(…)`, and in Lua's
/// `:find(…)`. A Swift interpolation in them is a value; outside the places of values it is a mistake. Queries built
/// otherwise at run time are not checked.
///
/// Other libraries have functions of these names. A call is *sure* to take a query in three cases. In Swift, the file
/// imports a module with queries, and no label belongs to another function. In Objective-C, the receiver is declared as
/// an XML node, or the literal has a form that only queries have. In Lua, always. ``unsure`` selects what to do with
/// other calls.
public struct Linter: Sendable {
    /// What the linter does with calls that may be another library's.
    public enum UnsureCalls: Sendable {
        /// Passes over them.
        case skip
        /// Reports their mistakes as notes.
        case note
        /// Treats them like all other calls.
        case check
    }

    /// Warnings that are not reported.
    public var disabled: Set<LintRule>
    /// What the linter does with calls that may be another library's.
    public var unsure: UnsureCalls

    /// Creates a linter that reports everything except some warnings.
    ///
    /// - Parameters:
    ///   - disabled: Warnings that are not reported; errors always are.
    ///   - unsure: What the linter does with calls that may be another library's.
    public init(disabled: Set<LintRule> = [], unsure: UnsureCalls = .skip) {
        self.disabled = disabled
        self.unsure = unsure
    }

    /// Finds the mistakes in a source text, in text order. Of one query it reports at most as many as the language
    /// does. The cost is linear in the length of the text. A pattern on the same attribute as a literal may take as
    /// long as a match at run time.
    public func findings(in source: String, language: SourceLanguage) -> [LintFinding] {
        let text = SourceText(source)
        let calls = QueryCall.calls(in: text, language).filter { $0.isSure || unsure != .skip }
        let ignored = calls.isEmpty ? [] : text.ignoredLines(language)
        return calls.flatMap { call -> [LintFinding] in
            if text.lines(of: call.literal.range).contains(where: ignored.contains) { return [] }
            let found = CallCheck(call).findings.filter { !disabled.contains($0.rule) }
            // All share one text, however long it is.
            let query = found.isEmpty ? "" : call.literal.text
            return found.prefix(QueryLimits.diagnostics).map { finding in
                LintFinding(
                    finding, at: text.place(of: call.literal, finding.range), query: query,
                    isNote: !call.isSure && unsure == .note)
            }
        }
    }
}

/// A mistake or a probable mistake in a query, with its place.
public struct LintFinding: Sendable, Hashable {
    /// The severity of a finding, named as compilers do.
    public enum Severity: String, Sendable {
        /// The query fails when it is compiled or evaluated.
        case error
        /// The query is legal, but probably not what the author meant.
        case warning
        /// An error or a warning, if the call takes a query at all.
        case note
    }

    /// The kind of the mistake.
    public let rule: LintRule
    /// The severity.
    public let severity: Severity
    /// The mistake, in one line without control characters, whatever the query holds.
    public let message: String
    /// The expected or intended form, in one line like the message; `nil` where the message is complete.
    public let hint: String?
    /// Where it begins.
    public let start: Position
    /// Where it ends: after the last character.
    public let end: Position
    /// The query, as it is at run time, with `\(…)` for each interpolation.
    public let query: String

    /// The maximum number of scalars of a message or a hint: names and values in it may be as long as the source text.
    static let shownScalars = 1_000

    init(_ finding: QueryFinding, at place: Range<Position>, query: String, isNote: Bool) {
        rule = finding.rule
        severity = isNote ? .note : finding.rule.isError ? .error : .warning
        message = Self.shown(finding.message)
        hint = finding.hint.map(Self.shown)
        start = place.lowerBound
        end = place.upperBound
        self.query = query
    }

    private static func shown(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let shown = visibleScalars(String(scalars.prefix(shownScalars)))
        return scalars.dropFirst(shownScalars).isEmpty ? shown : shown + "…"
    }
}

extension LintFinding {
    /// A place in a source file, as compilers name it.
    public struct Position: Sendable, Hashable, Comparable {
        /// From 1.
        public let line: Int
        /// From 1, in bytes of UTF-8.
        public let column: Int
        /// From 1, in code units of UTF-16, as editors count.
        public let utf16Column: Int

        public static func < (left: Position, right: Position) -> Bool {
            (left.line, left.column) < (right.line, right.column)
        }
    }
}
