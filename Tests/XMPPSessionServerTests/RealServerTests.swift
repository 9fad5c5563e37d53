// A durable session with a real server, whose process is killed at the moments of its transaction.
// `.ci/session-faults` tests random faults.

import Foundation
import GRDB
import Persistence
import ServerSupport
import SessionFaults
import TestSupport
import Testing

@Suite(.serialized, .fewAtOnce) struct RealServerTests {
    init() { ServerKind.tellWhatIsMissing() }

    /// Kills the process while it handles a message. The row in the app's table and the receipt are stored together or
    /// not at all. The next process completes the work and repeats nothing. `STANZA_CASES=40` runs all moments.
    @Test(arguments: ServerKind.tested) func killedAtMomentsOfATransaction(kind: ServerKind) async throws {
        let server = try await SharedServers.all.server(kind, for: "session")
        let cases = SeededGenerator.cases(default: kind == .prosody ? 5 : 2)
        for moment in KilledSession.moments(cases, salt: 81) {
            let wasKilled = try await kill(at: moment, server)
            if moment < KilledSession.earlyMoments { #expect(wasKilled, "moment \(moment)") }
        }
    }

    /// - Returns: Whether the process has killed itself.
    private func kill(at moment: Int, _ server: RunningServer) async throws -> Bool {
        let comment: Comment = "moment \(moment)"
        let session = try await KilledSession(port: server.port, role: "extension", prefix: "k\(moment)")
        let bob = session.bob
        let first = try session.start(["PROBE_KILL_AT": "\(moment)"])
        try await eventually("the first session runs") { session.log.count("acknowledged", "presence") > 0 }
        let id = try #require(await bob.say())
        try await eventually("it was killed, or is done") {
            if !first.isRunning { return true }
            return await bob.knows.received["re-\(id)"] != nil
        }
        let wasKilled = !first.isRunning
        first.kill()
        // The stanzas that the server has acknowledged to the process have arrived.
        try await bob.synchronize()

        let database = try await StanzaDatabase.open(at: session.database)
        func count(_ sql: String) async throws -> Int {
            try await database.read { try Int.fetchOne($0.db, sql: sql, arguments: [id]) } ?? 0
        }
        let rows = try await count("SELECT count(*) FROM inbox WHERE id = ?")
        let waiting = try await count("SELECT count(*) FROM stanza_outgoing WHERE id = 're-' || ?")
        let receipts = await bob.knows.received["re-\(id)"] ?? 0
        #expect(rows <= 1 && (waiting + receipts > 0) == (rows == 1), comment)

        try await session.finish(comment)
        #expect(try await count("SELECT count(*) FROM inbox WHERE id = ?") == 1, comment)
        #expect(await bob.leave().received["re-\(id)"] == 1, comment)
        database.close()
        return wasKilled
    }
}
