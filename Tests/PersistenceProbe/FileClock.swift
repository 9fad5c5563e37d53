// Clocks that a test sets from outside. A file has up to three words: the seconds to add to the time of day, the
// seconds to add to the uptime, and the name of another run of the machine. A number after an equals sign is the
// clock's fixed value.

import Foundation
import XMPPCore

struct FileClock: MachineClock {
    let path: String
    private let system = SystemClock()

    init(path: String) { self.path = path }

    var date: Date { Date(timeIntervalSince1970: seconds(0, system.date.timeIntervalSince1970)) }

    var uptime: Duration { .seconds(seconds(1, system.uptime / .seconds(1))) }

    var boot: String? { word(2) ?? system.boot }

    /// Looks often, so that tests need not wait.
    func sleep(until uptime: Duration) async throws {
        while self.uptime < uptime { try await Task.sleep(for: .milliseconds(50)) }
    }

    private func seconds(_ number: Int, _ real: TimeInterval) -> TimeInterval {
        guard let word = word(number) else { return real }
        return word.first == "=" ? TimeInterval(word.dropFirst()) ?? real : real + (TimeInterval(word) ?? 0)
    }

    private func word(_ number: Int) -> String? {
        let words = (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: " ") ?? []
        return words.indices.contains(number) ? String(words[number]) : nil
    }
}
