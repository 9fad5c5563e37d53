// Makes untrusted text safe for sentences and terminals.

import SafeText

extension String {
    /// The text for use in a sentence: in one line, of bounded length, and without terminal control characters.
    func shown() -> String { excerpt(80, spelled: .words) }

    /// The text without terminal control characters, and with every run of white space as one space.
    package var oneLine: String { printable().split(separator: " ").joined(separator: " ") }

    /// Returns the text with spaces for line breaks and tabs, and a replacement character for all other control
    /// characters of terminals.
    func printable() -> String { spelled(.words) }
}
