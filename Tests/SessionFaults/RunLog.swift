// The reports to the application in all lives of its processes, as ProbeLog.swift of session-faults writes them.

import Foundation

/// The log of a run.
package struct RunLog {
    /// How often the log has each word for each stanza, request or promise.
    private var counts: [String: [String: Int]] = [:]
    /// The values that each promise has shown.
    private(set) var shown: [String: Set<String>] = [:]
    private(set) var violations: [String] = []
    /// The bytes of memory and the milliseconds of processor time that a process has noted.
    package private(set) var costs: (memory: Int, processorTime: Int)?

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
            if words[1] == "costs", words.count > 3, let memory = Int(words[2]), let time = Int(words[3]) {
                costs = (memory, time)
            }
        }
    }

    /// How often the log has a word for an identifier.
    package func count(_ word: String, _ id: String) -> Int { counts[word]?[id] ?? 0 }

    /// How often the log has a word.
    func total(_ word: String) -> Int { counts[word]?.values.reduce(0, +) ?? 0 }

    /// The identifiers for which the log has a word.
    func all(_ word: String) -> Set<String> { Set(counts[word]?.keys.map { $0 } ?? []) }
}
