// The frame of all stored data of this module: magic, format version, kind, checksum. HandlerEncoder.swift and
// HandlerDecoder.swift write and read the payload. The article StoredFormat.md describes the whole format.

import Foundation

/// The binary format.
enum StoredFormat {
    /// The first two bytes of the data. No text begins with them.
    static let magic: [UInt8] = [0xC8, 0x48]

    /// Magic, version, kind, checksum.
    static let headerBytes = 8

    /// The version that this module writes. It reads this one and all earlier ones.
    static let version: UInt8 = 1

    /// What a payload is. Versions from before the first release had other kinds.
    enum Kind: UInt8 {
        case handler = 1
        /// A value without a handler, such as that of a promise.
        case value = 2
    }

    /// Puts a frame around a payload.
    static func frame(_ payload: [UInt8], _ kind: Kind = .handler) -> Data {
        var data = Data(capacity: headerBytes + payload.count)
        data.append(contentsOf: magic)
        data.append(version)
        data.append(kind.rawValue)
        withUnsafeBytes(of: Checksum.crc32(payload).bigEndian) { data.append(contentsOf: $0) }
        data.append(contentsOf: payload)
        return data
    }

    /// Returns the payload in a frame, after checking the checksum.
    static func payload(of data: Data, _ kind: Kind) throws(HandlerError) -> [UInt8] {
        let limit = HandlerLimits.bytes
        if data.count > limit + headerBytes { throw HandlerError(.tooLarge(.bytes, maximum: limit)) }
        let bytes = [UInt8](data)
        guard bytes.count >= headerBytes, bytes.starts(with: magic) else {
            throw HandlerError(.corrupt("this is not a stored handler", offset: 0))
        }
        guard bytes[3] == kind.rawValue else { throw HandlerError(.corrupt("this is something else", offset: 3)) }
        guard (1...version).contains(bytes[2]) else { throw HandlerError(.unknownFormat(version: Int(bytes[2]))) }
        let payload = Array(bytes[headerBytes...])
        let checksum = bytes[4..<8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard checksum == Checksum.crc32(payload) else {
            throw HandlerError(.corrupt("the checksum is another one", offset: 4))
        }
        return payload
    }
}

/// CRC-32 as in ISO-HDLC (Ethernet, zip). It detects every burst error of up to 32 bits. It protects against damage,
/// not against forgery.
enum Checksum {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
    }

    /// Linear in the number of bytes.
    static func crc32(_ bytes: [UInt8]) -> UInt32 {
        let table = table
        return ~bytes.reduce(UInt32.max) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
    }
}

/// The type of the value that follows.
enum ValueTag: UInt8 {
    case `false` = 0x00
    case `true` = 0x01
    case int32 = 0x02
    case int = 0x03
    case uint = 0x04
    case double = 0x05
    case string = 0x06
    case data = 0x07
    case date = 0x08
    case uuid = 0x09
    case url = 0x0A
    case element = 0x0B
    case handler = 0x0C
    case promise = 0x0D
    case array = 0x0E
    case dictionary = 0x0F
    case object = 0x10
}

/// The bits of the first byte of a handler.
struct HandlerFlags: OptionSet {
    let rawValue: UInt8

    static let hasInvalidation = HandlerFlags(rawValue: 1)
    static let hasInvalidationArguments = HandlerFlags(rawValue: 2)
    static let called = HandlerFlags(rawValue: 4)
    static let invalidated = HandlerFlags(rawValue: 8)

    static let known: HandlerFlags = [.hasInvalidation, .hasInvalidationArguments, .called, .invalidated]
}
