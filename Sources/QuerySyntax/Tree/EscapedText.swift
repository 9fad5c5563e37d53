// Texts in outlines, listings, explanations and traces: on one line, and so that different texts look different. What
// is seen of a text knows SeenScalars.swift.
//
// Drawings of mistakes point at columns and replace one for one instead: DiagnosticDrawing.swift.

/// A text with `\u{200B}` and the like for what is not seen where it stands: a terminal has nothing to obey in it, and
/// two texts that differ do not look the same because of what one of them hides.
///
/// Backslashes are doubled only where they stand before such an escape, or before a text that looks like one: regular
/// expressions stay what they are, and still nothing is ambiguous.
package func escapedText(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != .backslash }) { return text }
    let scalars = Array(text.unicodeScalars)
    var seen = SeenScalars()
    var escaped = String.UnicodeScalarView()
    // So many backslashes end what is written.
    var backslashes = 0
    for (index, scalar) in scalars.enumerated() {
        let isSeen = seen.shows(scalar)
        if scalar == "\\" {
            backslashes += 1
            escaped.append(scalar)
            continue
        }
        let looksEscaped = scalar == "u" && index + 1 < scalars.count && scalars[index + 1] == "{"
        if !isSeen || looksEscaped { escaped.append(contentsOf: repeatElement("\\", count: backslashes)) }
        if isSeen { escaped.append(scalar) } else { escaped.append(contentsOf: scalar.escape.unicodeScalars) }
        backslashes = 0
    }
    return String(escaped)
}

/// A text between quotes, in which they and all backslashes have one in front of them; what is not seen is
/// escaped as in `escapedText`.
package func quotedText(_ text: String) -> String {
    var quoted: String.UnicodeScalarView = "\"".unicodeScalars
    var seen = SeenScalars()
    for scalar in text.unicodeScalars {
        let isSeen = seen.shows(scalar)
        switch scalar {
        case "\\", "\"":
            quoted.append("\\")
            quoted.append(scalar)
        case "\n": quoted.append(contentsOf: "\\n".unicodeScalars)
        case "\r": quoted.append(contentsOf: "\\r".unicodeScalars)
        case "\t": quoted.append(contentsOf: "\\t".unicodeScalars)
        case _ where isSeen: quoted.append(scalar)
        default: quoted.append(contentsOf: scalar.escape.unicodeScalars)
        }
    }
    quoted.append("\"")
    return String(quoted)
}

extension Unicode.Scalar {
    fileprivate var escape: String { "\\u{\(String(value, radix: 16, uppercase: true))}" }
}
