// Random queries and documents, made of the cases of the conformance suites: queries of some cases on documents of
// others, and the beginning of one query with the end of another.

import QuerySyntax
import StanzaQuery
import TestSupport

/// Makes queries and documents that share names and values.
struct RandomCases {
    private static let all = Result { try ConformanceCase.all().filter { $0.xml != nil } }

    var random: SeededGenerator
    /// Cases that are next to each other: mostly of one suite.
    private let cases: [ConformanceCase]

    init(salt: UInt64) throws {
        random = SeededGenerator(salt: salt)
        let (all, count) = (try Self.all.get(), 40)
        let start = random.number(0...all.count - count)
        cases = Array(all[start..<start + count])
    }

    mutating func document() throws -> Element {
        while true {
            let test = random.pick(cases)
            // Some are wrong on purpose.
            if let document = try? Element(parsing: test.xml ?? "", in: test.surroundings) { return document }
        }
    }

    /// A query; nearly always a correct one.
    mutating func query() -> String {
        let (one, other) = (random.pick(cases).query, random.pick(cases).query)
        guard random.chance(50), let end = steps(of: one).randomElement(using: &random)?.upperBound,
            let start = steps(of: other).randomElement(using: &random)?.lowerBound
        else { return one }
        let (head, tail) = (Array(one.utf8)[..<end], Array(other.utf8)[start...])
        let slash = tail.first == UInt8(ascii: "/") || tail.isEmpty ? "" : "/"
        return String(decoding: head, as: UTF8.self) + slash + String(decoding: tail, as: UTF8.self)
    }

    private func steps(of query: String) -> [SourceRange] {
        ParsedQuery(parsing: query).tree.nodes.compactMap { node in
            switch node.content {
            case .ascend, .elements, .selfNode: node.range
            case .extraction, .conversion, .filter, .part: nil
            }
        }
    }
}
