// The outcomes of all scenarios as text: lines of a table, details of failures, JUnit and JSON. Pure functions.

public import Foundation
import SafeText

/// The text of outcomes.
public enum Report {
    /// One line of the table.
    public static func line(_ outcome: Outcome) -> String {
        let seconds = String(format: "%6.1f s", Double(outcome.duration.components.seconds) + outcome.fraction)
        return "\(outcome.word.padded(to: 14)) \(outcome.scenario.name.padded(to: 26)) \(seconds)  \(outcome.note)"
    }

    /// The rule, the expectation and the last elements of a failure, for a report to the developers of the client.
    public static func details(_ outcome: Outcome) -> String {
        guard case .failed(let failure) = outcome.verdict else { return "" }
        let lines =
            ["", "\(outcome.scenario.name): \(outcome.word)", "  rule      \(failure.rule)"]
            + ["  expected  \(failure.expected)", "  found     \(failure.found)", "  the last elements:"]
        return (lines + outcome.transcript.map { "    \($0)" }).joined(separator: "\n")
    }

    /// The numbers of all verdicts.
    public static func summary(_ outcomes: [Outcome]) -> String {
        let words = ["passed", "failed", "unstable", "not applicable"]
        return words.compactMap { word in
            let count = outcomes.count { $0.word == word }
            return count == 0 && word != "passed" ? nil : "\(count) \(word)"
        }.joined(separator: ", ")
    }

    /// The list of scenarios.
    public static func list(_ scenarios: [Scenario]) -> String {
        scenarios.map {
            "\($0.name.padded(to: 26)) \($0.isSlow ? "slow" : "    ")  \($0.rule): \($0.title)"
        }.joined(separator: "\n")
    }

    /// The outcomes as JUnit's XML.
    public static func junit(_ outcomes: [Outcome], client: String) -> String {
        let cases = outcomes.map { outcome in
            let head =
                "  <testcase classname=\"torture\" name=\"\(outcome.scenario.name)\" time=\"\(outcome.seconds)\""
            return switch outcome.verdict {
            case .passed: head + "/>"
            case .notApplicable(let reason): head + "><skipped message=\"\(xml(reason))\"/></testcase>"
            case .failed(let failure):
                head + "><\(outcome.isUnstable ? "skipped" : "failure") message=\"\(xml(failure.expected))\">"
                    + xml(details(outcome)) + "</\(outcome.isUnstable ? "skipped" : "failure")></testcase>"
            }
        }
        let failures = outcomes.count(where: \.hasFailed)
        return
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"\(xml(client))\" tests=\"\(outcomes.count)\" "
            + "failures=\"\(failures)\">\n" + cases.joined(separator: "\n") + "\n</testsuite>\n"
    }

    /// The outcomes as JSON, with the day of the run.
    ///
    /// - Throws: `EncodingError`, which no outcome causes.
    public static func json(_ outcomes: [Outcome], client: String, date: Date) throws -> String {
        let rows = outcomes.map { outcome in
            var row = Row(
                scenario: outcome.scenario.name, rule: outcome.scenario.rule, title: outcome.scenario.title,
                verdict: outcome.word, seconds: outcome.seconds)
            switch outcome.verdict {
            case .passed: break
            case .notApplicable(let reason): row.reason = reason
            case .failed(let failure):
                row.expected = failure.expected
                row.found = failure.found
                row.transcript = outcome.transcript
            }
            return row
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let file = File(client: client, date: String(date.ISO8601Format().prefix(10)), outcomes: rows)
        return String(decoding: try encoder.encode(file), as: UTF8.self) + "\n"
    }

    private struct File: Encodable {
        let client: String
        let date: String
        let outcomes: [Row]
    }

    private struct Row: Encodable {
        let scenario: String
        let rule: String
        let title: String
        let verdict: String
        let seconds: Double
        var reason: String?
        var expected: String?
        var found: String?
        var transcript: [String]?
    }

    /// A text as content of XML, without the characters that XML forbids.
    private static func xml(_ text: String) -> String {
        let safe = text.unicodeScalars.filter { $0.value >= 0x20 || $0 == "\n" || $0 == "\t" }
            .filter { $0.value != 0xFFFE && $0.value != 0xFFFF }
        return String(String.UnicodeScalarView(safe)).replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }
}

extension Outcome {
    /// The verdict in one word.
    public var word: String {
        switch verdict {
        case .passed: "passed"
        case .failed: isUnstable ? "unstable" : "failed"
        case .notApplicable: "not applicable"
        }
    }

    fileprivate var note: String {
        switch verdict {
        case .passed: ""
        case .failed(let failure): failure.rule
        case .notApplicable(let reason): reason
        }
    }

    fileprivate var fraction: Double { Double(duration.components.attoseconds) / 1e18 }

    /// Tenths of a second are enough.
    fileprivate var seconds: Double {
        (10 * (Double(duration.components.seconds) + fraction)).rounded() / 10
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
