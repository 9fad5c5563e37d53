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
}

/// Strings that are full of what the language is made of.
enum RandomText {
    static let pieces =
        "/ / / .. ... . * ! a b x ü 名 1 : { } {a} {*} {} < > = ~ <a=b> <a~b> <a=%d> <b~( @ @@ @a # $ \\ \\\\ \\a@b\\ & [ ] [0] | |int |x % %% %5.2f %1001d # - + h l"
        .split(separator: " ").map(String.init) + [" ", "\n", "\t", "\u{0}", "\u{301}", "\u{1F600}", "\r\n"]

    /// Up to `length` pieces.
    static func make(upTo length: Int, using random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...length, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
            .joined()
    }

    /// The text with a few characters removed, doubled or replaced.
    static func mutate(_ text: String, using random: inout SeededGenerator) -> String {
        var scalars = Array(text.unicodeScalars)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let place = Int.random(in: 0...scalars.count, using: &random)
            let end = min(scalars.count, place + Int.random(in: 0...2, using: &random))
            let piece = Bool.random(using: &random) ? pieces.randomElement(using: &random) ?? "" : ""
            scalars.replaceSubrange(place..<end, with: piece.unicodeScalars)
        }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
