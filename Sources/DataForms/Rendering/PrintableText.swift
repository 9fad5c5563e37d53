// Makes untrusted text safe for sentences and terminals.

import SafeText

extension String {
    /// The maximum length in a sentence. Longer text is cut.
    private static let shownLength = 80

    /// The text for use in a sentence: in one line, of bounded length, and without terminal control characters.
    func shown() -> String {
        let cut = unicodeScalars.prefix(Self.shownLength + 1)
        let isLong = cut.count > Self.shownLength
        return String(isLong ? cut.prefix(Self.shownLength) : cut).printable() + (isLong ? "…" : "")
    }

    /// The text without terminal control characters, and with every run of white space as one space.
    package var oneLine: String { printable().split(separator: " ").joined(separator: " ") }

    /// Returns the text with spaces for line breaks and tabs, and a replacement character for all other control
    /// characters of terminals.
    func printable() -> String { spelled(.words) }
}
