// Escapes texts in outlines, listings, explanations and traces: they stay on one line, and different texts look
// different. SeenScalars.swift decides which scalars are visible.
//
// Drawings of mistakes point at columns, so DiagnosticDrawing.swift replaces each character by one character instead.

import SafeText

/// A text with `\u{200B}` and the like for invisible scalars: it holds nothing that a terminal would obey. Two texts
/// that differ only in an invisible scalar look different.
///
/// It doubles only a backslash before such an escape, or before a text that looks like one. So regular expressions stay
/// unchanged, and the result is unambiguous.
package func escapedText(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != .backslash }) { return text }
    var seen = SeenScalars()
    // The number of backslashes at the end of the output.
    var backslashes = 0
    return text.rewritten { scalar, rest, bytes in
        let isSeen = seen.shows(scalar)
        if scalar == "\\" {
            backslashes += 1
            return false
        }
        let looksEscaped = scalar == "u" && rest.first == UInt8(ascii: "{")
        if !isSeen || looksEscaped { bytes.append(contentsOf: repeatElement(.backslash, count: backslashes)) }
        backslashes = 0
        if !isSeen { bytes.append(contentsOf: scalar.escape.utf8) }
        return !isSeen
    }
}

/// A text between quotes, in which a backslash precedes each quote and backslash; `escapedText` defines how it escapes
/// invisible scalars.
package func quotedText(_ text: String) -> String {
    var seen = SeenScalars()
    let escaped = text.rewritten { scalar, _, bytes in
        let isSeen = seen.shows(scalar)
        switch scalar {
        case "\\", "\"":
            bytes.append(.backslash)
            return false
        case "\n": bytes.append(contentsOf: "\\n".utf8)
        case "\r": bytes.append(contentsOf: "\\r".utf8)
        case "\t": bytes.append(contentsOf: "\\t".utf8)
        default:
            if !isSeen { bytes.append(contentsOf: scalar.escape.utf8) }
            return !isSeen
        }
        return true
    }
    return "\"\(escaped)\""
}

extension String {
    /// The text with other text for some scalars, which `replace` returns: `append(_:stoppingAt:replacing:)`.
    func rewritten(
        _ replace: (Unicode.Scalar, Slice<UnsafeBufferPointer<UInt8>>, inout [UInt8]) -> Bool
    ) -> String {
        var text = self
        var bytes: [UInt8] = []
        text.withUTF8 { bytes.append($0, stoppingAt: { _ in true }, replacing: replace) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Unicode.Scalar {
    fileprivate var escape: String { "\\u{\(String(value, radix: 16, uppercase: true))}" }
}
