// SipHash-1-3 (Aumasson and Bernstein, 2012), the function of `Hasher`, which takes several times as long for a short
// name. This file does not depend on trees.

enum SipHash {
    /// Returns the hash of bytes under a key of 128 bits.
    static func hash(_ bytes: UnsafeBufferPointer<UInt8>, key: (UInt64, UInt64)) -> UInt64 {
        var state = State(key)
        let end = bytes.count & ~7
        var rest = UInt64(truncatingIfNeeded: bytes.count) &<< 56
        if let start = UnsafeRawPointer(bytes.baseAddress) {
            for offset in stride(from: 0, to: end, by: 8) { state.add(start.word(at: offset)) }
            for offset in end..<bytes.count { rest |= UInt64(bytes[offset]) &<< UInt64(8 &* (offset &- end)) }
        }
        state.add(rest)
        return state.finish()
    }

    private struct State {
        private var words: (UInt64, UInt64, UInt64, UInt64)

        @inline(__always)
        init(_ key: (UInt64, UInt64)) {
            words = (
                key.0 ^ 0x736F_6D65_7073_6575, key.1 ^ 0x646F_7261_6E64_6F6D, key.0 ^ 0x6C79_6765_6E65_7261,
                key.1 ^ 0x7465_6462_7974_6573
            )
        }

        @inline(__always)
        mutating func add(_ word: UInt64) {
            words.3 ^= word
            mix()
            words.0 ^= word
        }

        @inline(__always)
        mutating func finish() -> UInt64 {
            words.2 ^= 0xFF
            for _ in 0..<3 { mix() }
            return words.0 ^ words.1 ^ words.2 ^ words.3
        }

        @inline(__always)
        private mutating func mix() {
            words.0 &+= words.1
            words.1 = words.1.rotated(13) ^ words.0
            words.0 = words.0.rotated(32)
            words.2 &+= words.3
            words.3 = words.3.rotated(16) ^ words.2
            words.0 &+= words.3
            words.3 = words.3.rotated(21) ^ words.0
            words.2 &+= words.1
            words.1 = words.1.rotated(17) ^ words.2
            words.2 = words.2.rotated(32)
        }
    }
}

extension UInt64 {
    @inline(__always)
    fileprivate func rotated(_ count: UInt64) -> UInt64 { self &<< count | self &>> (64 &- count) }
}
