// What the application was told in all lives of its processes, as Tests/SessionProbe/ProbeLog.swift has written it.

import Foundation

/// The log of a run.
package struct RunLog {
    /// How often each word was said of each thing.
    private var counts: [String: [String: Int]] = [:]
    /// What each promise has shown.
    private(set) var shown: [String: Set<String>] = [:]
    private(set) var violations: [String] = []

    package init(contentsOf path: String) {
        self.init((try? String(contentsOfFile: path, encoding: .utf8)) ?? "")
    }

    init(_ text: String) {
        // The last line may have been cut in the middle of a write.
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            guard words.count > 1 else { continue }
            counts[words[1], default: [:]][words.count > 2 ? words[2] : "", default: 0] += 1
            if words[1] == "shown", words.count > 3 { shown[words[2], default: []].insert(words[3]) }
            if words[1] == "violation" { violations.append(String(line)) }
        }
    }

    /// How often something was said of a thing.
    package func count(_ word: String, _ id: String) -> Int { counts[word]?[id] ?? 0 }

    /// How often something was said at all.
    func total(_ word: String) -> Int { counts[word]?.values.reduce(0, +) ?? 0 }

    /// What something was said of.
    func all(_ word: String) -> Set<String> { Set(counts[word]?.keys.map { $0 } ?? []) }
}
