// Random sets of random queries on documents of the suites, by the check of the fuzzer: after any edits, a set gives
// the results and the failures of its single queries, and an earlier copy stays unchanged.
//
// STANZA_SEED and STANZA_CASES repeat and lengthen the run.

import TestSupport
import Testing

@testable import StanzaQuery

@Suite struct QuerySetDifferentialTests {
    /// - Parameter query: Makes a query for the tree.
    private func check(
        _ made: inout RandomCases, _ root: Element, _ note: String, query: (inout RandomCases) -> String
    ) -> (matches: Int, failures: Int) {
        var input = [UInt8(made.random.chance(70) ? 0 : made.random.number(1...3)), UInt8(made.random.number(0...255))]
        for _ in 0..<made.random.number(4...40) {
            let (number, value) = (UInt8(made.random.number(32...126)), UInt8(made.random.number(32...126)))
            switch made.random.number(0...9) {
            case 0: input += [UInt8(ascii: "-"), number]
            case 1: input += [UInt8(ascii: "^"), number, value]
            case 2: input += [UInt8(ascii: "="), number, value]
            case 3: input += [UInt8(ascii: "?")]
            default:
                let priority = made.random.chance(70) ? "0" : made.random.pick(["1", "2"])
                let line = Array((priority + query(&made)).utf8)
                if line.contains(10) { continue }
                // Sometimes so many of one query that their matches are not few.
                for _ in 1..<(made.random.chance(3) ? 20 : 1) { input += line + [10] }
                input += line
            }
            input.append(10)
        }
        input += [10] + root.xmlString(in: .clientStream).utf8
        return FuzzSeeds.$current.withValue("\(note), STANZA_SEED=\(SeededGenerator.seed)") {
            input.withUnsafeBufferPointer { fuzzQuerySet(FuzzInput($0.baseAddress, $0.count)) }
        }
    }

    @Test func setsAgreeWithTheirQueries() throws {
        let total = SeededGenerator.cases(default: 1_000)
        var matches = 0
        for salt in 0..<UInt64(total) {
            var made = try RandomCases(salt: 0x5E7 &+ salt)
            let root = try made.document()
            matches += check(&made, root, "case \(salt)") { $0.query() }.matches
        }
        #expect(matches > total, "\(matches) queries matched")
    }

    /// Some regular expressions reach their limits: no `b` is found in a long value.
    @Test func setsAgreeWithTheirQueriesInFaults() throws {
        let total = SeededGenerator.cases(default: 300)
        var counts = (matches: 0, failures: 0)
        for salt in 0..<UInt64(total) {
            var made = try RandomCases(salt: 0xFA17 &+ salt)
            let root = try Element(parsing: Self.tree(&made.random, depth: 2))
            let (matches, failures) = check(&made, root, "case \(salt)") { Self.query(&$0.random) }
            if failures > 0 { counts = (counts.matches + matches, counts.failures + failures) }
        }
        #expect(counts.failures > total / 10 && counts.matches > total / 10, "\(counts)")
    }

    // MARK: Small trees and queries

    private static func tree(_ random: inout SeededGenerator, depth: Int) -> String {
        let name = random.pick(["a", "b"])
        var attributes = ""
        if random.chance(60) {
            attributes += " k='\(random.pick([String(repeating: "a", count: 5000), "b", "xb", "x"]))'"
        }
        if random.chance(60) { attributes += " m='\(random.pick(["n", "q"]))'" }
        var content = random.chance(30) ? "t" : ""
        if depth > 0 {
            for _ in 0..<Int.random(in: 0...2, using: &random) { content += tree(&random, depth: depth - 1) }
        }
        return "<\(name)\(attributes)>\(content)</\(name)>"
    }

    private static func query(_ random: inout SeededGenerator) -> String {
        var segments: [String] = []
        var hasArgument = false
        for position in 0..<Int.random(in: 1...2, using: &random) {
            if position > 0, random.chance(12) {
                segments.append("..")
                continue
            }
            var segment = random.pick(["a", "*", "*", "{*}*"])
            while random.chance(45) {
                // One argument at most.
                let filter = random.pick(
                    hasArgument ? ["k~b", "k~^b"] : ["k~b", "k~b", "k~[bx]$", "k~^b", "m=n", "m=%@"])
                hasArgument = hasArgument || filter.contains("%@")
                segment += "<\(filter)>"
            }
            segments.append(segment)
        }
        return segments.joined(separator: "/") + (segments.last == ".." ? "" : random.pick(["", "", "@k", "@m", "#"]))
    }
}
