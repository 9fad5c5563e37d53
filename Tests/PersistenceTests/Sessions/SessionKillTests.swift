// Kills a process with a session: before and after every statement, and at arbitrary moments. Every step that it has
// printed by then must be stored, so that resuming loses nothing.

import Foundation
import Persistence
import Simulators
import StreamManagement
import TestSupport
import Testing

@Suite(.serialized, .fewAtOnce) struct SessionKillTests {
    /// A run kills at 20 moments of about a hundred; `STANZA_CASES=1000` takes all. Other seeds take others.
    @Test("R38 R39 D49 Killed at any moment of any write, sent stanzas and acknowledged counts are stored")
    func atMomentsOfWrites() async throws {
        let count = try #require(Int(try await run(moment: nil).lines.last?.split(separator: " ").first ?? ""))
        try #require(count > 50, "each write has some statements")
        var random = SeededGenerator(salt: 4)
        for moment in (0..<count).shuffled(using: &random).prefix(SeededGenerator.cases(default: 20)) {
            let (lines, session) = try await run(moment: moment)
            check(lines, session, "moment \(moment), seed \(SeededGenerator.seed)")
        }
    }

    /// Runs the probe, and loads its session as the next process would.
    private func run(moment: Int?) async throws -> (lines: [String], session: StoredSession?) {
        let place = try TemporaryDatabase()
        let environment = moment.map { ["PROBE_KILL_AT": "\($0)"] } ?? ["PROBE_COUNT": "1"]
        let (lines, signal) = try await blocking {
            try Probe(place.path, "stream", "3", environment: environment).readToEnd()
        }
        #expect(signal == (moment == nil ? nil : SIGKILL))
        return (lines, try await load(place))
    }

    private func load(_ place: TemporaryDatabase) async throws -> StoredSession? {
        let session = try await place.open().openSession("juliet@example.org")
        defer { session.close() }
        return try session.load()
    }

    @Test("R38 R39 D49 Killed at arbitrary moments, too")
    func atArbitraryMoments() async throws {
        var random = SeededGenerator(salt: 3)
        for _ in 0..<5 {
            let place = try TemporaryDatabase()
            let count = Int.random(in: 1...120, using: &random)
            let pause = UInt32.random(in: 0...2000, using: &random)
            let lines = try await blocking {
                let probe = try Probe(place.path, "stream", "1000000")
                let lines = try (0..<count).map { _ in try probe.readLine() }
                usleep(pause)
                probe.send(SIGKILL)
                return lines + probe.readToEnd().lines
            }
            #expect(lines.last != "done")
            check(lines, try await load(place), "seed \(SeededGenerator.seed)")
        }
    }

    /// Compares the printed steps of the process with its stored session.
    private func check(_ lines: [String], _ session: StoredSession?, _ comment: Comment) {
        func last(_ word: String) -> Int {
            lines.compactMap { $0.hasPrefix(word + " ") ? Int($0.dropFirst(word.count + 1)) : nil }.last ?? 0
        }
        let pending = session?.pending.map { Int($0.number.rawValue) } ?? []
        let handled = Int(session?.handledByClient.rawValue ?? 0)
        let acknowledged = Int(session?.handledByServer.rawValue ?? 0)
        // Every stanza that the server may lack is stored, and the numbers have no gap.
        #expect(acknowledged <= last("answered"), comment)
        #expect(pending == Array((acknowledged + 1)..<(acknowledged + 1 + pending.count)), comment)
        #expect(acknowledged + pending.count >= last("sent"), comment)
        #expect(session?.pending.allSatisfy { $0.element["id"] == "m\($0.number.rawValue)" } ?? true, comment)
        // The stored count is at least the acknowledged one, and at most the handled one.
        #expect(handled >= last("reported"), comment)
        #expect(handled <= last("handled"), comment)
        if last("sent") > 0, lines.contains("handled 1") { #expect(session?.resumption?.id.rawValue == "s1", comment) }
    }
}
