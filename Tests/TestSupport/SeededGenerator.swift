// Reproducible random numbers. Every random test draws from here and names the seed in its report.

import Foundation

/// SplitMix64, seeded once for a run.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    /// The seed of this run, printed when it is first used. `STANZA_SEED` sets it.
    public static let seed: UInt64 = {
        let given = ProcessInfo.processInfo.environment["STANZA_SEED"].flatMap(UInt64.init)
        let seed = given ?? UInt64.random(in: 0...9_999_999)
        print("random tests: STANZA_SEED=\(seed)")
        return seed
    }()

    /// How many cases a random test runs. `STANZA_CASES` sets it; without, each takes some seconds in a debug build.
    public static func cases(default count: Int) -> Int {
        ProcessInfo.processInfo.environment["STANZA_CASES"].flatMap(Int.init) ?? count
    }

    private var state: UInt64

    /// - Parameter salt: Keeps the sequences of different tests, and of different cases, apart.
    public init(salt: UInt64) {
        state = Self.seed &* 0x2545_F491_4F6C_DD1D &+ salt &* 0x9E6C_63D0_876A_3F35
    }

    /// A sequence of its own, for code that takes its seed from elsewhere.
    public init(seed: UInt64) {
        state = seed &* 0x2545_F491_4F6C_DD1D &+ 0x9E6C_63D0_876A_3F35
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    public mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// True `percent` times of a hundred.
    public mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    /// One of the values, which must not be empty.
    public mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &self)]
    }
}
