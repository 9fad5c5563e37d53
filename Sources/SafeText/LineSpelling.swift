// Makes untrusted texts safe for a line of a terminal, a log or a file. One pass over UTF-8 serves every spelling.
//
// The module imports nothing and does not depend on its users.

/// How a text spells the characters that control a terminal or are invisible.
package enum LineSpelling: Sendable {
    /// `\n`, `\r`, `\\`, and `\u2028` for others. A tab stays.
    case backslashes
    /// The escapes of a JSON string, without its quotes.
    case json
    /// XML's character references. A tab stays.
    case references(keepingLineBreaks: Bool)
    /// A replacement character for each.
    case replacements
    /// The same, but line feeds stay.
    case replacementsInLines
    /// Content or an attribute value of XML, on one line. Characters that XML forbids are replaced.
    case xml
    /// A space for each line break and tab, a replacement character for each of the others.
    case words
}

extension String {
    /// The text in another spelling, in linear time.
    package func spelled(_ spelling: LineSpelling) -> String {
        var text = self
        return text.withUTF8 { utf8 in
            if !utf8.contains(where: spelling.mayChange) { return nil }
            var bytes: [UInt8] = []
            bytes.append(utf8, spelled: spelling)
            return String(decoding: bytes, as: UTF8.self)
        } ?? self
    }
}

extension [UInt8] {
    package mutating func append(_ text: String, spelled spelling: LineSpelling) {
        var text = text
        text.withUTF8 { append($0, spelled: spelling) }
    }

    /// Changes the spelling of all bytes from an index on. They are UTF-8.
    package mutating func spell(from start: Int, as spelling: LineSpelling) {
        guard let first = self[start...].firstIndex(where: spelling.mayChange) else { return }
        let rest = Array(self[first...])
        removeSubrange(first...)
        rest.withUnsafeBufferPointer { append($0, spelled: spelling) }
    }

    fileprivate mutating func append(_ text: UnsafeBufferPointer<UInt8>, spelled spelling: LineSpelling) {
        append(text, stoppingAt: spelling.mayChange) { scalar, rest, bytes in
            // Emoji, Persian and the scripts of India need joiners. Inside ASCII, a joiner only makes texts differ.
            let isJoiner = scalar == "\u{200C}" || scalar == "\u{200D}"
            if isJoiner, bytes.last ?? 0 >= 0x80, rest.first ?? 0 >= 0x80 { return false }
            guard let replacement = spelling.replacement(of: scalar) else { return false }
            bytes.append(contentsOf: replacement.utf8)
            return true
        }
    }

    /// Appends UTF-8, with something else for some scalars.
    ///
    /// - Parameters:
    ///   - stops: Whether a scalar that begins with this byte may be replaced.
    ///   - replace: Gets such a scalar, the bytes that follow it, and the output up to it. Appends the replacement and
    ///     returns true, or returns false to keep the scalar.
    /// - Complexity: O(n), however many scalars are replaced.
    package mutating func append(
        _ text: UnsafeBufferPointer<UInt8>, stoppingAt stops: (UInt8) -> Bool,
        replacing replace: (Unicode.Scalar, Slice<UnsafeBufferPointer<UInt8>>, inout [UInt8]) -> Bool
    ) {
        // Reserving so much for each of many texts would copy all of them each time.
        if isEmpty { reserveCapacity(text.count) }
        var (kept, index) = (0, 0)
        while index < text.count {
            guard stops(text[index]) else {
                index += 1
                continue
            }
            append(contentsOf: text[kept..<index])
            kept = index
            var decoder = UTF8()
            var rest = text[index...].makeIterator()
            guard case .scalarValue(let scalar) = decoder.decode(&rest) else {
                index += 1
                continue
            }
            index = Swift.min(index + UTF8.width(scalar), text.count)
            if replace(scalar, text[index...], &self) { kept = index }
        }
        append(contentsOf: text[kept...])
    }
}

extension LineSpelling {
    /// Whether a scalar that begins with this byte in UTF-8 may have another spelling.
    fileprivate func mayChange(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F, 0xC2, 0xD8, 0xE1, 0xE2, 0xEF, 0xF0, 0xF3: true
        default:
            switch self {
            case .backslashes: byte == UInt8(ascii: "\\")
            case .json: byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\"")
            case .xml:
                switch byte {
                case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "'"), UInt8(ascii: "\""):
                    true
                default: false
                }
            case .references, .replacements, .replacementsInLines, .words: false
            }
        }
    }

    /// The replacement of a scalar; `nil` keeps it.
    fileprivate func replacement(of scalar: Unicode.Scalar) -> String? {
        switch (self, scalar) {
        case (.backslashes, "\\"), (.json, "\\"): "\\\\"
        case (.json, "\""): "\\\""
        case (.backslashes, "\n"), (.json, "\n"): "\\n"
        case (.backslashes, "\r"), (.json, "\r"): "\\r"
        case (.json, "\t"): "\\t"
        case (.backslashes, "\t"), (.references, "\t"), (.references(keepingLineBreaks: true), "\n"),
            (.replacementsInLines, "\n"):
            nil
        case (.xml, _): scalar.inXML
        case (.words, "\n"), (.words, "\t"), (.words, "\u{2028}"), (.words, "\u{2029}"): " "
        case _ where !scalar.isUnsafeToShow: nil
        case (.backslashes, _), (.json, _):
            String(scalar).utf16.map { "\\u" + hexDigits(UInt32($0), uppercase: false) }.joined()
        case (.references, _): "&#\(scalar.value);"
        case (.replacements, _), (.replacementsInLines, _), (.words, _): "\u{FFFD}"
        }
    }
}

extension Unicode.Scalar {
    /// Whether the character controls a terminal or is invisible: controls, line breaks, and the format characters that
    /// no font draws. With some of these, two texts look the same; others reverse the direction of the text after them.
    package var isUnsafeToShow: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0xAD, 0x61C, 0x180E, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2064,
            0x2066...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0001, 0xE0020...0xE007F:
            true
        default: false
        }
    }

    /// The XML spelling of the character; `nil` for the character itself.
    fileprivate var inXML: String? {
        switch self {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "'": "&apos;"
        case "\"": "&quot;"
        case "\t", "\n", "\r": "&#\(value);"
        case "\0"..<" ", "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
        default: isUnsafeToShow ? "&#\(value);" : nil
        }
    }

    /// The code point as messages name it: `U+00E9`.
    package var codePoint: String { "U+" + hexDigits(value, uppercase: true) }
}

/// At least four digits, as escapes of the basic plane spell them.
private func hexDigits(_ value: UInt32, uppercase: Bool) -> String {
    let digits = String(value, radix: 16, uppercase: uppercase)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
}
