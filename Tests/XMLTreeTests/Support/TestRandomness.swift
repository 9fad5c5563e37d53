// Random numbers that can be had again: a test that fails prints its seed, STANZA_SEED takes it.

import Foundation

/// SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    /// The seed of this run.
    static let seed =
        ProcessInfo.processInfo.environment["STANZA_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0...9_999_999)

    private var state: UInt64

    /// - Parameter salt: keeps the sequences of different tests apart.
    init(salt: UInt64) { state = SeededGenerator.seed &* 0x2545_F491_4F6C_DD1D &+ salt }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &self)] }
}
