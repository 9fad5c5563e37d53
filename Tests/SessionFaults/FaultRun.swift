// One run: a server, a network that fails, bob, and two processes that are killed and stopped. Start here.
// Invariants.swift checks the result; Tests/session-faults/Probe is the program of the processes.

import Foundation
import ServerSupport
import TestSupport

package struct FaultRun {
    /// The stanzas that the processes send again after they have lost a session.
    package enum Policy: String, CaseIterable, Sendable {
        case resend, messages, none
    }

    package let seed: UInt64
    package let mistake: Mistake?
    /// Whether all connections are encrypted.
    package let isEncrypted: Bool
    private var random: SeededGenerator

    package init(seed: UInt64, mistake: Mistake? = nil, isEncrypted: Bool = true) {
        self.seed = seed
        self.mistake = mistake
        self.isEncrypted = isEncrypted
        random = SeededGenerator(seed: seed)
    }

    /// Makes the run on a server, and leaves the server running.
    /// - Returns: A summary of the run.
    /// - Throws: `RunFailure` with the violations.
    package mutating func run(on server: RunningServer) async throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "session-faults-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let policy = random.pick(Policy.allCases)
        let proxy = try FaultyProxy(to: server.port, seed: random.next(), records: folder)
        defer { proxy.end() }
        let authority = isEncrypted ? try Certificates.shared.get().authority : nil
        try authority?.write(
            to: folder.appending(path: ProbeProcess.authorityFile), atomically: true, encoding: .utf8)
        let bob = try Bob(
            port: server.port, authority: authority, prefix: "\(seed)", seed: random.next(),
            log: folder.path + "/reported.log")
        try await bob.connect()
        let talking = Task { await bob.talk() }
        let stage = Stage(
            folder: folder.path, server: server, proxy: proxy, bob: bob, policy: policy.rawValue,
            mistake: mistake, seed: random.next())
        do {
            try await stage.play()
            let view = try await stage.settle()
            await talking.value
            let evidence = try await RunEvidence(
                folder: folder.path, resends: policy != .none, bob: view, lostByServer: stage.lostByServer)
            let violations = evidence.violations()
            if !violations.isEmpty { throw RunFailure(violations.joined(separator: "\n")) }
            // A session that no client can resume must not take the next run's messages.
            if evidence.mayBeElsewhere {
                server.kill()
                try await server.start()
            }
            try FileManager.default.removeItem(at: folder)
            return "\(policy): \(stage.summary); \(evidence.summary)"
        } catch {
            stage.end()
            try? server.log.write(
                to: folder.appending(path: "server.log"), atomically: true, encoding: .utf8)
            throw RunFailure("policy \(policy), \(stage.summary), left in \(folder.path):\n\(error)")
        }
    }
}

extension RunEvidence {
    /// A line of numbers, which shows whether the run had enough events to prove anything.
    var summary: String {
        """
        sent \(log.all("stored").count), acknowledged \(log.all("acknowledged").count), unknown \(log.total("unknown")); \
        received \(inbox.count); asked \(log.all("asked").count), outcomes \(outcomes.count); \
        sessions \(log.total("enabled")), resumed \(log.total("resumed"))
        """
    }
}
