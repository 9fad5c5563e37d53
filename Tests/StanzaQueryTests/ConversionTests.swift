// Conversions (4.4, 4.5): random texts against the naive conversions. The suites have their tables.

import Foundation
import QuerySyntax
import TestSupport
import Testing

@testable import StanzaQuery
@testable import TextValues

@Suite struct ConversionTests {
    /// The evaluation omits results without a value, at any position.
    @Test func failedConversionsLeaveNoGaps() throws {
        let root = try element("<r><a k='x'/><a k='2'/><a k='y'/><a k='4'/></r>")
        let query = try Query("a@k|int", options: .strictConversions)
        #expect(try root.find(query).map(\.int) == [2, 4])
        #expect(try root.findFirst(query)?.int == 2)
        #expect(try root.check(query))
        let none = try Query("a<k~^[xy]$>@k|int", options: .strictConversions)
        #expect(try !root.check(none))
        #expect(try root.findFirst(none) == nil)
    }

    private static let pieces = [
        "0", "1", "9", "5", "00", "42", ".", "-", "+", "e", "E", " ", "\t", "\n", "x", "e5", "E-3",
        "922337203685477580",
        "8", "7", "18446744073709551615", "true", "false", "é", "_", "inf",
    ]

    /// Pieces of numbers, a valid or a damaged base64, or a near point in time.
    private func text(_ random: inout SeededGenerator) -> String {
        switch random.number(0...2) {
        case 0: return (0..<random.number(0...5)).map { _ in random.pick(Self.pieces) }.joined()
        case 1:
            var text = Array(
                Data((0..<random.number(0...40)).map { _ in UInt8(random.number(0...255)) })
                    .base64EncodedString())
            for _ in 0..<max(0, random.number(-2...3)) {
                let place = random.number(0...text.count)
                text.replaceSubrange(
                    place..<min(text.count, place + 1), with: random.pick(["", "=", "-", " ", "A", "é"]))
            }
            return String(text)
        default:
            func digits(_ range: ClosedRange<Int>, _ width: Int) -> String {
                let text = String(random.number(range))
                return String(repeating: "0", count: width - text.count) + text
            }
            let dash = random.chance(20) ? "" : "-"
            var text = digits(0...9999, 4) + dash + digits(0...13, 2) + dash + digits(0...32, 2)
            text += random.chance(95) ? "T" : " "
            text += digits(0...24, 2) + ":" + digits(0...60, 2) + ":" + digits(0...60, 2)
            if random.chance(30) { text += "." + random.pick(["", "0", "25", "125000"]) }
            if dash.isEmpty, random.chance(95) { return text }
            return text + random.pick(["Z", "Z", "+0\(random.number(0...9)):30", "-14:00", "+14:01", "+0100", ""])
        }
    }

    @Test func conversionsAgreeWithTheNaiveOnes() throws {
        let conversions = ["bool", "int", "uint", "double", "datetime", "base64", "uuid", "uuidcast"]
        let queries = try conversions.flatMap { name in
            try [[], .strictConversions].map { try Query("/@k|\(name)" as String, options: $0) }
        }
        var results = 0
        let total = SeededGenerator.cases(default: 3_000)
        for salt in 0..<UInt64(total) {
            var random = SeededGenerator(salt: salt &+ 0xC0)
            let holder = MutableElement("a", attributes: ["k": text(&random)])
            for query in queries {
                let naive = NaiveEvaluator(
                    tree: NaiveTree(holder), query: ParsedQuery(parsing: query.source).tree, options: query.options,
                    arguments: [])
                let expected = try naive.results(on: 0)
                results += expected.count
                FuzzSeeds.$current.withValue("\(query) on \(holder), STANZA_SEED=\(SeededGenerator.seed)") {
                    compare(query, on: holder, with: expected) { _ in 0 }
                }
            }
        }
        #expect(results > total * 6, "\(results) of \(total) texts")
    }

    /// FIPS 180-4's examples, and all lengths around the ends of blocks by the plainest implementation.
    @Test func sha256() {
        var random = SeededGenerator(salt: 256)
        let messages = (0..<200).map { length in (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) } }
        for message in messages + [[UInt8](repeating: 0x61, count: 10_000)] {
            #expect(digest(message) == hexadecimal(SHA256Model.digest(message)), "seed \(SeededGenerator.seed)")
        }
        #expect(digest(Array("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    private func digest(_ message: [UInt8]) -> String {
        let words = message.withUnsafeBufferPointer { SHA256.digest($0) }
        return hexadecimal((0..<8).flatMap { index in withUnsafeBytes(of: words[index].bigEndian) { Array($0) } })
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
