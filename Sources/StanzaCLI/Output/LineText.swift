// Texts from strangers as parts of a line. Which characters need another spelling, SafeText decides.

import SafeText

extension String {
    /// The text with escapes for backslashes and for what a terminal obeys: a line that shows what is in it.
    var escapedForLine: String { spelled(.backslashes) }

    /// The text with a replacement character for each that a terminal obeys. Backslashes stay, as in sentences.
    var withoutControls: String { spelled(.replacements) }

    /// The name of a file or a folder as a part of a line. It may hold anything, and an empty one would be invisible.
    /// Bytes that are not UTF-8 are `\xFF` and the like.
    var asFileName: String {
        if isEmpty { return "''" }
        if !unicodeScalars.contains(where: FileName.isByte) { return escapedForLine }
        return unicodeScalars.map { scalar in
            FileName.isByte(scalar)
                ? "\\x" + String(scalar.value & 0xFF, radix: 16, uppercase: true) : String(scalar).escapedForLine
        }.joined()
    }

    /// The name of a file as a text that others read: a replacement character for each byte that is not UTF-8.
    var withoutBytes: String {
        unicodeScalars.contains(where: FileName.isByte)
            ? String(decoding: FileName.path(self).dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self) : self
    }

    /// `withoutControls` of a text of several lines, which it keeps.
    var linesWithoutControls: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).withoutControls }
            .joined(separator: "\n")
    }
}
