// Limits texts from the network before logs and screens show them.

extension String {
    /// The first 1,000 Unicode scalars, so that combining characters cannot make the text longer.
    package var shortened: String { String(String.UnicodeScalarView(unicodeScalars.prefix(1000))) }

    /// The text for a log or a terminal: one line, without control characters, and at most `limit` Unicode scalars.
    /// Longer texts end with an ellipsis.
    package func excerpt(
        _ limit: Int = String.excerptLimit, spelled spelling: LineSpelling = .replacements
    ) -> String {
        cut(toScalars: limit).spelled(spelling)
    }

    /// The text itself, or its first `limit` Unicode scalars and an ellipsis.
    package func cut(toScalars limit: Int) -> String {
        let start = unicodeScalars.prefix(limit)
        return start.endIndex < unicodeScalars.endIndex ? String(String.UnicodeScalarView(start)) + "…" : self
    }

    /// The longest excerpt: a line or two of a log. Servers explain a failure in less.
    package static var excerptLimit: Int { 200 }
}
