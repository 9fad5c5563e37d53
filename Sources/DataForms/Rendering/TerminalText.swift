// Makes untrusted text safe for a terminal, and measures, wraps, pads and cuts it in columns.

import SafeText

extension StringProtocol {
    /// The estimated number of terminal columns of the text: two for wide characters of East Asian typography and for
    /// pictures, one for any other.
    package var columnCount: Int { reduce(0) { $0 + $1.columnCount } }
}

extension String {
    /// The text, padded with spaces at its end to a number of columns.
    func filled(to columns: Int) -> String { self + String(repeating: " ", count: max(0, columns - columnCount)) }

    /// The text, cut to a number of columns. If text is missing, the last column is an ellipsis.
    package func cut(to columns: Int) -> String {
        if columnCount <= columns { return self }
        var result = ""
        var used = 0
        for character in self {
            used += character.columnCount
            if used > columns - 1 { break }
            result.append(character)
        }
        return columns > 0 ? result + "…" : ""
    }

    /// Wraps the text into lines of at most this many columns, at spaces, and inside longer words. Returns at least one
    /// line.
    package func wrapped(to columns: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        var used = 0
        func end() {
            lines.append(line)
            (line, used) = ("", 0)
        }
        for word in split(separator: " ") {
            if used > 0 {
                if used + 1 + word.columnCount <= columns {
                    line += " "
                    used += 1
                } else {
                    end()
                }
            }
            for character in word {
                if used > 0, used + character.columnCount > columns { end() }
                line.append(character)
                used += character.columnCount
            }
        }
        if !line.isEmpty || lines.isEmpty { end() }
        return lines
    }
}

extension Character {
    fileprivate var columnCount: Int {
        guard let first = unicodeScalars.first else { return 0 }
        switch first.value {
        case 0x20..<0x7F: return 1
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default:
            switch first.properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format, .control: return 0
            default: return first.properties.isEmojiPresentation ? 2 : 1
            }
        }
    }
}

extension String {
    /// The text for use in a sentence: in one line, of bounded length, and without terminal control characters.
    func shown() -> String { excerpt(80, spelled: .words) }

    /// The text without terminal control characters, and with every run of white space as one space.
    package var oneLine: String { printable().split(separator: " ").joined(separator: " ") }

    /// Returns the text with spaces for line breaks and tabs, and a replacement character for all other control
    /// characters of terminals.
    func printable() -> String { spelled(.words) }
}
