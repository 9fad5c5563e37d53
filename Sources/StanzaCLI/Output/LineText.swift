// Numbers and untrusted texts as parts of a line. SafeText decides which characters need another spelling.

import SafeText

/// `1 result`, `2 results`.
func counted(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }

/// A number with one decimal digit; it is not negative.
func decimal(tenths: Int) -> String { "\(tenths / 10).\(tenths % 10)" }

extension String {
    /// The text with escapes for backslashes and terminal control characters: a line that shows its whole content.
    var escapedForLine: String { spelled(.backslashes) }

    /// The text with a replacement character for each terminal control character. Backslashes stay, as in sentences.
    var withoutControls: String { spelled(.replacements) }

    /// The name of a file or a folder as a part of a line. It may hold anything, and an empty one would be invisible.
    /// Bytes that are not UTF-8 are `\xFF` and the like.
    package var asFileName: String {
        if isEmpty { return "''" }
        var line = escapedForLine
        return line.withUTF8 { utf8 in
            var bytes: [UInt8] = []
            bytes.append(utf8, stoppingAt: { $0 == FileName.firstOfByte }) { scalar, _, bytes in
                guard FileName.isByte(scalar) else { return false }
                bytes += "\\x\(String(scalar.value & 0xFF, radix: 16, uppercase: true))".utf8
                return true
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The name of a file as a text for other programs: a replacement character for each byte that is not UTF-8.
    var withoutBytes: String {
        hasBytes ? String(decoding: FileName.bytes(of: self), as: UTF8.self) : self
    }

    /// `withoutControls` of a text of several lines, which it keeps.
    package var linesWithoutControls: String { spelled(.replacementsInLines) }
}
