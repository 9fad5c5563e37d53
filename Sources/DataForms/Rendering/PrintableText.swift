// Text from strangers, made fit for sentences and terminals.

import SafeText

extension String {
    /// Longer texts are cut in sentences.
    private static let shownLength = 80

    /// The text for use in a sentence: in one line, of bounded length, and without terminal control characters.
    func shown() -> String {
        let cut = unicodeScalars.prefix(Self.shownLength + 1)
        let isLong = cut.count > Self.shownLength
        return String(isLong ? cut.prefix(Self.shownLength) : cut).printable() + (isLong ? "…" : "")
    }

    /// The text without terminal control characters, and with every run of white space as one space.
    package var oneLine: String { printable().split(separator: " ").joined(separator: " ") }

    /// The text with spaces in place of line breaks and tabs, and a replacement character in place of everything else
    /// that a terminal would obey.
    func printable() -> String { spelled(.words) }
}
