// The ways to write a text as a literal of Swift.

/// A way to write a text.
enum Spelling: CaseIterable {
    /// Between quotes, with escapes where they are needed.
    case plain
    /// Every character as its number.
    case numbers
    /// Between `##"` and `"##`.
    case raw
    /// Over several lines.
    case lines

    /// Returns the text as a literal; `nil` if this spelling cannot write it.
    func literal(_ text: String) -> String? {
        switch self {
        case .plain: "\"\(escaped(text))\""
        case .numbers: "\"\(text.unicodeScalars.map { "\\u{\(String($0.value, radix: 16))}" }.joined())\""
        case .raw:
            text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } || text.contains("\"##")
                || text.contains("\\##") ? nil : "##\"\(text)\"##"
        case .lines: "\"\"\"\n        \(escaped(text))\n        \"\"\""
        }
    }

    /// Returns the place of a part of the text in its literal. Both are ranges of bytes; the part is whole characters.
    func place(of part: Range<Int>, in text: String) -> Range<Int> {
        let bytes = Array(text.utf8)
        func length(_ part: ArraySlice<UInt8>) -> Int {
            literal(String(decoding: part, as: UTF8.self)).map { $0.utf8.count } ?? 0
        }
        // The function writes each character separately, between the same delimiters.
        let opening =
            switch self {
            case .plain, .numbers: "\"".utf8.count
            case .raw: "##\"".utf8.count
            case .lines: "\"\"\"\n        ".utf8.count
            }
        let start = length(bytes[..<part.lowerBound]) - length([]) + opening
        return start..<(start + length(bytes[part]) - length([]))
    }

    private func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\", "\"": escaped += "\\\(scalar)"
            case "\n": escaped += "\\n"
            case "\0": escaped += "\\0"
            case _ where scalar.value < 0x20 || (0x7F..<0xA1).contains(scalar.value) || scalar.value >= 0x2000:
                escaped += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
