// What servers say to people, on its way to logs and screens: it may be anything.

import XMLTree

extension String {
    /// At most 1,000 characters, whatever is combined with them.
    package var shortened: String { String(String.UnicodeScalarView(unicodeScalars.prefix(1000))) }

    /// As a part of a line, which it keeps one: with a replacement character for each that a terminal would obey.
    package var inOneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.isObeyedByTerminals ? "\u{FFFD}" : $0 }))
    }
}
