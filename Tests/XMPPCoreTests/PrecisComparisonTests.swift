// Both profiles against Python's package precis-i18n, on every character and on random texts.
//
// Without the package, the tests report that they compare nothing. Install it with `apt install python3-precis-i18n`.

import Foundation
import TestSupport
import Testing
import XMPPCore

/// The system's Python, for which the system's package is.
private let python = URL(filePath: "/usr/bin/python3")

/// Whether Python has the package.
private let hasPrecis = {
    let process = try? ChildProcess(python, ["-c", "import precis_i18n"], errors: .nothing)
    return process?.waitUntilExit() == .exit(0)
}()

@Suite(
    .enabled(
        if: hasPrecis,
        "!!! NOT TESTED: no address is compared with precis-i18n: run apt install python3-precis-i18n. !!!"))
struct PrecisComparisonTests {
    private let precis: Oracle

    init() throws {
        precis = try Oracle(python.path, "precis.py", hint: "apt install python3-precis-i18n")
    }

    /// Characters of these ranges have rules of their own. Other characters of a large range resemble each other.
    @Test func everyCharacter() throws {
        let ranges: [ClosedRange<UInt32>] = [1...0x33FF, 0xA000...0xAC10, 0xD7A0...0x11FFF, 0xE0000...0xE01FF]
        let values = ranges.flatMap(Array.init) + stride(from: 0x3400, through: 0x10FFFF, by: 101)
        let scalars = values.compactMap(Unicode.Scalar.init)
        let (compared, valid) = try compare(scalars.map { ([$0], true) } + scalars.map { ([$0], false) })
        #expect(compared > 60_000 && valid * 2 > compared, "only \(valid) of \(compared) characters were valid")
    }

    @Test func randomTexts() throws {
        var random = SeededGenerator(salt: 0x9EC15)
        let total = SeededGenerator.cases(default: 12_000)
        let (compared, valid) = try compare((0..<total).map { _ in (RandomText.scalars(&random), random.chance(50)) })
        #expect(compared * 2 > total && valid * 4 > compared, "only \(valid) of \(compared) texts were valid")
    }

    /// Prepares parts with both.
    ///
    /// - Returns: the number of parts whose characters Python knows, and of valid ones among them.
    private func compare(_ parts: [(text: [Unicode.Scalar], isLocalpart: Bool)]) throws -> (compared: Int, valid: Int) {
        var (compared, valid) = (0, 0)
        for start in stride(from: 0, to: parts.count, by: 500) {
            let some = parts[start..<min(start + 500, parts.count)]
            let lines = some.map { ($0.isLocalpart ? "UsernameCaseMapped " : "OpaqueString ") + Self.points($0.text) }
            let answers = zip(lines, try precis.answers(to: lines))
            for (part, (line, theirs)) in zip(some, answers)
            where theirs != "unknown" && !part.text.contains(where: Self.isConjoiningJamo) {
                // RFC 7622 §3.3.1 excludes more.
                let isExcluded = part.isLocalpart && !Self.excluded.isDisjoint(with: theirs.split(separator: " "))
                let expected = isExcluded ? "no" : theirs
                let ours = Self.prepared(part.text, part.isLocalpart).map { "ok " + Self.points($0.unicodeScalars) }
                #expect(ours ?? "no" == expected, "\(line) (STANZA_SEED=\(SeededGenerator.seed))")
                (compared, valid) = (compared + 1, valid + (expected == "no" ? 0 : 1))
            }
        }
        return (compared, valid)
    }

    /// Letters of Hangul that compose to syllables. The classes of RFC 8264 exclude them before the normalization
    /// (RFC 8265 §3.3.1); Python looks only at its result.
    private static func isConjoiningJamo(_ scalar: Unicode.Scalar) -> Bool {
        [0x1100...0x11FF, 0xA960...0xA97F, 0xD7B0...0xD7FF].contains { $0.contains(scalar.value) }
    }

    private static let excluded: Set<Substring> = ["22", "26", "27", "2f", "3a", "3c", "3e", "40"]

    private static func prepared(_ part: [Unicode.Scalar], _ isLocalpart: Bool) -> String? {
        let text = String(String.UnicodeScalarView(part))
        return isLocalpart
            ? try? JID(localpart: text, domain: "a").localpart : try? JID(domain: "a", resource: text).resource
    }

    private static func points(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        scalars.map { String($0.value, radix: 16) }.joined(separator: " ")
    }
}
