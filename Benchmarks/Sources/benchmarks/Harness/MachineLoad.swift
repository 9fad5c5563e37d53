// The machine's load when a run begins, for the results. Independent of the measured work.

import Foundation

/// How many processes want a processor.
struct MachineLoad: CustomStringConvertible {
    /// At and above this, other work shares the caches and the memory with the measured work, and the results say so.
    static let quietBelow = 0.3

    /// Means of the last 1, 5 and 15 minutes.
    private let means: [Double]

    /// The load now; `nil` where the system does not report it.
    init?() {
        guard let text = try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8) else { return nil }
        means = text.split(separator: " ").prefix(3).compactMap { Double($0) }
        guard means.count == 3 else { return nil }
    }

    /// Whether the last minute was quiet.
    var isQuiet: Bool { means[0] < Self.quietBelow }

    var description: String {
        let list = means.map { String(format: "%.2f", $0) }.joined(separator: ", ")
        let kind =
            isQuiet ? "a quiet machine" : "**not a quiet machine** (\(Self.quietBelow) or more)"
        return "\(list) processes in the last 1, 5 and 15 minutes: \(kind)"
    }
}
