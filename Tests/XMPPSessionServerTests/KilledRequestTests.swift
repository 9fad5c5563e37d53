// A durable session with a real server, killed while it stores a request, and while it handles the answer.

import Foundation
import GRDB
import Persistence
import ServerSupport
import TestSupport
import Testing

@testable import SessionFaults
@testable import XMPPSessionTests

@Suite(.serialized, .fewAtOnce) struct KilledRequestTests {
    init() { ServerKind.tellWhatIsMissing() }

    /// The request, its handler and its stanza are stored together or not at all. So are the outcome, the promise, the
    /// end of the request and the handled mark of the answer. The next process completes the work and repeats nothing.
    /// `STANZA_CASES=40` runs all moments.
    @Test(arguments: ["request", "answer"]) func killedAtMoments(of operation: String) async throws {
        guard ServerKind.tested.contains(.prosody) else { return }
        let server = try await SharedServers.all.server(.prosody, for: "requests")
        let salt: UInt64 = operation == "request" ? 82 : 83
        for moment in KilledSession.moments(SeededGenerator.cases(default: 3), salt: salt) {
            try await kill(in: operation, at: moment, server)
        }
    }

    private func kill(in operation: String, at moment: Int, _ server: RunningServer) async throws {
        let comment: Comment = "\(operation), moment \(moment)"
        let session = try await KilledSession(port: server.port, role: "app", prefix: "\(operation)\(moment)")
        let first = try session.start(
            ["PROBE_ASK": "1", "PROBE_KILL_AT": "\(moment)", "PROBE_KILL_IN": operation])
        try await eventually("it was killed, or is done") { !first.isRunning || !session.log.all("shown").isEmpty }
        if moment < KilledSession.earlyMoments { #expect(!first.isRunning, comment) }
        first.kill()

        let database = try await StanzaDatabase.open(at: session.database)
        func count(_ table: String) async throws -> Int {
            try await database.read { try Int.fetchOne($0.db, sql: "SELECT count(*) FROM \(table)") } ?? 0
        }
        let isStored = try await count("stanza_request") + count("outcome") == 1
        database.close()
        #expect(isStored || operation == "request", comment)
        // The request is stored if the call that makes it has returned.
        #expect(isStored || session.log.all("asked").isEmpty, comment)

        try await session.finish(comment)
        let evidence = try await RunEvidence(
            folder: session.folder.url.path, resends: false, bob: await session.bob.leave(), lostByServer: [])
        #expect(evidence.violations() == [], comment)
        #expect(evidence.outcomes.values.map(\.self) == (isStored ? [["result"]] : []), comment)
        let id = try #require(session.log.all("asking").first, comment)
        let after = try await StanzaDatabase.open(at: session.database)
        defer { after.close() }
        let promise = try await after.promise(key: id)
        // The process may have removed a promise whose outcome it showed.
        if let promise { #expect((promise.outcome != nil) == isStored, comment) } else { #expect(isStored, comment) }
    }
}
