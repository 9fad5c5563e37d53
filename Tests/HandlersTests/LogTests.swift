// The log lines of calls, which never contain the values of arguments.

import Handlers
import TestSupport
import Testing

@Suite struct LogTests {
    private let definitions = [
        HandlerDefinition("Test|answer", HandlerParameter("text", String.self)) { _ in },
        HandlerDefinition("Test|fail") { throw CancellationError() }, HandlerDefinition("Test|lost") {},
    ]

    @Test func logsHoldNoValues() async throws {
        let lines = LoggedLines()
        let dispatcher = HandlerDispatcher(
            registry: try HandlerRegistry(handlers: definitions), logger: lines.logger)
        let handler = try dispatcher.handler("Test|answer", invalidation: "Test|lost", binding: ["text": "secret"])
        try await dispatcher.call(handler)
        _ = try? await dispatcher.call(handler, ["text": 9_876_543_210_987])
        _ = try? await dispatcher.call(dispatcher.handler("Test|fail", binding: ["text": "secret"]))
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
