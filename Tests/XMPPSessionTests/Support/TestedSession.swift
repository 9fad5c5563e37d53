// The state of a session, for tests.

import TestSupport

@testable import StreamManagement
@testable import XMPPSession

extension DurableSession {
    /// The number of received stanzas that wait for an earlier handler.
    var waitingCount: Int {
        get async {
            let count = update { tables in tables.deliveries.count - tables.attempts.all { $0.stanza != nil }.count }
            return await count + stream.untakenCount
        }
    }

    /// The handlers that have not returned.
    var invalidationsLeft: Int { update { $0.attempts.all { _ in true }.count } }

    func loseUnresumable() async throws {
        try await rows.sweep(losesUnresumable: true, timedOut: [], with: stream)
    }
}

extension StreamSession {
    /// Waits until the condition holds, which each event of the stream may cause.
    func until(
        _ what: String, _ condition: @Sendable (isolated StreamSession) -> Bool
    ) async throws {
        let limit = TimeLimit(what) { await self.wakeReaders(.inputRoom) }
        defer { limit.end() }
        while !condition(self) {
            try limit.check()
            await wait(for: .inputRoom)
        }
    }

    /// How many received stanzas are not handled.
    var unhandledCount: Int { core.unhandledCount }

    /// Whether this many stanzas have arrived and all are handled.
    func isAllHandled(_ count: Int) -> Bool {
        core.handledCounter == StanzaCounter(rawValue: UInt32(count)) && core.unhandledCount == 0
    }
}
