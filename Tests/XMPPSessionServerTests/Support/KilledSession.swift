// A session with a real server. Its process is killed, and another process continues.

import Foundation
import SessionFaults
import TestSupport
import Testing

@testable import XMPPSessionTests

/// The parts that the processes of one session share: their folder, the server, and the client that they talk to.
struct KilledSession {
    let folder: TemporaryFolder
    let bob: Bob
    private let port: UInt16
    private let role: String
    private let policy: String

    /// Connects the client that the session talks to.
    ///
    /// - Parameters:
    ///   - link: The port that the processes connect to; `nil` for the server's.
    ///   - role: The role of the processes.
    ///   - prefix: A part of the `id` of each stanza that Bob sends.
    ///   - policy: The failure policy of the processes.
    init(
        port: UInt16, through link: UInt16? = nil, role: String, prefix: String, policy: String = "none"
    ) async throws {
        folder = try TemporaryFolder()
        bob = try Bob(port: port, prefix: prefix, seed: 1)
        self.port = link ?? port
        self.role = role
        self.policy = policy
        try await bob.connect()
    }

    /// The most moments of an operation, including those soon after it, and the fewest.
    private static let allMoments = 40
    static let earlyMoments = 6

    /// Returns some moments of an operation in random order. The first one is certainly within the operation.
    static func moments(_ count: Int, salt: UInt64) -> ArraySlice<Int> {
        var random = SeededGenerator(salt: salt)
        let early = Int.random(in: 0..<earlyMoments, using: &random)
        let others = (0..<allMoments).filter { $0 != early }.shuffled(using: &random)
        return ([early] + others).prefix(count)
    }

    /// The log of the processes.
    var log: RunLog { RunLog(contentsOf: folder.url.path + "/reported.log") }

    var database: String { folder.url.path + "/session.db" }

    /// Starts the process that the test kills.
    func start(_ environment: [String: String]) throws -> ProbeProcess { try start("first", environment) }

    /// Starts a process that resumes the session.
    func resume(_ environment: [String: String]) throws -> ProbeProcess { try start("second", environment) }

    /// Completes the work in another process.
    func finish(_ comment: Comment) async throws { try await finish(resume([:]), comment) }

    /// Completes the work in this process.
    func finish(_ process: ProbeProcess, _ comment: Comment) async {
        process.write("stop")
        #expect(await process.says("stopped", within: 1200), comment)
        process.write("settle")
        #expect(await process.says("quiet", within: 1200), comment)
    }

    private func start(_ life: String, _ environment: [String: String]) throws -> ProbeProcess {
        try ProbeProcess(
            [folder.url.path, "\(port)", life, role, policy, "1"],
            environment: environment.merging(["PROBE_SILENT": "1"]) { $1 })
    }
}
