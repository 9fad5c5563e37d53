// Texts as UUIDs. Foundation's reader accepts signs and prefixes of numbers in a UUID.

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Reads UUIDs.
package enum UUIDText {
    /// The UUID of a canonical text of 36 characters, in upper or lower case.
    package static func uuid(_ text: UnsafeBufferPointer<UInt8>) -> UUID? {
        guard text.count == 36 else { return nil }
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        let isValid = withUnsafeMutableBytes(of: &bytes) { bytes in
            var position = 0
            for index in bytes.indices {
                if position == 8 || position == 13 || position == 18 || position == 23 {
                    guard text[position] == UInt8(ascii: "-") else { return false }
                    position += 1
                }
                guard let high = text[position].hexDigit, let low = text[position + 1].hexDigit else { return false }
                bytes[index] = high << 4 | low
                position += 2
            }
            return true
        }
        return isValid ? UUID(uuid: bytes) : nil
    }

    /// The UUID of the text, or a valid version 4 made of its SHA-256.
    package static func cast(_ text: UnsafeBufferPointer<UInt8>) -> UUID {
        if let uuid = uuid(text) { return uuid }
        let digest = SHA256.digest(text)
        var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &bytes) { bytes in
            for index in 0..<4 {
                bytes.storeBytes(of: digest[index].bigEndian, toByteOffset: 4 * index, as: UInt32.self)
            }
        }
        bytes.6 = bytes.6 & 0x0F | 0x40
        bytes.8 = bytes.8 & 0x3F | 0x80
        return UUID(uuid: bytes)
    }
}
