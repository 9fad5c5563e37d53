// SHA-256 by FIPS 180-4, for the naive `uuidcast`. The constants are computed from their definition there.

import Foundation

/// The plainest SHA-256.
enum SHA256Model {
    private static let primes: [Int] = (2...311).filter { number in !(2..<number).contains { number % $0 == 0 } }

    /// The first 32 bits of the fractional part.
    private static func fraction(of root: Double) -> UInt32 { UInt32((root - root.rounded(.down)) * 0x1p32) }

    private static let start = primes.prefix(8).map { fraction(of: Double($0).squareRoot()) }
    private static let constants = primes.prefix(64).map { fraction(of: cbrt(Double($0))) }

    static func digest(_ message: [UInt8]) -> [UInt8] {
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        bytes += bigEndian(UInt64(message.count) * 8)
        var state = start
        for block in stride(from: 0, to: bytes.count, by: 64) {
            var words = (0..<16).map { word in
                (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[block + word * 4 + $1]) }
            }
            for index in 16..<64 {
                let (early, late) = (words[index - 15], words[index - 2])
                let s0 = rotated(early, 7) ^ rotated(early, 18) ^ early >> 3
                let s1 = rotated(late, 17) ^ rotated(late, 19) ^ late >> 10
                words.append(words[index - 16] &+ s0 &+ words[index - 7] &+ s1)
            }
            var v = state
            for index in 0..<64 {
                let s1 = rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)
                let choice = (v[4] & v[5]) ^ (~v[4] & v[6])
                let first = v[7] &+ s1 &+ choice &+ constants[index] &+ words[index]
                let s0 = rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)
                let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
                v = [first &+ s0 &+ majority, v[0], v[1], v[2], v[3] &+ first, v[4], v[5], v[6]]
            }
            state = zip(state, v).map { $0 &+ $1 }
        }
        return state.flatMap(bigEndian)
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

    private static func bigEndian(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
