// Limits a server's text for people before logs and screens show it. Module SafeText replaces its unsafe characters.

extension String {
    /// The first 1,000 Unicode scalars, so that combining characters cannot make the text longer.
    package var shortened: String { String(String.UnicodeScalarView(unicodeScalars.prefix(1000))) }
}
