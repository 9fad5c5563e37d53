// A durable session with a real server, killed after it was idle for longer than the server keeps sessions (rule R32).

import Foundation
import GRDB
import Persistence
import ServerSupport
import SessionFaults
import TestSupport
import Testing

@Suite(.fewAtOnce) struct KilledIdleTests {
    /// How long Prosody keeps the session, and the longer idle time, in seconds. The process stores the time of its
    /// last contact every 30 s, so the stored time is older than `max` when the process dies.
    private static let (resumptionTime, idleTime) = (20, 24)
    private static let messages = 50

    /// This test runs in real time: Prosody keeps the session for 20 s after the kill. Beside all other tests, it may
    /// wait longer for a thread, so `.ci/long` runs it alone.
    @Test(
        "After a kill that follows a long idle time, the session is resumed, and each message is handled once",
        .enabled(if: ProcessInfo.processInfo.environment["STANZA_REAL_TIME"] == "1"))
    func killedWhileIdle() async throws {
        guard ServerKind.tested.contains(.prosody) else { return ServerKind.tellWhatIsMissing() }
        let server = try await RunningServer(.prosody, resumptionTime: Self.resumptionTime)
        let session = try await KilledSession(port: server.port, role: "app", prefix: "idle")
        let first = try session.start([:])
        try await eventually("the first session runs") { session.log.count("acknowledged", "presence") > 0 }
        try await Task.sleep(for: .seconds(Self.idleTime))
        first.kill()

        let database = try await StanzaDatabase.open(at: session.database)
        defer { database.close() }
        func number(_ sql: String) async throws -> Double {
            try await database.read { try Double.fetchOne($0.db, sql: sql) } ?? 0
        }
        #expect(try await number("SELECT maximum FROM stanza_session") == Double(Self.resumptionTime))
        let lastContact = Date(timeIntervalSince1970: try await number("SELECT lastDisconnect FROM stanza_session"))
        #expect(Date().timeIntervalSince(lastContact) > Double(Self.resumptionTime))

        // The server keeps these for the session.
        var ids: [String] = []
        for _ in 1...Self.messages { ids.append(try #require(await session.bob.say())) }
        try await session.bob.synchronize()
        try await session.finish("after the idle time")

        #expect(session.log.count("resumed", "") == 1 && session.log.count("notResumed", "") == 0)
        let handled = try await number("SELECT count(*) FROM inbox WHERE id LIKE 'b-idle-%'")
        #expect(handled == Double(Self.messages))
        // The answers that the server has sent to bob have then arrived.
        try await session.bob.synchronize()
        let view = await session.bob.leave()
        for id in ids { #expect(view.received["re-\(id)"] == 1, "\(id)") }
    }
}
