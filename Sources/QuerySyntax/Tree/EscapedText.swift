// Texts in outlines, listings, explanations and traces: on one line, and so that different texts look different.
//
// Drawings of mistakes point at columns and replace one for one instead: DiagnosticDrawing.swift.

/// A text with `\u{200B}` and the like for what is not seen by itself: a terminal has nothing to obey in it, and two
/// texts that differ do not look the same because of what one of them hides.
///
/// Backslashes are doubled only where they stand before such an escape, or before a text that looks like one: regular
/// expressions stay what they are, and still nothing is ambiguous.
package func escapedText(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != .backslash }) { return text }
    let scalars = Array(text.unicodeScalars)
    var escaped = String.UnicodeScalarView()
    // So many backslashes end what is written.
    var backslashes = 0
    for (index, scalar) in scalars.enumerated() {
        if scalar == "\\" {
            backslashes += 1
            escaped.append(scalar)
            continue
        }
        let looksEscaped = scalar == "u" && index + 1 < scalars.count && scalars[index + 1] == "{"
        if !scalar.isSeen || looksEscaped { escaped.append(contentsOf: repeatElement("\\", count: backslashes)) }
        if scalar.isSeen { escaped.append(scalar) } else { escaped.append(contentsOf: scalar.escape.unicodeScalars) }
        backslashes = 0
    }
    return String(escaped)
}

/// A text between quotes, in which they and all backslashes have one in front of them; what is not seen by itself is
/// escaped as in `escapedText`.
package func quotedText(_ text: String) -> String {
    var quoted: String.UnicodeScalarView = "\"".unicodeScalars
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\\", "\"":
            quoted.append("\\")
            quoted.append(scalar)
        case "\n": quoted.append(contentsOf: "\\n".unicodeScalars)
        case "\r": quoted.append(contentsOf: "\\r".unicodeScalars)
        case "\t": quoted.append(contentsOf: "\\t".unicodeScalars)
        case _ where scalar.isSeen: quoted.append(scalar)
        default: quoted.append(contentsOf: scalar.escape.unicodeScalars)
        }
    }
    quoted.append("\"")
    return String(quoted)
}

extension Unicode.Scalar {
    fileprivate var escape: String { "\\u{\(String(value, radix: 16, uppercase: true))}" }

    /// Whether it shows as something of its own, wherever it stands. Of spaces only the usual one does; marks and the
    /// inner letters of Korean syllables join what stands before them, which one character can be as well.
    fileprivate var isSeen: Bool {
        switch value {
        case 0x20..<0x7F: return true
        // Letters that join, and a picture of Braille without dots.
        case 0x1160...0x11FF, 0xD7B0...0xD7FF, 0x2800: return false
        default: break
        }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .nonspacingMark, .enclosingMark,
            .spacingMark, .privateUse, .surrogate, .unassigned:
            return false
        default: return !properties.isDefaultIgnorableCodePoint
        }
    }
}
