// Limits texts from the network before logs and screens show them.

extension String {
    /// The first 1,000 Unicode scalars, so that combining characters cannot make the text longer.
    package var shortened: String { String(String.UnicodeScalarView(unicodeScalars.prefix(1000))) }

    /// The text for a log or a terminal: one line, without control characters, and at most `limit` Unicode scalars.
    /// Longer texts end with an ellipsis.
    package func excerpt(
        _ limit: Int = String.excerptLimit, spelled spelling: LineSpelling = .replacements
    ) -> String {
        let start = unicodeScalars.prefix(limit)
        let text = String(String.UnicodeScalarView(start)).spelled(spelling)
        return start.endIndex < unicodeScalars.endIndex ? text + "…" : text
    }

    /// The longest excerpt: a line or two of a log. Servers explain a failure in less.
    package static var excerptLimit: Int { 200 }
}
