// Queries in source code: start here. Files go in, findings come out.
//
// Scanning/ finds the literals, as each language writes them; QueryCheck.swift looks at the queries. Knows no command
// line.

import QuerySyntax

/// Finds the queries in source code, and what is wrong with them.
///
/// ```swift
/// let findings = Linter().findings(in: source, language: .swift)
/// let first = findings.first?.message  // unknown conversion 'integer'
/// ```
///
/// It looks at literals in calls of `find`, `findFirst` and `check`, in `Query(…)` and `#query(…)`, and in Lua's
/// `:find(…)`. What Swift interpolates in them is a value, which stands where it may or is a mistake. What is put
/// together at run time otherwise it leaves alone.
///
/// Other libraries have functions of these names. A call is *sure* to take a query in a Swift file that imports a
/// module with queries, if no label is another function's; in Objective-C, if the receiver is declared as an XML node,
/// or the literal has a form that only queries have; in Lua always. ``unsure`` selects what to do with other calls.
public struct Linter: Sendable {
    /// What the linter does with calls that may be another library's.
    public enum UnsureCalls: Sendable {
        /// Passes over them.
        case skip
        /// Reports what is wrong with them as notes.
        case note
        /// Treats them like all other calls.
        case check
    }

    /// Warnings that are not given.
    public var disabled: Set<LintRule>
    /// What the linter does with calls that may be another library's.
    public var unsure: UnsureCalls

    /// A linter that finds everything but some warnings.
    ///
    /// - Parameters:
    ///   - disabled: Warnings that are not given; errors always are.
    ///   - unsure: What the linter does with calls that may be another library's.
    public init(disabled: Set<LintRule> = [], unsure: UnsureCalls = .skip) {
        self.disabled = disabled
        self.unsure = unsure
    }

    /// What is wrong in a source text, in the order of the text; of one query no more than the language reports
    /// mistakes. The cost is linear in its length; a pattern that stands beside a literal of its attribute may take as
    /// long as a match at run time.
    public func findings(in source: String, language: SourceLanguage) -> [LintFinding] {
        let text = SourceText(source)
        let calls = QueryCall.calls(in: text, language).filter { $0.isSure || unsure != .skip }
        let ignored = calls.isEmpty ? [] : text.ignoredLines(language)
        return calls.flatMap { call -> [LintFinding] in
            if text.lines(of: call.literal.range).contains(where: ignored.contains) { return [] }
            let found = QueryCheck(call).findings.filter { !disabled.contains($0.rule) }
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

/// Something that is wrong with a query, or probably is, and where it stands.
public struct LintFinding: Sendable, Hashable {
    /// How much a finding weighs, as compilers call it.
    public enum Severity: String, Sendable {
        /// The query fails when it is compiled or evaluated.
        case error
        /// The query is legal, and probably not what was meant.
        case warning
        /// An error or a warning, if the call takes a query at all.
        case note
    }

    /// What kind of mistake it is.
    public let rule: LintRule
    /// How much it weighs.
    public let severity: Severity
    /// What is wrong, in one line without anything that a terminal would obey, whatever the query holds.
    public let message: String
    /// What is expected, or meant, in one line like the message; `nil` where the message says all.
    public let hint: String?
    /// Where it begins.
    public let start: SourcePosition
    /// Where it ends: behind the last character.
    public let end: SourcePosition
    /// The query, as it is at run time, with `\(…)` for what is interpolated.
    public let query: String

    /// How many scalars of a message or a hint are told: names and values in it may be as long as the source text.
    static let toldScalars = 1_000

    init(_ finding: QueryFinding, at place: Range<SourcePosition>, query: String, isNote: Bool) {
        rule = finding.rule
        severity = isNote ? .note : finding.rule.isError ? .error : .warning
        message = Self.told(finding.message)
        hint = finding.hint.map(Self.told)
        start = place.lowerBound
        end = place.upperBound
        self.query = query
    }

    private static func told(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let told = visibleScalars(scalars.prefix(toldScalars))
        return scalars.dropFirst(toldScalars).isEmpty ? told : told + "…"
    }
}

/// A place in a source file, as compilers name it.
public struct SourcePosition: Sendable, Hashable, Comparable {
    /// From 1.
    public let line: Int
    /// From 1, in bytes of UTF-8.
    public let column: Int
    /// From 1, in code units of UTF-16, as editors count.
    public let utf16Column: Int

    public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
