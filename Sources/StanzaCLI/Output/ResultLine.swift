// One result as one line of text, and the escapes that keep it one.

import Foundation
import StanzaQuery

extension QueryValue where Node == Element {
    /// Appends the result without a line break.
    ///
    /// Line breaks, other control characters and backslashes in text are escaped: a terminal might obey them. In XML
    /// they are character references, so that the line still is the element.
    func writeLine(to bytes: inout [UInt8]) {
        if let element = element ?? form?.element {
            let start = bytes.count
            element.write(to: &bytes)
            bytes.replaceControlsByReferences(from: start)
        } else if case .string(let string) = self {
            bytes += string.onOneLine.utf8
        } else {
            bytes += text.utf8
        }
    }

    /// The result as text: `@@` and `&field` as JSON, values the way XMPP writes them, elements as XML.
    package var text: String {
        switch self {
        case .element(let element): element.xmlString()
        case .string(let string): string
        case .attributes(let attributes): attributes.json.text
        case .bool(let bool): bool ? "true" : "false"
        case .int(let int): String(int)
        case .uint(let uint): String(uint)
        case .double(let double): double.description
        case .date(let date): date.dateTimeText
        case .data(let data): data.base64EncodedString()
        case .uuid(let uuid): uuid.uuidString.lowercased()
        case .form(let form): form.element.xmlString()
        case .field(let field): field.json.text
        }
    }
}

extension String {
    /// The text with `\n`, `\r`, `\\`, and `\u….` for other control characters and the line breaks that only Unicode
    /// knows: one line, which tells a terminal to do nothing. Names of files may hold anything, too.
    var onOneLine: String {
        guard utf8.contains(where: { $0 == UInt8(ascii: "\\") || $0.mayBeginControl }) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "\\": text.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": text.append(contentsOf: "\\n".unicodeScalars)
            case "\r": text.append(contentsOf: "\\r".unicodeScalars)
            case _ where scalar.isControl: text.append(contentsOf: "\\u\(scalar.fourHexDigits)".unicodeScalars)
            default: text.append(scalar)
            }
        }
        return String(text)
    }

    /// The text with a replacement character for each that a terminal would obey: for sentences, whose backslashes are
    /// meant.
    var withoutControls: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
                    default: scalar
                    }
                }))
    }

    /// The text as content or attribute value of XML. What XML forbids, as names of files may hold it, is replaced.
    var escapedForXML: String {
        var text = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case ">": text += "&gt;"
            case "'": text += "&apos;"
            case "\t", "\n", "\r": text += "&#\(scalar.value);"
            case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": text += "\u{FFFD}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// All but the tab. What turns the direction of writing is among them: a line shows what is not in it then.
    fileprivate var isControl: Bool {
        switch self {
        case "\t": false
        case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}": true
        default: false
        }
    }
}

extension UInt8 {
    /// Whether it is a control character, or the first byte of one in UTF-8.
    fileprivate var mayBeginControl: Bool {
        switch self {
        case UInt8(ascii: "\t"): false
        case 0..<0x20, 0x7F, 0xC2, 0xE2: true
        default: false
        }
    }
}

extension [UInt8] {
    /// Makes character references of the line breaks and other control characters in texts and values of XML.
    mutating func replaceControlsByReferences(from start: Int) {
        guard self[start...].contains(where: \.mayBeginControl) else { return }
        var text = ""
        for scalar in String(decoding: self[start...], as: UTF8.self).unicodeScalars {
            if scalar.isControl { text += "&#\(scalar.value);" } else { text.unicodeScalars.append(scalar) }
        }
        replaceSubrange(start..., with: text.utf8)
    }
}
