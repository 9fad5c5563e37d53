// The faults of a run: which processes and connections are killed, stopped and cut, and when. Then the recovery.

import Foundation
import ServerSupport
import TestSupport

/// The processes, the network and the server of a run. Belongs to one task.
final class Stage {
    /// One of the two processes. Each restart is another life.
    private struct Role {
        let name: String
        var lives = 0
        var process: ProbeProcess?
    }

    private let folder: String
    private let server: RunningServer
    private let proxy: FaultyProxy
    private let bob: Bob
    private let policy: String
    private let mistake: Mistake?
    private let seed: UInt64
    private var random: SeededGenerator
    private var roles = [Role(name: "app"), Role(name: "extension")]
    private var happened: [String: Int] = [:]
    private(set) var lostByServer: Set<String> = []

    init(
        folder: String, server: RunningServer, proxy: FaultyProxy, bob: Bob, policy: String, mistake: Mistake?,
        seed: UInt64
    ) {
        self.folder = folder
        self.server = server
        self.proxy = proxy
        self.bob = bob
        self.policy = policy
        self.mistake = mistake
        self.seed = seed
        random = SeededGenerator(seed: seed)
    }

    var summary: String { happened.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ") }

    // MARK: Faults

    /// Starts both processes, and causes random faults for some seconds.
    func play() async throws {
        try start(0)
        try await pause(100...600)
        try start(1)
        // A killed server loses its sessions. In most runs, the sessions should survive.
        let dies = random.chance(35) ? Int.random(in: 0..<12, using: &random) : nil
        for step in 0..<12 {
            try await pause(20...300)
            if step == dies { try await killServer() }
            try await trouble(Int.random(in: 0...1, using: &random))
        }
    }

    private func trouble(_ number: Int) async throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<35:
            note("killed")
            roles[number].process?.kill()
            try await pause(0...300)
            try start(number)
        case 35..<55:
            note("stopped")
            roles[number].process?.stop()
            try await pause(20...600)
            roles[number].process?.go()
        case 55..<75:
            note("cut")
            proxy.cut()
        case 75..<90:
            note("takeovers")
            roles[number].process?.write("run")
        default:
            note("suspended")
            roles[number].process?.write("suspend")
            try await pause(0...300)
            roles[number].process?.write("run")
        }
    }

    private func killServer() async throws {
        note("servers killed")
        server.kill()
        // The server may have acknowledged and lost the stanzas that bob has not received by now.
        let view = await bob.serverHasDied()
        let log = RunLog(contentsOf: folder + "/reported.log")
        let underWay = log.all("sending").union(view.sent.map { "re-\($0)" })
        lostByServer.formUnion(underWay.filter { view.received[$0] == nil })
        try await pause(0...300)
        try await server.start()
        try await bob.connect()
    }

    private func start(_ number: Int) throws {
        roles[number].lives += 1
        let life = "\(roles[number].name)\(roles[number].lives)"
        let words = [
            folder, "\(proxy.port)", "\(life).\(seed % 10_000)", roles[number].name, policy, "\(random.next() >> 1)",
        ]
        roles[number].process = try ProbeProcess(words + (mistake.map { [$0.rawValue] } ?? []))
    }

    private func pause(_ milliseconds: ClosedRange<Int>) async throws {
        try await Task.sleep(for: .milliseconds(Int.random(in: milliseconds, using: &random)))
    }

    private func note(_ what: String) { happened[what, default: 0] += 1 }

    // MARK: Recovery

    /// A timeout that only ends hanging processes.
    private static let patience: TimeInterval = 1200

    /// Ends all faults, and waits until nothing more happens. Returns bob's knowledge.
    func settle() async throws -> BobsView {
        proxy.heal()
        for number in roles.indices {
            if roles[number].process?.isRunning != true { try start(number) }
            roles[number].process?.write("stop")
        }
        for role in roles {
            guard await role.process?.says("stopped", within: Self.patience) == true else {
                throw RunFailure("\(role.name) does not stop")
            }
        }
        await bob.stopTalking()
        try await bob.synchronize()
        let last = Int.random(in: 0...1, using: &random)
        roles[last].process?.write("settle")
        guard await roles[last].process?.says("quiet", within: Self.patience) == true else {
            throw RunFailure("\(roles[last].name) does not become quiet")
        }
        end()
        return await bob.leave()
    }

    func end() {
        for number in roles.indices {
            roles[number].process?.kill()
            roles[number].process = nil
        }
    }
}
