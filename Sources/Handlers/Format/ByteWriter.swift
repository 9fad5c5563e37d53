// Writes numbers and strings as bytes. A length precedes every string and byte sequence.

import Foundation

/// Appends to a growing array of bytes, up to a limit.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []
    /// The maximum number of bytes.
    let limit: Int

    init(limit: Int) { self.limit = limit }

    /// Writes a number as LEB128: groups of seven bits, the lowest first; all but the last have the eighth bit set.
    mutating func write(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func write(count: Int) { write(UInt64(count)) }

    /// Writes a signed number in zigzag form: 0, -1, 1, -2… as 0, 1, 2, 3…
    mutating func write(signed number: Int64) { write(UInt64(bitPattern: number << 1 ^ number >> 63)) }

    mutating func write(byte: UInt8) { bytes.append(byte) }

    /// Writes eight bytes, the highest first.
    mutating func write(fixed number: UInt64) {
        withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ id: UUID) {
        withUnsafeBytes(of: id.uuid) { bytes.append(contentsOf: $0) }
    }

    mutating func write(_ text: String) throws(HandlerError) { try write(text.utf8) }

    /// Writes bytes, preceded by their count.
    mutating func write(_ data: some Collection<UInt8>) throws(HandlerError) {
        write(count: data.count)
        guard data.count <= limit - bytes.count else { throw HandlerError(.tooLarge(.bytes, maximum: limit)) }
        bytes.append(contentsOf: data)
    }

    func checkLimit() throws(HandlerError) {
        if bytes.count > limit { throw HandlerError(.tooLarge(.bytes, maximum: limit)) }
    }
}
