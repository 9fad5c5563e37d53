// What servers say to people, on its way to logs and screens: it may be anything. What of it stays out of lines says
// SafeText.

extension String {
    /// At most 1,000 characters, whatever is combined with them.
    package var shortened: String { String(String.UnicodeScalarView(unicodeScalars.prefix(1000))) }
}
