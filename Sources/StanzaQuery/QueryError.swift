// The error of queries: the mistakes in the text, or the reason why an evaluation could not finish.

public import QuerySyntax

/// The reason why a query could not be compiled or evaluated.
///
/// Its description draws the query with a caret, as `Diagnostic` shows.
public struct QueryError: Error, Sendable, Equatable {
    /// The query's text.
    public let source: String
    /// All mistakes, the leftmost first; never empty.
    public let diagnostics: [Diagnostic]

    init(source: String, diagnostics: [Diagnostic]) {
        precondition(!diagnostics.isEmpty, "an error names its cause")
        self.source = source
        self.diagnostics = diagnostics
    }

    init(source: String, _ diagnostic: Diagnostic) { self.init(source: source, diagnostics: [diagnostic]) }

    /// The mistake that begins first (rule 7.2).
    public var first: Diagnostic { diagnostics[0] }

    /// The kind of the first mistake. Evaluating a compiled query can only give `arguments` and `regexLimit` (7.1), and
    /// `resultType` with a type of results.
    public var kind: Diagnostic.Kind { first.kind }

    /// The place of the first mistake, in UTF-8 offsets of the query.
    public var range: SourceRange { first.range }
}

extension QueryError: CustomStringConvertible {
    public var description: String { first.rendered(in: source) }
}
