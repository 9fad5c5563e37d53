// Reads JSON (RFC 8259) from bytes, strictly.
//
// Foundation's readers do not suffice. They provide neither the order of members nor numbers as they were written,
// which suites need (JSONValue.swift). Nor do they provide the place of a value or mistake, which every message about
// an input line has.

import XMLTree

/// Text that is not JSON.
struct JSONError: Error, Equatable {
    /// The offset of the wrong byte; the length of the text at its end.
    let offset: Int
    let message: String
}

/// Reads one value from a text.
struct JSONReader {
    private let bytes: [UInt8]
    private var offset = 0
    private var depth = 0

    /// Deeper values are refused, for each level takes some of the stack.
    static let maximumDepth = 256

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads a text that is one value. Linear in its length.
    static func read(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
        var reader = JSONReader(bytes)
        let value = try reader.value()
        reader.skipSpace()
        if reader.next != nil { throw reader.unexpected("the end") }
        return value
    }

    // MARK: Values

    private mutating func value() throws(JSONError) -> JSONValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return .object(try nested { reader throws(JSONError) in try reader.members() })
        case UInt8(ascii: "["): return .array(try nested { reader throws(JSONError) in try reader.elements() })
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"): return .number(try number())
        case let byte? where byte.isDigit: return .number(try number())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw unexpected("a value")
        }
    }

    private mutating func nested<Result>(
        _ body: (inout JSONReader) throws(JSONError) -> Result
    ) throws(JSONError) -> Result {
        guard depth < Self.maximumDepth else {
            throw JSONError(
                offset: offset,
                message: "values are nested more than \(Self.maximumDepth) deep; leave out the deeper ones")
        }
        depth += 1
        defer { depth -= 1 }
        offset += 1
        return try body(&self)
    }

    private mutating func members() throws(JSONError) -> [JSONMember] {
        var members: [JSONMember] = []
        skipSpace()
        if take("}") { return members }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw unexpected("the name of a member in quotes") }
            let name = try string()
            skipSpace()
            guard take(":") else { throw unexpected("':'") }
            skipSpace()
            let start = offset
            members.append(JSONMember(name: name, value: try value(), offset: start))
            skipSpace()
        } while take(",")
        guard take("}") else { throw unexpected("',' or '}'") }
        return members
    }

    private mutating func elements() throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue] = []
        skipSpace()
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
        offset += 1
        var text = ""
        while true {
            let start = offset
            while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { offset += 1 }
            if start < offset {
                guard let piece = String(validating: bytes[start..<offset], as: UTF8.self) else {
                    throw JSONError(offset: start, message: "this string is not UTF-8")
                }
                // In place, so that many escapes are linear work.
                text += piece
            }
            if take("\"") { return text }
            guard next == UInt8(ascii: "\\") else {
                throw next == nil
                    ? unexpected("the closing quote")
                    : JSONError(offset: offset, message: "a control character in a string must be escaped")
            }
            text.unicodeScalars.append(try escape())
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
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { offset += 1 }
    }

    private func unexpected(_ expected: String) -> JSONError {
        let found = next == nil ? " at the end of the text" : ""
        return JSONError(offset: offset, message: "not JSON: expected \(expected)\(found)")
    }
}

extension UInt8 {
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}
