// Any text as a UUID (4.4). The digest is SHA256.swift's.

import Foundation
import TextValues

enum UUIDConversion {
    /// The UUID of the text, or a valid version 4 made of its SHA-256.
    static func cast(_ text: UnsafeBufferPointer<UInt8>) -> UUID {
        if let uuid = UUIDText.uuid(text) { return uuid }
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
