// README.md tells the truth: its table of the language, and its figures.

import Foundation
import TestSupport
import Testing

@Suite("README")
struct ReadmeTests {
    private static let lines =
        ((try? String(contentsOf: packageFolder.appending(path: "README.md"), encoding: .utf8)) ?? "")
        .components(separatedBy: "\n")

    /// The lines between a heading and the next one.
    private static func section(_ heading: String) -> [String] {
        guard let start = lines.firstIndex(of: heading) else { return [] }
        return Array(lines[(start + 1)...].prefix { !$0.hasPrefix("## ") })
    }

    /// The cells of the table in a section, without its head.
    private static func table(_ heading: String) -> [[String]] {
        section(heading).filter { $0.hasPrefix("| ") }.dropFirst(2).map { row in
            row.replacing(#"\|"#, with: "\u{1}").split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces).replacing("\u{1}", with: "|")
            }
        }
    }

    @Test("shows what each query gives")
    func language() throws {
        let section = Self.section("## The language")
        let start = try #require(section.firstIndex(of: "```xml")) + 1
        let stanza = section[start...].prefix { $0 != "```" }.joined(separator: "\n")
        let rows = Self.table("## The language")
        #expect(rows.count > 10)
        for row in rows {
            let query = row[1].trimmingCharacters(in: ["`"])
            let expected = row[2].matches(of: /`([^`]+)`/).map { String($0.output.1) }
            #expect(results(of: query, in: stanza) == expected, "\(query)")
        }
    }

    private func results(of query: String, in input: String) -> [String] {
        stanza("find", query, input: input).lines
    }

    @Test("has the figures of the recorded results")
    func figures() throws {
        let results = try String(contentsOf: packageFolder.appending(path: "Benchmarks/RESULTS.md"), encoding: .utf8)
        let rows = Self.table("## How fast")
        #expect(rows.count == 4)
        for row in rows {
            let goal = results.split(separator: "\n").first { $0.hasPrefix("| \(row[0]) |") }
            let measured = try #require(goal, "\(row[0])").split(separator: "|")[2].trimmingCharacters(in: .whitespaces)
            #expect(row[1] == measured, "\(row[0])")
        }
        let mean = try #require(Self.section("## How fast").joined().firstMatch(of: /takes ([0-9.]+) ns/)).output.1
        let check = try #require(results.firstRange(of: "## Evaluation: check\n"))
        let means = try #require(
            results[check.upperBound...].firstMatch(of: /\| \*\*mean\*\* \| \*\*[0-9.]+\*\* \| \*\*([0-9.]+)\*\*/))
        #expect(mean == means.output.1)
    }
}
