// CRC-32 as in ISO-HDLC (Ethernet, zip). It detects every burst error of up to 32 bits. It protects against damage, not
// against forgery.

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
