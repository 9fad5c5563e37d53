// The events and log lines of calls, which never contain the values of arguments.

import Foundation
import Handlers
import Synchronization
import TestSupport
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
    }

    @Test func logsHoldNoValues() async throws {
        let lines = LoggedLines()
        let dispatcher = HandlerDispatcher(
            registry: try HandlerRegistry(handlers: definitions), logger: lines.logger)
        let handler = try dispatcher.handler("Test|answer", invalidation: "Test|lost", binding: ["text": "secret"])
        try await dispatcher.call(handler)
        try? await dispatcher.call(handler, ["text": 9_876_543_210_987])
        try? await dispatcher.call(dispatcher.handler("Test|fail", binding: ["text": "secret"]))
        try await dispatcher.invalidate(handler, because: .canceled, ["text": "secret"])
        #expect(!lines.text.contains("secret"))
        // It has more digits than a duration or an identifier has in a row.
        #expect(!lines.text.contains("9876543210987"))
        #expect(lines.all.count == 4)
        #expect(lines.all[0].description.hasPrefix("debug handler called"))
        #expect(lines.all[0].description.contains("handler=Test|answer<lost>"))
        #expect(lines.all[1].description.hasPrefix("warning handler not called"))
        #expect(lines.all[1].description.contains("expected String"))
        #expect(lines.all[2].description.hasPrefix("debug handler called, its function threw"))
        #expect(lines.all[3].description.hasPrefix("debug handler invalidated"))
        #expect(lines.all[3].description.contains("reason=cancelled"))
    }
}
