// The findings of a linter that also checks calls which may not be queries.

import StanzaLint

/// `line:column rule` of each finding.
func findings(_ source: String, _ language: SourceLanguage) -> [String] {
    Linter(unsure: .check).findings(in: source, language: language).map {
        "\($0.start.line):\($0.start.column) \($0.rule.name)"
    }
}

/// The findings about a query.
func findings(_ query: String) -> [LintFinding] {
    Linter(unsure: .check).findings(in: "a.find(#\"\(query)\"#)", language: .swift)
}
