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
