// A time of day that a test sets from outside. A file has the seconds by which it differs from the real one, or, after
// an equals sign, the time at which it stands still.

import Foundation
import Promises

struct FileClock: PromiseClock {
    let path: String

    func now() -> Date {
        let words = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        if words.first == "=" { return Date(timeIntervalSince1970: TimeInterval(words.dropFirst()) ?? 0) }
        return Date() + (TimeInterval(words) ?? 0)
    }

    var uptime: TimeInterval { SystemPromiseClock().uptime }

    /// Looks often, so that tests need not wait.
    func sleep(until date: Date) async throws {
        try await Task.sleep(for: .seconds(min(max(date.timeIntervalSince(now()), 0), 0.05)))
    }
}
