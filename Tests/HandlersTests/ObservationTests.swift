// The events and log lines of calls, which never contain the values of arguments.

import Foundation
import Handlers
import Logging
import Synchronization
import Testing

@Suite struct ObservationTests {
    private let events = Events()

    private final class Events: Sendable {
        private let all = Mutex<[HandlerEvent]>([])

        func add(_ event: HandlerEvent) { all.withLock { $0.append(event) } }

        var lines: [String] {
            all.withLock { $0 }.map { event in
                let purpose =
                    switch event.purpose {
                    case .call: "call"
                    case .invalidation(let reason): "invalidation \(reason)"
                    }
                let outcome =
                    switch event.outcome {
                    case .returned: "returned"
                    case .threw(let error): "threw \(type(of: error))"
                    case .refused(let error): "refused \(type(of: error))"
                    }
                return "\(event.name) \(purpose) \(outcome)"
            }
        }

        var durations: [Duration] { all.withLock { $0.map(\.duration) } }
    }

    private let definitions = [
        HandlerDefinition("Test|answer", HandlerParameter("text", String.self)) { _ in
            try await Task.sleep(for: .milliseconds(2))
        },
        HandlerDefinition("Test|fail") { throw CancellationError() }, HandlerDefinition("Test|lost") {},
    ]

    @Test func events() async throws {
        let dispatcher = HandlerDispatcher(try HandlerRegistry(handlers: definitions), observer: events.add)
        let handler = try dispatcher.handler("Test|answer", invalidation: "Test|lost")
        try await dispatcher.call(handler, ["text": "secret"])
        try? await dispatcher.call(handler)
        try? await dispatcher.call(dispatcher.handler("Test|fail"))
        try await dispatcher.invalidate(handler, because: .timedOut)
        try? await dispatcher.call(handler)
        #expect(
            events.lines == [
                "Test|answer call returned", "Test|answer call refused HandlerError",
                "Test|fail call threw CancellationError", "Test|lost invalidation timed-out returned",
                "Test|answer call refused HandlerError",
            ])
        #expect(events.durations[0] >= .milliseconds(2))
        #expect(events.durations[0] > .zero)
    }

    @Test func logsHoldNoValues() async throws {
        let lines = Lines()
        let dispatcher = HandlerDispatcher(
            registry: try HandlerRegistry(handlers: definitions),
            logger: Logger(label: "test") { _ in LineHandler(lines: lines) })
        let handler = try dispatcher.handler("Test|answer", invalidation: "Test|lost", binding: ["text": "secret"])
        try await dispatcher.call(handler)
        try? await dispatcher.call(handler, ["text": 9_876_543_210_987])
        try? await dispatcher.call(dispatcher.handler("Test|fail", binding: ["text": "secret"]))
        try await dispatcher.store(handler)
        try await dispatcher.invalidate(handler, because: .canceled, ["text": "secret"])
        let store = dispatcher.store
        _ = try await HandlerDispatcher(registry: HandlerRegistry(), store: store, logger: dispatcher.quiet(lines))
            .call(stored: handler.id, ["text": "secret"])
        let text = lines.all.joined(separator: "\n")
        #expect(!text.contains("secret"))
        // It has more digits than a duration or an identifier has in a row.
        #expect(!text.contains("9876543210987"))
        #expect(lines.all.count == 5)
        #expect(lines.all[0].hasPrefix("debug handler called"))
        #expect(lines.all[0].contains("handler=Test|answer<lost>"))
        #expect(lines.all[1].hasPrefix("warning handler not called"))
        #expect(lines.all[1].contains("expected String"))
        #expect(lines.all[2].hasPrefix("debug handler called, its function threw"))
        #expect(lines.all[3].hasPrefix("debug handler invalidated"))
        #expect(lines.all[3].contains("reason=cancelled"))
        #expect(lines.all[4].hasPrefix("warning handler deferred"))
    }
}

private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    func add(_ line: String) { lines.withLock { $0.append(line) } }

    var all: [String] { lines.withLock { $0 } }
}

/// Writes level, message and metadata into a list.
private struct LineHandler: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    init(lines: Lines) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let metadata = (event.metadata ?? [:]).map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
        lines.add("\(event.level) \(event.message) \(metadata)")
    }
}

extension HandlerDispatcher {
    fileprivate func quiet(_ lines: Lines) -> Logger { Logger(label: "test") { _ in LineHandler(lines: lines) } }
}
