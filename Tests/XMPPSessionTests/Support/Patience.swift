// Timeouts that tests do not reach. Tests share few threads, and a task may wait for a thread for minutes.

import Handlers
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

extension StreamManagementConfiguration {
    /// The configuration of durable sessions whose server and tasks may take any time to answer.
    static var patient: StreamManagementConfiguration {
        var configuration = StreamManagementConfiguration.durable
        configuration.acknowledgementTimeout = .seconds(86_400)
        configuration.closingTimeout = .seconds(86_400)
        configuration.negotiationTimeout = .seconds(86_400)
        return configuration
    }
}

// A request of a test without a timeout does not time out. Swift prefers these overloads to the session's, which have
// a default timeout.

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
        let isInherited = inheritedTimeout != DurableSession.requestTimeout
        return try await request(iq, handler: handler, timeout: isInherited ? inheritedTimeout : nil)
    }
}
