// Text from strangers as a part of a line, which it keeps one. What must not be in it says XMLTree's
// `isObeyedByTerminals`.

import XMLTree

extension String {
    /// The text with `\n`, `\r`, `\\`, and `\u….` for other control characters, the line breaks that only Unicode
    /// knows, and what turns the direction of writing: a line that shows what is in it.
    var escapedForLine: String {
        guard utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0.mayBeginControl }) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "\\": text.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": text.append(contentsOf: "\\n".unicodeScalars)
            case "\r": text.append(contentsOf: "\\r".unicodeScalars)
            case _ where scalar.isEscapedInLines: text.append(contentsOf: "\\u\(scalar.fourHexDigits)".unicodeScalars)
            default: text.append(scalar)
            }
        }
        return String(text)
    }

    /// The name of a file or a folder as a part of a line. It may hold anything, and an empty one would not be seen.
    var asFileName: String { isEmpty ? "''" : escapedForLine }

    /// `withoutControls` of a text of several lines, which it keeps.
    var linesWithoutControls: String {
        unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0).withoutControls }.joined(separator: "\n")
    }
}

extension [UInt8] {
    /// Makes character references of the line breaks and other control characters in texts and values of XML.
    ///
    /// - Parameters:
    ///   - start: What stands before stays as it is.
    ///   - keepsLineBreaks: Whether `\n` stays: for XML of many lines.
    mutating func replaceControlsByReferences(from start: Int, keepingLineBreaks keepsLineBreaks: Bool = false) {
        guard self[start...].contains(where: \.mayBeginControl) else { return }
        var text = ""
        for scalar in String(decoding: self[start...], as: UTF8.self).unicodeScalars {
            let isEscaped = scalar.isEscapedInLines && !(keepsLineBreaks && scalar == "\n")
            if isEscaped { text += "&#\(scalar.value);" } else { text.unicodeScalars.append(scalar) }
        }
        replaceSubrange(start..., with: text.utf8)
    }
}

extension Unicode.Scalar {
    /// What a line cannot hold as it is: a tab it can.
    fileprivate var isEscapedInLines: Bool { self != "\t" && isObeyedByTerminals }

    /// The code point of the basic plane as escapes have it.
    var fourHexDigits: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

extension UInt8 {
    /// Whether it is a character that a line cannot hold, or the first byte of one in UTF-8.
    fileprivate var mayBeginControl: Bool {
        switch self {
        case UInt8(ascii: "\t"): false
        case 0..<0x20, 0x7F, 0xC2, 0xE2: true
        default: false
        }
    }
}
