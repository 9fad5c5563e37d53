// README.md: the tests check its table of the language, and its figures.

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

    @Test("shows the results of each query")
    func language() throws {
        let section = Self.section("## The language")
        let start = try #require(section.firstIndex(of: "```xml")) + 1
        let stanza = section[start...].prefix { $0 != "```" }.joined(separator: "\n")
        let rows = Self.table("## The language")
        #expect(rows.count > 10)
        for row in rows {
            // The query, and its arguments.
            let codes = Self.codes(in: row[1])
            let arguments = codes.dropFirst().flatMap { ["--arg", $0] }
            let results = StanzaCLITests.stanza(["find", codes[0]] + arguments, input: [Array(stanza.utf8)]).lines
            #expect(results == Self.codes(in: row[2]), "\(codes)")
        }
    }

    private static func codes(in cell: String) -> [String] {
        cell.matches(of: /`([^`]+)`/).map { String($0.output.1) }
    }

    /// The output of `stanza find` in the first command begins as the page shows.
    @Test("shows the first results of its first command")
    func firstCommand() async throws {
        let section = Self.lines.drop { $0 != "### Query a recorded session" }
        let command = try #require(section.first { $0.hasPrefix(".ci/setup") }?.firstMatch(of: /stanza find .*/)).output
        let shown = section.drop { $0 != "```text" }.dropFirst().prefix { $0 != "```" }
        let results = try await Shell.run(String(command)).output.split(separator: "\n").map(String.init)
        #expect(shown.count == 3 && Array(shown) == Array(results.prefix(3)))
    }

    @Test("has bounds of the article on limits")
    func bounds() throws {
        let path = "Sources/StanzaQuery/StanzaQuery.docc/LimitsAndSecurity.md"
        let article = try String(contentsOf: packageFolder.appending(path: path), encoding: .utf8)
        let bounds = Self.table("## Hostile input").flatMap { $0[2].matches(of: /\d{3}|\d[\d,]{4,}/).map(\.output) }
        #expect(bounds.count == 6)
        for bound in bounds { #expect(article.contains("| \(bound) |"), "\(bound)") }
    }

    /// Each row has the numbers of one part of the results.
    @Test("has the figures of the recorded results")
    func figures() throws {
        let results = try String(contentsOf: packageFolder.appending(path: "Benchmarks/RESULTS.md"), encoding: .utf8)
        let parts =
            [
                "Evaluation: check", "Evaluation: find, all results", "Parsing", "Memory", "Compilation", "Parsing",
            ] + Array(repeating: "Building and writing", count: 3) + ["Scaling: results"]
        func cells(_ line: Substring) -> [String] {
            line.split(separator: "|").map { $0.trimmingCharacters(in: [" ", "*"]) }
        }
        let rows = Self.table("## How fast")
        #expect(rows.count == parts.count)
        for (row, part) in zip(rows, parts) {
            let start = try #require(results.firstRange(of: "## \(part)\n")).upperBound
            let end = results[start...].firstRange(of: "\n## ")?.lowerBound ?? results.endIndex
            let recorded = Set(results[start..<end].split(separator: "\n").flatMap(cells))
            let shown = row.dropFirst().flatMap { cells(Substring($0)) }.filter { $0 != "–" }
            #expect(shown.count >= 2 && recorded.isSuperset(of: shown), "\(row[0]): \(shown)")
        }
    }
}
