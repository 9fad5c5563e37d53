// Reads JSON (RFC 8259) from bytes, strictly.
//
// Foundation's readers do not suffice. They provide neither the order of members nor numbers as they were written,
// which suites need (JSONValue.swift). Nor do they provide the place of a value or mistake, which every message about
// an input line has.

import SafeText
import TextValues
import XMLTree

/// Text that is not JSON.
struct JSONError: Error, Equatable {
    /// The offset of the wrong byte; the length of the text at its end.
    let offset: Int
    let message: String
}

/// Reads one value from a text. Linear in its length.
struct JSONReader {
    private let bytes: UnsafeRawBufferPointer
    private var offset = 0
    private var depth = 0

    /// Deeper values are refused, for each level takes some of the stack.
    static let maximumDepth = 256

    private init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    static func read(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in try read(UnsafeRawBufferPointer(bytes)) }
    }

    static func read(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes)
        let value = try reader.value()
        try reader.end()
        return value
    }

    /// Appends the string of an object's member in UTF-8, without a value for it. Of several members the last counts.
    ///
    /// - Returns: The offset of the string's opening quote. `nil`, with nothing appended, if the object has no such
    ///   string, or the text is not JSON.
    static func append(_ name: String, of text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) -> Int? {
        let start = bytes.count
        var found: Int?
        var reader = JSONReader(text)
        do throws(JSONError) {
            reader.skipSpace()
            guard reader.next == UInt8(ascii: "{") else { return nil }
            try reader.members { reader, member throws(JSONError) in
                guard member.isIdentical(to: name) else {
                    _ = try reader.value()
                    return
                }
                bytes.removeLast(bytes.count - start)
                found = reader.next == UInt8(ascii: "\"") ? reader.offset : nil
                if found == nil { _ = try reader.value() } else { try reader.appendString(to: &bytes) }
            }
            try reader.end()
        } catch {
            found = nil
        }
        if found == nil { bytes.removeLast(bytes.count - start) }
        return found
    }

    private mutating func end() throws(JSONError) {
        skipSpace()
        if next != nil { throw unexpected("the end") }
    }

    // MARK: Values

    private mutating func value() throws(JSONError) -> JSONValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"):
            var members: [JSONMember] = []
            try self.members { reader, name throws(JSONError) in
                let start = reader.offset
                members.append(JSONMember(name: name, value: try reader.value(), offset: start))
            }
            return .object(members)
        case UInt8(ascii: "["): return .array(try elements())
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"): return .number(try number())
        case let byte? where byte.isDigit: return .number(try number())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw unexpected("a value")
        }
    }

    /// Begins a value with others in it.
    private mutating func enter() throws(JSONError) {
        guard depth < Self.maximumDepth else {
            throw JSONError(
                offset: offset,
                message: "values are nested more than \(Self.maximumDepth) deep; leave out the deeper ones")
        }
        depth += 1
        offset += 1
        skipSpace()
    }

    /// - Parameter take: Reads the value of a member.
    private mutating func members(
        _ take: (inout JSONReader, _ name: String) throws(JSONError) -> Void
    ) throws(JSONError) {
        try enter()
        defer { depth -= 1 }
        if self.take("}") { return }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw unexpected("the name of a member in quotes") }
            let name = try string()
            skipSpace()
            guard self.take(":") else { throw unexpected("':'") }
            skipSpace()
            try take(&self, name)
            skipSpace()
        } while self.take(",")
        guard self.take("}") else { throw unexpected("',' or '}'") }
    }

    private mutating func elements() throws(JSONError) -> [JSONValue] {
        try enter()
        defer { depth -= 1 }
        var elements: [JSONValue] = []
        if take("]") { return elements }
        repeat {
            elements.append(try value())
            skipSpace()
        } while take(",")
        guard take("]") else { throw unexpected("',' or ']'") }
        return elements
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let letters = word.buffer
        guard bytes[offset...].starts(with: letters) else { throw unexpected("a value") }
        offset += letters.count
        return value
    }

    private mutating func number() throws(JSONError) -> JSONNumber {
        let start = offset
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return JSONNumber(text: String(decoding: bytes[start..<offset], as: UTF8.self))
    }

    private mutating func digits() throws(JSONError) {
        let start = offset
        while let byte = next, byte.isDigit { offset += 1 }
        if offset == start { throw unexpected("a digit") }
    }

    // MARK: Strings

    private mutating func string() throws(JSONError) -> String {
        let start = offset + 1
        var isASCII = true
        let end = plainEnd(from: start, &isASCII)
        // Most have no escapes.
        if end < bytes.count, bytes[end] == UInt8(ascii: "\""),
            let text = String(validUTF8: bytes[start..<end])
        {
            offset = end + 1
            return text
        }
        var text: [UInt8] = []
        try appendString(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func appendString(to text: inout [UInt8]) throws(JSONError) {
        offset += 1
        let (start, first) = (offset, text.count)
        var isASCII = true
        while true {
            let end = plainEnd(from: offset, &isASCII)
            text.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
            offset = end
            if take("\"") { break }
            guard next == UInt8(ascii: "\\") else {
                throw next == nil
                    ? unexpected("the closing quote")
                    : JSONError(offset: offset, message: "a control character in a string must be escaped")
            }
            let scalar = try escape()
            if scalar.isASCII {
                text.append(UInt8(truncatingIfNeeded: scalar.value))
            } else {
                text += String(scalar).utf8
            }
        }
        if !isASCII, String(validUTF8: text[first...]) == nil {
            throw JSONError(offset: start, message: "this string is not UTF-8")
        }
    }

    /// The next quote, backslash or control character.
    private func plainEnd(from start: Int, _ isASCII: inout Bool) -> Int {
        bytes.next(from: start) { word in
            isASCII = isASCII && word.isASCII
            return word.equal(to: UInt8(ascii: "\"")) | word.equal(to: UInt8(ascii: "\\")) | word.below(0x20)
        }
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        let start = offset
        offset += 1
        guard let byte = next else { throw unexpected("the rest of the escape") }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            let unit = try codeUnit()
            if let scalar = Unicode.Scalar(unit) { return scalar }
            if UTF16.isLeadSurrogate(UInt16(unit)), take("\\"), take("u") {
                let trail = try codeUnit()
                if UTF16.isTrailSurrogate(UInt16(trail)) {
                    let value = 0x10000 + ((unit - 0xD800) << 10) + (trail - 0xDC00)
                    if let scalar = Unicode.Scalar(value) { return scalar }
                }
            }
            throw JSONError(offset: start, message: "half a surrogate pair is not a character")
        default:
            throw JSONError(offset: start, message: "unknown escape")
        }
    }

    /// Four hexadecimal digits.
    private mutating func codeUnit() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = next.flatMap({ Character(Unicode.Scalar($0)).hexDigitValue }) else {
                throw unexpected("four hexadecimal digits")
            }
            value = (value << 4) + UInt32(digit)
            offset += 1
        }
        return value
    }

    // MARK: Bytes

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func take(_ wanted: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: wanted) else { return false }
        offset += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = next, FormatRecognizer.isSpace(byte) { offset += 1 }
    }

    private func unexpected(_ expected: String) -> JSONError {
        let found = next == nil ? " at the end of the text" : ""
        return JSONError(offset: offset, message: "not JSON: expected \(expected)\(found)")
    }
}
