// Finds one string in an object, fast: it skips the values of other members, and allocates nothing for them.
//
// It handles common objects, and gives up on everything rare or wrong. JSONReader.swift then reads the text, and
// reports its mistakes.

import XMLTree

enum JSONStringMember {
    /// Appends the string of a member in UTF-8, its escapes resolved.
    ///
    /// - Returns: The offset of the string's opening quote. `nil`, with nothing appended, if the text has no such
    ///   string member, if it is not JSON, or if it needs the full reader. Of several members the last counts.
    static func append(_ name: [UInt8], of text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) -> Int? {
        let start = bytes.count
        var scanner = Scanner(text)
        let offset = name.withUnsafeBytes { scanner.member($0, &bytes) }
        if offset == nil { bytes.removeLast(bytes.count - start) }
        return offset
    }
}

private struct Scanner {
    private let text: UnsafeRawBufferPointer
    private var index = 0
    /// Whether `skipPlain` has passed ASCII only.
    private var isASCII = true

    init(_ text: UnsafeRawBufferPointer) {
        self.text = text
    }

    private var next: UInt8? { index < text.count ? text[index] : nil }

    mutating func member(_ name: UnsafeRawBufferPointer, _ bytes: inout [UInt8]) -> Int? {
        let start = bytes.count
        var found: Int?
        skipSpace()
        guard take("{") else { return nil }
        repeat {
            skipSpace()
            guard let key = plainString() else { return nil }
            skipSpace()
            guard take(":") else { return nil }
            skipSpace()
            if key.elementsEqual(name) {
                bytes.removeLast(bytes.count - start)
                found = index
                guard appendString(to: &bytes) else { return nil }
            } else {
                guard skipValue() else { return nil }
            }
            skipSpace()
        } while take(",")
        guard take("}") else { return nil }
        skipSpace()
        return index == text.count ? found : nil
    }

    // MARK: Strings

    /// A string without escapes and in ASCII, without its quotes.
    private mutating func plainString() -> UnsafeRawBufferPointer? {
        guard take("\"") else { return nil }
        let start = index
        isASCII = true
        skipPlain()
        let end = index
        return take("\"") && isASCII ? UnsafeRawBufferPointer(rebasing: text[start..<end]) : nil
    }

    private mutating func appendString(to bytes: inout [UInt8]) -> Bool {
        guard take("\"") else { return false }
        let textStart = bytes.count
        isASCII = true
        while true {
            let start = index
            skipPlain()
            bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[start..<index]))
            if take("\"") { return isASCII || String(validating: bytes[textStart...], as: UTF8.self) != nil }
            guard take("\\"), let escape = next else { return false }
            index += 1
            switch escape {
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes.append(escape)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "u"):
                // Not for halves of surrogate pairs.
                guard let scalar = codeUnit().flatMap({ Unicode.Scalar($0) }) else { return false }
                bytes.append(contentsOf: UTF8.encode(scalar).unsafelyUnwrapped)
            default: return false
            }
        }
    }

    /// Four hexadecimal digits.
    private mutating func codeUnit() -> UInt32? {
        guard index + 4 <= text.count else { return nil }
        var value: UInt32 = 0
        for byte in text[index..<index + 4] {
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
            value = value << 4 + UInt32(digit)
        }
        index += 4
        return value
    }

    /// Goes to the next quote, backslash or control character.
    private mutating func skipPlain() {
        while index + 8 <= text.count {
            let word = ByteWord(text, at: index)
            let marks = word.equal(to: UInt8(ascii: "\"")) | word.equal(to: UInt8(ascii: "\\")) | word.below(0x20)
            guard marks.isEmpty else { break }
            isASCII = isASCII && word.isASCII
            index += 8
        }
        while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
            isASCII = isASCII && byte < 0x80
            index += 1
        }
    }

    // MARK: Other values

    private mutating func skipValue() -> Bool {
        switch next {
        case UInt8(ascii: "\""): plainString() != nil
        case UInt8(ascii: "t"): skip("true")
        case UInt8(ascii: "f"): skip("false")
        case UInt8(ascii: "n"): skip("null")
        default: skipNumber()
        }
    }

    private mutating func skipNumber() -> Bool {
        _ = take("-")
        if !take("0"), !skipDigits() { return false }
        if take("."), !skipDigits() { return false }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            return skipDigits()
        }
        return true
    }

    private mutating func skipDigits() -> Bool {
        let start = index
        while let byte = next, byte.isDigit { index += 1 }
        return index > start
    }

    private mutating func skip(_ word: StaticString) -> Bool {
        guard text[index...].starts(with: word.buffer) else { return false }
        index += word.buffer.count
        return true
    }

    // MARK: Bytes

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0D { index += 1 }
    }

    private mutating func take(_ wanted: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: wanted) else { return false }
        index += 1
        return true
    }
}
