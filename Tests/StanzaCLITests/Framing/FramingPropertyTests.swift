// Framing cuts like a parser: each cut holds exactly the stanza that a parser of the whole input finds.
//
// STANZA_SEED and STANZA_CASES repeat and lengthen the random run; .ci/long runs a million cases.

import TestSupport
import Testing
import XMLTree

@testable import StanzaCLI

@Suite("Framing property") struct FramingPropertyTests {
    private static let header = "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"

    /// The stanzas that a parser finds in an input.
    private static func parsed(_ input: String, with parser: inout XMLStreamParser) throws -> [Element] {
        defer { parser.reset() }
        parser.feed(input)
        parser.finish()
        var stanzas: [Element] = []
        while let event = try parser.next() {
            if case .element(let element, _) = event { stanzas.append(element) }
        }
        return stanzas
    }

    private static func depth(_ element: Element) -> Int { 1 + (element.children.map(depth).max() ?? 0) }

    /// Cuts an input that arrives in pieces. Returns the cuts, their depths, and the rest after the last one.
    private static func cuts(
        _ input: String, isStream: Bool, blockLength: Int, random: inout SeededGenerator
    ) -> (cuts: [String], depths: [Int], rest: String) {
        var framing = Framing(isStream: isStream, isInside: false, blockLength: blockLength)
        let bytes = Array(input.utf8)
        let longest = random.pick([1, 10, 100, 10_000])
        var place = 0
        var (cuts, depths): ([String], [Int]) = ([], [])
        while place < bytes.count {
            let end = min(bytes.count, place + Int.random(in: 1...longest, using: &random))
            if random.chance(50) {
                bytes[place..<end].withUnsafeBytes { framing.feed($0) }
            } else {
                framing.room(longest).copyBytes(from: bytes[place..<end])
                framing.feed(written: end - place)
            }
            place = end
            var start = framing.header?.upperBound ?? 0
            for stop in framing.stops {
                cuts.append(framing.withBytes { String(decoding: $0[start..<stop.end], as: UTF8.self) })
                depths.append(stop.depth)
                start = stop.end
            }
            framing.drop(start)
        }
        return (cuts, depths, framing.withBytes { String(decoding: $0, as: UTF8.self) })
    }

    /// Checks one input. Returns the number of its stanzas; `nil` if it is cut wrongly.
    ///
    /// - Parameter parser: Reads each cut alone.
    private static func check(
        _ stanzas: [String], isStream: Bool, random: inout SeededGenerator, _ parser: inout XMLStreamParser
    ) throws -> Int? {
        let input = (isStream ? header : "") + stanzas.joined()
        let blockLength = random.pick([32, 33, 100, TagEvents.capacity])
        let found = cuts(
            input + (isStream ? "</stream:stream>" : "\n"), isStream: isStream, blockLength: blockLength,
            random: &random)
        guard found.cuts == stanzas, found.rest == (isStream ? "</stream:stream>" : "\n") else { return nil }
        let mode = isStream ? XMLStreamParser.Mode.stream : .fragments(in: .clientStream)
        var whole = XMLStreamParser(mode: mode)
        let all = try parsed(input + (isStream ? "</stream:stream>" : ""), with: &whole)
        var apart: [Element] = []
        for cut in found.cuts { apart += try parsed(cut, with: &parser) }
        let isDeepEnough = zip(found.depths, apart).allSatisfy { 0...8 ~= $0 - depth($1) }
        let isSame = all.map(\.description) == apart.map(\.description)
        return isSame && all.count == stanzas.count && isDeepEnough ? all.count : nil
    }

    @Test("cuts like a parser, in pieces of any size")
    func property() throws {
        var parser = XMLStreamParser(mode: .fragments(in: .clientStream))
        var count = 0
        for number in 0..<SeededGenerator.cases(default: 1_500) {
            var random = SeededGenerator(salt: 0x4652_414D &+ UInt64(number))
            let isStream = random.chance(50)
            var markup = RandomFraming(isStream: isStream, random: random)
            let stanzas = (0..<random.pick([1, 2, 5])).map { _ in markup.gap() + markup.stanza() }
            guard let found = try Self.check(stanzas, isStream: isStream, random: &random, &parser) else {
                Issue.record("STANZA_SEED=\(SeededGenerator.seed), case \(number): \(stanzas)")
                return
            }
            count += found
        }
        #expect(count > 0)
    }

    /// Many tags in few bytes, at any depth, also more end tags than start tags. A few '>' in text, which a block
    /// cannot have.
    private static func tags(_ random: inout SeededGenerator) -> String {
        let deeper = random.pick([30, 50, 55])
        let hardness = random.pick([0, 1, 10])
        var text = ""
        for _ in 0..<random.pick([40, 400]) {
            text += random.pick(["", "", "", " ", "text", String(repeating: "x", count: 50)])
            if random.chance(hardness) { text += ">" }
            text += random.pick(["<b/>", random.chance(deeper) ? "<a>" : "</a>"])
        }
        return text
    }

    @Test("finds the same in whole blocks as byte by byte")
    func blocks() {
        var stops = 0
        for number in 0..<SeededGenerator.cases(default: 2_000) {
            var random = SeededGenerator(salt: 0x424C_4F43 &+ UInt64(number))
            let bytes = Array((String(repeating: "<a>", count: random.pick([1, 5, 50])) + Self.tags(&random)).utf8)
            let limit = random.pick([3, 50, 1_000])
            var whole = Framing(isStream: true, depth: limit)
            bytes.withUnsafeBytes { whole.feed($0) }
            var single = Framing(isStream: true, depth: limit)
            for byte in bytes { withUnsafeBytes(of: byte) { single.feed($0) } }
            let (found, expected) = (whole.stops, single.stops)
            let isSame =
                found.map(\.end) == expected.map(\.end) && whole.isLost == single.isLost
                && zip(found, expected).allSatisfy { 0...8 ~= $0.depth - $1.depth }
                && zip(found, expected).allSatisfy { ($0.depth > limit) == ($1.depth > limit) }
            guard isSame else {
                Issue.record("STANZA_SEED=\(SeededGenerator.seed), case \(number)")
                return
            }
            stops += found.count
        }
        #expect(stops > 0)
    }
}
