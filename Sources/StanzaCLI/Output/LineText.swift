// Texts from strangers as parts of a line. Which characters need another spelling, SafeText decides.

import SafeText

extension String {
    /// The text with escapes for backslashes and for what a terminal obeys: a line that shows what is in it.
    var escapedForLine: String { spelled(.backslashes) }

    /// The text with a replacement character for each that a terminal obeys. Backslashes stay, as in sentences.
    var withoutControls: String { spelled(.replacements) }

    /// The name of a file or a folder as a part of a line. It may hold anything, and an empty one would be invisible.
    var asFileName: String { isEmpty ? "''" : escapedForLine }

    /// `withoutControls` of a text of several lines, which it keeps.
    var linesWithoutControls: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).withoutControls }
            .joined(separator: "\n")
    }
}
