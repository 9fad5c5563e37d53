// A session with a real server whose process is killed, and which another one goes on with.

import Foundation
import SessionFaults
import TestSupport
import Testing

/// What the processes of one session have in common: their folder, the server, and whom they talk to.
struct KilledSession {
    let folder: TemporaryFolder
    let bob: Bob
    private let port: UInt16
    private let role: String

    /// Connects whom the session is to talk to.
    ///
    /// - Parameters:
    ///   - role: The processes', as they know it.
    ///   - prefix: Of what he says.
    init(port: UInt16, role: String, prefix: String) async throws {
        folder = try TemporaryFolder()
        bob = try Bob(port: port, prefix: prefix, seed: 1)
        self.port = port
        self.role = role
        try await bob.connect()
    }

    /// What the processes have told.
    var log: RunLog { RunLog(contentsOf: folder.url.path + "/told.log") }

    var database: String { folder.url.path + "/session.db" }

    /// Starts the process that is to be killed.
    func start(_ environment: [String: String]) throws -> ProbeProcess { try start("first", environment) }

    /// Has another process do what is missing.
    func finish(_ comment: Comment) async throws {
        let process = try start("second", [:])
        process.write("stop")
        #expect(await process.says("stopped", within: 1200), comment)
        process.write("settle")
        #expect(await process.says("quiet", within: 1200), comment)
    }

    private func start(_ life: String, _ environment: [String: String]) throws -> ProbeProcess {
        try ProbeProcess(
            [folder.url.path, "\(port)", life, role, "none", "1"],
            environment: environment.merging(["PROBE_SILENT": "1"]) { $1 })
    }
}
