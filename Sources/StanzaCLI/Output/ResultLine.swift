// One result as one line of text, and the escapes that keep it one.

import Foundation
import StanzaQuery

extension QueryValue where Node == Element {
    /// The result as bytes without a line break.
    ///
    /// Line breaks and backslashes in text are escaped; in XML line breaks are character references, so that the line
    /// still is the element.
    var line: [UInt8] {
        guard let element = element ?? form?.element else {
            return if case .string(let string) = self { Array(string.onOneLine.utf8) } else { Array(text.utf8) }
        }
        return element.xmlBytes().withLineBreaksAsReferences
    }

    /// The result as text: `@@` and `&field` as JSON, values the way XMPP writes them, elements as XML.
    var text: String {
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
    /// The text with `\n`, `\r`, `\\`, and `\u….` for the line breaks that only Unicode knows.
    var onOneLine: String {
        guard unicodeScalars.contains(where: { $0 == "\\" || $0.isLineBreak }) else { return self }
        var text = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "\\": text.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": text.append(contentsOf: "\\n".unicodeScalars)
            case "\r": text.append(contentsOf: "\\r".unicodeScalars)
            case _ where scalar.isLineBreak: text.append(contentsOf: "\\u\(scalar.fourHexDigits)".unicodeScalars)
            default: text.append(scalar)
            }
        }
        return String(text)
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
    fileprivate var isLineBreak: Bool {
        switch self {
        case "\n"..."\r", "\u{85}", "\u{2028}", "\u{2029}": true
        default: false
        }
    }
}

extension [UInt8] {
    /// XML with the line breaks of its text as character references. Tags have none: the writer escapes them in
    /// attributes.
    fileprivate var withLineBreaksAsReferences: [UInt8] {
        guard contains(UInt8(ascii: "\n")) || contains(0x85) || contains(0xA8) || contains(0xA9) else { return self }
        var text = ""
        for scalar in String(decoding: self, as: UTF8.self).unicodeScalars {
            if scalar.isLineBreak { text += "&#\(scalar.value);" } else { text.unicodeScalars.append(scalar) }
        }
        return Array(text.utf8)
    }
}
