// Reads numbers and strings from untrusted bytes. It compares every length with the bytes left before it allocates.

import Foundation
import SafeText

/// Reads an array of bytes from its beginning to its end.
struct ByteReader {
    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    private var left: Int { bytes.count - offset }

    func corrupt(_ what: String) -> HandlerError { HandlerError(.corrupt(what, offset: offset)) }

    mutating func readByte() throws(HandlerError) -> UInt8 {
        guard offset < bytes.count else { throw corrupt("the data end too early") }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Reads a number in the form of `ByteWriter.write(_:)`. It accepts the shortest form only.
    mutating func readNumber() throws(HandlerError) -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = try readByte()
            let group = UInt64(byte & 0x7F)
            guard shift < 63 || group <= 1 else { throw corrupt("a number of more than 64 bits") }
            number |= group << shift
            if byte & 0x80 == 0 {
                guard byte != 0 || shift == 0 else { throw corrupt("a number with needless zeros") }
                return number
            }
            shift += 7
            guard shift <= 63 else { throw corrupt("a number of more than 64 bits") }
        }
    }

    mutating func readSigned() throws(HandlerError) -> Int64 {
        let number = try readNumber()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    /// Reads a count of items that take at least one byte each.
    mutating func readCount(limit: Int, _ limitName: HandlerError.Limit) throws(HandlerError) -> Int {
        let count = try readNumber()
        guard count <= UInt64(limit) else { throw HandlerError(.tooLarge(limitName, maximum: limit)) }
        guard count <= UInt64(left) else { throw corrupt("a count that the data do not hold") }
        return Int(count)
    }

    mutating func readFixed() throws(HandlerError) -> UInt64 {
        var number: UInt64 = 0
        for byte in try readRaw(count: 8) { number = number << 8 | UInt64(byte) }
        return number
    }

    /// Reads a date as the bits of its seconds.
    mutating func readDate() throws(HandlerError) -> Date {
        Date(timeIntervalSinceReferenceDate: Double(bitPattern: try readFixed()))
    }

    mutating func readID() throws(HandlerError) -> UUID {
        var id = UUID().uuid
        let raw = try readRaw(count: 16)
        withUnsafeMutableBytes(of: &id) { $0.copyBytes(from: raw) }
        return UUID(uuid: id)
    }

    /// Reads bytes that are preceded by their count.
    mutating func readBytes() throws(HandlerError) -> ArraySlice<UInt8> {
        let count = try readNumber()
        guard count <= UInt64(left) else { throw corrupt("a length beyond the end") }
        return try readRaw(count: Int(count))
    }

    mutating func readString() throws(HandlerError) -> String {
        let utf8 = try readBytes()
        guard let text = String(validUTF8: utf8) else { throw corrupt("a text that is not UTF-8") }
        return text
    }

    /// Reads a name (`String.isName`).
    mutating func readName() throws(HandlerError) -> String {
        let name = try readString()
        guard name.utf8.count <= HandlerLimits.nameBytes else {
            throw HandlerError(.tooLarge(.nameBytes, maximum: HandlerLimits.nameBytes))
        }
        guard name.isName else { throw corrupt("a name that is empty or has control characters") }
        return name
    }

    private mutating func readRaw(count: Int) throws(HandlerError) -> ArraySlice<UInt8> {
        guard count <= left else { throw corrupt("the data end too early") }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }
}
