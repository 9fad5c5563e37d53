// The clean-up before a stream begins, while other changes commit.

import Foundation
import Persistence
import TestSupport
import Testing
import XMLTree

@testable import StreamManagement
@testable import XMPPSession

@Suite(.fewAtOnce) struct SweepTests {
    /// The invalidation of a request asks again with the same `id`, after the sweep has read which requests have timed
    /// out and before its transaction.
    @Test("A sweep withdraws no request that was sent anew") func sentAnew() async throws {
        let home = try await Household()
        let session = home.session
        let handler = try home.handler()
        try await session.request(query, handler: handler, timeout: .seconds(60))
        let serial = try #require(try await home.requests().first?.serial)
        let work = StanzaWork(session.database.beginWork(), in: session.workContext)
        try work.changes.add { _ = try $0.requests.remove(serial) }
        try await work.request(query, handler: handler, timeout: nil)
        let stanzas = work.takeStanzas()
        try await holding { holder in
            await session.stream.wait { holder.hold() }
        } during: { holder in
            let asking = Task {
                try await session.stream.commit(
                    nil, with: work.changes, in: session.rows.storage, sending: stanzas,
                    withdrawing: { $0["id"] == "q1" })
            }
            try await Task.sleep(for: .milliseconds(50))
            let sweeping = Task {
                try await session.rows.sweep(
                    losesUnresumable: false, timedOut: [.init(rawValue: serial)], with: session.stream)
            }
            try await Task.sleep(for: .milliseconds(200))
            holder.letGo()
            _ = try await asking.value
            try await sweeping.value
        }
        await work.changes.end(isCommitted: true)
        #expect(try await home.requests().map(\.id) == ["q1"])
        #expect(await session.stream.unacknowledged.map(\.id) == ["q1"])
    }
}
