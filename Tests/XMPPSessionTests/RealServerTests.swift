// A durable session with a real server, killed at every moment of its transaction. Random faults are
// .ci/session-faults's.

import Foundation
import GRDB
import Persistence
import ServerSupport
import SessionFaults
import TestSupport
import Testing

@Suite(.serialized, .fewAtOnce) struct RealServerTests {
    init() { ServerKind.tellWhatIsMissing() }

    /// How many moments of a message's handling there are at most, with what comes soon after.
    private static let moments = 40

    /// The process is killed while it handles a message. Of the row in the application's table and the receipt both are
    /// stored or none is; the next process does what is missing, and repeats nothing. `STANZA_CASES=40` takes all
    /// moments.
    @Test(arguments: ServerKind.tested) func killedAtMomentsOfATransaction(kind: ServerKind) async throws {
        let server = try await SharedServers.all.server(kind, for: "session")
        var random = SeededGenerator(salt: 81)
        let cases = SeededGenerator.cases(default: kind == .prosody ? 5 : 2)
        // One of them is certainly a moment of the transaction.
        let early = Int.random(in: 0..<Self.earlyMoments, using: &random)
        let others = (0..<Self.moments).filter { $0 != early }.shuffled(using: &random)
        for moment in ([early] + others).prefix(cases) {
            let wasKilled = try await kill(at: moment, server)
            if moment < Self.earlyMoments { #expect(wasKilled, "moment \(moment)") }
        }
    }

    /// No transaction of a message has fewer.
    private static let earlyMoments = 6

    /// - Returns: Whether the process has killed itself.
    private func kill(at moment: Int, _ server: RunningServer) async throws -> Bool {
        let comment: Comment = "moment \(moment)"
        let session = try await KilledSession(port: server.port, role: "extension", prefix: "k\(moment)")
        let bob = session.bob
        let first = try session.start(["PROBE_KILL_AT": "\(moment)"])
        try await eventually("the first session is there") { session.log.count("acknowledged", "presence") > 0 }
        let id = try #require(await bob.say())
        try await eventually("it was killed, or is done") {
            if !first.isRunning { return true }
            return await bob.knows.received["re-\(id)"] != nil
        }
        let wasKilled = !first.isRunning
        first.kill()
        // What the server has told the process to be delivered has come.
        try await bob.synchronize()

        let database = try await StanzaDatabase.open(at: session.database)
        func count(_ sql: String) async throws -> Int {
            try await database.read { try Int.fetchOne($0.database, sql: sql, arguments: [id]) } ?? 0
        }
        let rows = try await count("SELECT count(*) FROM inbox WHERE id = ?")
        let waiting = try await count("SELECT count(*) FROM outgoingStanza WHERE id = 're-' || ?")
        let receipts = await bob.knows.received["re-\(id)"] ?? 0
        #expect(rows <= 1 && (waiting + receipts > 0) == (rows == 1), comment)

        try await session.finish(comment)
        #expect(try await count("SELECT count(*) FROM inbox WHERE id = ?") == 1, comment)
        #expect(await bob.leave().received["re-\(id)"] == 1, comment)
        database.close()
        return wasKilled
    }
}
