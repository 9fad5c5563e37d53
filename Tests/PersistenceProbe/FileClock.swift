// Clocks that a test sets from outside. A file has up to three words: the seconds to add to the time of day, the
// seconds to add to the uptime, and the name of another run of the machine. A number after an equals sign is the
// clock's fixed value.

import Foundation
import Promises

struct FileClock: PromiseClock {
    let path: String
    private let system = SystemPromiseClock()

    init(path: String) { self.path = path }

    func now() -> Date { Date(timeIntervalSince1970: seconds(0, system.now().timeIntervalSince1970)) }

    var uptime: TimeInterval { seconds(1, system.uptime) }

    var boot: String? { word(2) ?? system.boot }

    /// Looks often, so that tests need not wait.
    func sleep(for seconds: TimeInterval) async {
        try? await Task.sleep(for: .seconds(min(max(seconds, 0), 0.05)))
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
