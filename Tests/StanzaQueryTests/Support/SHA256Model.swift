// SHA-256 by FIPS 180-4, for the naive `uuidcast`. The constants are computed from their definition there.

/// The plainest SHA-256.
enum SHA256Model {
    private static let primes: [Int] = (2...311).filter { number in !(2..<number).contains { number % $0 == 0 } }

    /// The first 32 bits of the fractional part of a root of a number, found bit by bit: the largest r with
    /// r ^ power ≤ number · 2 ^ (32 · power), without its integer part.
    private static func fraction(ofRoot power: Int, of number: Int) -> UInt32 {
        var root: [UInt32] = [0, 0]
        for bit in (0..<37).reversed() {
            var candidate = root
            candidate[bit / 32] |= 1 << UInt32(bit % 32)
            let powered = (1..<power).reduce(candidate) { product, _ in multiply(product, candidate) }
            if isAtMost(powered, UInt32(number), words: power) { root = candidate }
        }
        return root[0]
    }

    /// Numbers as 32-bit words, the lowest first.
    private static func multiply(_ left: [UInt32], _ right: [UInt32]) -> [UInt32] {
        var product = [UInt32](repeating: 0, count: left.count + right.count)
        for (i, one) in left.enumerated() {
            var carry: UInt64 = 0
            for (j, other) in right.enumerated() {
                let sum = UInt64(one) * UInt64(other) + UInt64(product[i + j]) + carry
                product[i + j] = UInt32(truncatingIfNeeded: sum)
                carry = sum >> 32
            }
            product[i + right.count] = UInt32(carry)
        }
        return product
    }

    /// Whether a number is at most `limit` shifted by some words.
    private static func isAtMost(_ number: [UInt32], _ limit: UInt32, words: Int) -> Bool {
        if number.dropFirst(words + 1).contains(where: { $0 != 0 }) { return false }
        if number[words] != limit { return number[words] < limit }
        return number.prefix(words).allSatisfy { $0 == 0 }
    }

    private static let start = primes.prefix(8).map { fraction(ofRoot: 2, of: $0) }
    private static let constants = primes.prefix(64).map { fraction(ofRoot: 3, of: $0) }

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
