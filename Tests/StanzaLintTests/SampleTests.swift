// Source files of every language with right and wrong queries: the linter reports exactly the wrong ones. Then hundreds
// of queries, and the sources of a real server.

import Foundation
import StanzaLint
import StanzaQuery
import TestSupport
import Testing

struct SampleTests {
    /// The expectations in a file's lines, and the linter's findings in them: `line rule`.
    private func compare(_ name: String) throws -> (expected: [String], found: [String]) {
        let file = packageFolder.appending(path: "Tests/StanzaLintTests/Samples/\(name)")
        let source = try String(contentsOf: file, encoding: .utf8)
        let language = try #require(SourceLanguage(fileName: name))
        var expected: [String] = []
        for (index, line) in source.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let parts = line.components(separatedBy: " expect: ")
            if parts.count == 2 { expected += parts[1].split(separator: " ").map { "\(index + 1) \($0)" } }
        }
        let found = Linter().findings(in: source, language: language).map { "\($0.start.line) \($0.rule.name)" }
        return (expected, found)
    }

    @Test(arguments: ["Sample.swift", "Sample.m", "Sample.lua"])
    func onlyTheMarkedMistakesAreFound(name: String) throws {
        let (expected, found) = try compare(name)
        #expect(found == expected)
        #expect(expected.count > 12)
    }

    /// The lines of Sources.txt, whose head has their form, with their headings.
    private static let sources: [[String]] = {
        let file = packageFolder.appending(path: "Tests/StanzaLintTests/Samples/Sources.txt")
        var (heading, sources) = ("", [[String]]())
        for line in ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n") {
            if !line.hasPrefix("  ") {
                heading = String(line)
            } else {
                sources.append([heading, String(line.dropFirst(2))])
            }
        }
        return sources
    }()

    @Test(arguments: sources)
    func sourcesHaveTheirFindings(source: [String]) throws {
        let heading = source[0].split(separator: " ").map(String.init)
        let language = try #require(SourceLanguage.allCases.first { "\($0)" == heading[0] })
        let text = source[1].components(separatedBy: " =>")[0].replacing("⏎", with: "\n").replacing("␍", with: "\r")
        let unsure: Linter.UnsureCalls = heading[1] == "check" ? .check : heading[1] == "note" ? .note : .skip
        let found = Linter(unsure: unsure).findings(in: text, language: language).map { finding in
            let note = finding.severity == .note ? " note" : ""
            return "\(finding.start.line):\(finding.start.column) \(finding.rule.name)\(note)"
        }
        #expect(source[1].hasSuffix(" =>" + (found.isEmpty ? "" : " ") + found.joined(separator: ", ")), "\(found)")
    }

    @Test func thereAreManySources() { #expect(Self.sources.count > 200) }

    /// Every query of the conformance suites, right or wrong, as each language writes it.
    @Test(arguments: SourceLanguage.allCases)
    func hundredsOfQueries(language: SourceLanguage) throws {
        let queries = Set(try ConformanceCase.all().map(\.query)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var source = ""
        var expected: [String] = []
        var line = 0
        for query in queries {
            guard let literal = Self.literal(query, language) else { continue }
            line += 1
            var arguments = ""
            do throws(QueryError) {
                arguments = String(repeating: ", x", count: try Query(query).argumentCount)
            } catch {
                if let first = error.diagnostics.first { expected.append("\(line) \(first.kind.rawValue)") }
            }
            switch language {
            case .swift: source += "_ = x.find(\(literal)\(arguments))\n"
            case .objectiveC: source += "[x find:@\(literal)\(arguments)];\n"
            case .lua: source += "stanza:find(\(literal))\n"
            }
        }
        var found: [String] = []
        for finding in Linter(unsure: .check).findings(in: source, language: language) where finding.rule.isError {
            let text = "\(finding.start.line) \(finding.rule.name)"
            // Of several errors in one query the first counts.
            if found.last?.split(separator: " ").first != text.split(separator: " ").first { found.append(text) }
        }
        #expect(line > 250)
        #expect(expected.count > 50)
        #expect(found == expected)
    }

    /// A query as a literal. `nil` if the language has no literal for it, or gives it another meaning.
    private static func literal(_ query: String, _ language: SourceLanguage) -> String? {
        var literal = ""
        for scalar in query.unicodeScalars {
            switch scalar {
            case "\\", "\"": literal += "\\\(scalar)"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\0": return nil
            default: literal.unicodeScalars.append(scalar)
            }
        }
        if language == .lua {
            // Some of them mean a string's own `find`: the samples cover these.
            let isQuery = query.contains("{") && query.contains { $0.isLetter } && !query.contains("%")
            if !isQuery || query.hasPrefix("^") || query.hasSuffix("$") { return nil }
        }
        return "\"\(literal)\""
    }

    /// Prosody and its modules: some dozen queries, and as many string searches.
    @Test(.needsProsody) func prosodysSourcesHaveNoFalseReport() throws {
        let folder = "/usr/lib/prosody"
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        var (files, calls) = (0, 0)
        for name in names where name.hasSuffix(".lua") {
            guard let source = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8) else { continue }
            files += 1
            calls += source.components(separatedBy: ":find(").count - 1
            let findings = Linter().findings(in: source, language: .lua)
            #expect(findings.isEmpty, "\(name): \(findings)")
        }
        #expect(files > 100 && calls > 50, "install the package prosody, or set STANZA_NO_PROSODY=1")
    }
}
