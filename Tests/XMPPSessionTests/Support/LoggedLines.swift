// A log that keeps its lines.

import Logging
import Synchronization

/// Keeps the lines of a log.
final class LoggedLines: LogHandler {
    struct Line {
        let level: Logger.Level
        let text: String
    }

    private let lines = Mutex<[Line]>([])

    var all: [Line] { lines.withLock(\.self) }

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        let line = Line(level: event.level, text: "\(event.message) \(event.metadata ?? [:])")
        lines.withLock { $0.append(line) }
    }
}
