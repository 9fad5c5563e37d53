// A log that keeps its lines.

import Locking
public import Logging

/// Keeps the lines of a log, of all levels.
public final class LoggedLines: LogHandler {
    public struct Line: Sendable, CustomStringConvertible {
        public let level: Logger.Level
        /// The message and its metadata, such as `lost stream=1`.
        public let text: String
        public var description: String { "\(level) \(text)" }
    }

    private let lines = Lock<[Line]>([])

    public init() {}

    public var all: [Line] { lines.withLock(\.self) }

    public var text: String { all.map(\.description).joined(separator: "\n") }

    /// A logger that writes here.
    public var logger: Logger { Logger(label: "test") { _ in self } }

    public var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    public var logLevel: Logger.Level {
        get { .trace }
        set {}
    }

    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    public func log(event: LogEvent) {
        let metadata = (event.metadata ?? [:]).map { "\($0.key)=\($0.value)" }.sorted()
        let text = (["\(event.message)"] + metadata).joined(separator: " ")
        lines.withLock { $0.append(Line(level: event.level, text: text)) }
    }
}
