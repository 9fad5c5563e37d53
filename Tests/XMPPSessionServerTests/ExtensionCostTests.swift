// The memory and the processor time of an extension: a process that starts, resumes the session, handles ten messages,
// commits them and ends. iOS ends an extension that uses too much of either.

import Foundation
import ServerSupport
import SessionFaults
import TestSupport
import Testing

@Suite(.serialized, .fewAtOnce) struct ExtensionCostTests {
    init() { ServerKind.tellWhatIsMissing() }

    /// The goal for the memory that no file holds, in bytes. It is the same in release and debug builds.
    private static let memory = 16 * 1024 * 1024

    /// In milliseconds, for this debug build. A release build takes a fraction: Benchmarks/DURABLE-SESSION.md has it.
    private static let processorTime = 1000

    @Test(
        "An extension resumes and handles ten messages within its bounds",
        .disabled(
            if: ProcessInfo.processInfo.environment["STANZA_SANITIZER"] != nil,
            "a sanitizer takes memory and time of its own"))
    func tenMessages() async throws {
        guard ServerKind.tested.contains(.prosody) else { return }
        let server = try await SharedServers.all.server(.prosody, for: "costs")
        let session = try await KilledSession(port: server.port, role: "extension", prefix: "costs")
        let app = try session.start([:])
        try await eventually("the session runs") { session.log.count("acknowledged", "presence") > 0 }
        app.write("suspend")
        try await eventually("it is suspended") { session.log.count("end", "suspended") > 0 }
        app.kill()
        for _ in 0..<10 { #expect(await session.bob.say() != nil) }
        try await session.bob.synchronize()

        let process = try session.resume(["PROBE_COSTS_AFTER": "10"])
        try await eventually("it has ended") { !process.isRunning }
        let costs = try #require(session.log.costs)
        #expect(session.log.count("resumed", "") == 1)
        #expect(costs.memory <= Self.memory && costs.processorTime <= Self.processorTime, "\(costs)")
        _ = await session.bob.leave()
    }
}
