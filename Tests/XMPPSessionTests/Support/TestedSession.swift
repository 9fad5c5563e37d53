// The state of a session, for tests.

@testable import StreamManagement
@testable import XMPPSession

extension DurableSession {
    /// Sets how long closing waits for handlers. Call it before the session runs.
    func setHandlersGrace(_ grace: Duration) { setLimits { $0.closingTime = grace } }
}

extension SessionSignals {
    func tellOfEndings() { noteRequests() }
}

extension DurableSession {
    var isRunning: Bool {
        switch phase {
        case .claiming, .running: true
        case .idle, .suspending, .suspended, .closing, .closed: false
        }
    }

    /// `nil` until the session is being closed.
    var closing: Core.Phase? { if case .closing = phase { phase } else { nil } }

    /// The number of received stanzas that wait for an earlier handler.
    var waitingCount: Int {
        get async {
            let count = update { tables in tables.deliveries.count - tables.attempts.all { $0.stanza != nil }.count }
            return await count + stream.received.count
        }
    }

    /// The handlers that have not returned.
    var invalidationsLeft: Int { update { $0.attempts.all { _ in true }.count } }

    /// Reads which requests have ended, and waits for the read.
    func endRequestsNow() async throws {
        handle(.requestsChanged)
        try await operations.run {}
    }

    func loseUnresumable() async throws {
        try await rows.sweep(losesUnresumable: true, timedOut: [], with: stream, in: storage)
    }
}
