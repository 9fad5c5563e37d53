// Text from strangers, made fit for sentences and terminals.

import XMLTree

extension String {
    /// Longer texts are cut in sentences.
    private static let shownLength = 80

    /// The text as it may stand in a sentence: in one line, of bounded length, and without what a terminal would obey.
    func shown() -> String {
        let cut = unicodeScalars.prefix(Self.shownLength + 1)
        let isLong = cut.count > Self.shownLength
        return String(isLong ? cut.prefix(Self.shownLength) : cut).printable() + (isLong ? "…" : "")
    }

    /// The text without what a terminal would obey, and with every run of white space as one space.
    package var oneLine: String { printable().split(separator: " ").joined(separator: " ") }

    /// The text with spaces in place of line breaks and tabs, and a replacement character in place of everything else
    /// that a terminal would obey.
    func printable() -> String {
        var result = String().unicodeScalars
        for scalar in unicodeScalars {
            switch scalar {
            case "\n", "\t", "\u{2028}", "\u{2029}": result.append(" ")
            case _ where scalar.isObeyedByTerminals: result.append("\u{FFFD}")
            default: result.append(scalar)
            }
        }
        return String(result)
    }
}
