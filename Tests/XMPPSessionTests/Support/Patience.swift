// Nothing is given up because time passes: tests share few threads, and a task may wait for its own for minutes.

import Handlers
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

extension StreamManagementConfiguration {
    /// For durable sessions, whose server and whose own tasks may take any time to answer.
    static var patient: StreamManagementConfiguration {
        var configuration = StreamManagementConfiguration.durable
        configuration.acknowledgementTimeout = .seconds(86_400)
        configuration.closingTimeout = .seconds(86_400)
        configuration.negotiationTimeout = .seconds(86_400)
        return configuration
    }
}

// What a test asks without a timeout does not time out: these come before the session's own, which have one.

extension DurableSession {
    @discardableResult
    nonisolated func request(_ iq: Element, handler: Handler) async throws -> String {
        try await request(iq, handler: handler, timeout: nil)
    }

    nonisolated func request(_ iq: Element) async throws -> Element {
        try await request(iq, timeout: .seconds(86_400))
    }
}

extension StanzaWork {
    @discardableResult
    func request(_ iq: Element, handler: Handler) async throws -> String {
        try await request(iq, handler: handler, timeout: nil)
    }
}

extension StreamSession {
    /// How many stanzas have come and are not handled.
    var unhandledCount: Int { core.unhandledCount }
}
