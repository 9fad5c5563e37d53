// Runs scenarios: starts the client for each, several at the same time, and reports the outcomes in their order. The
// rules are those of StanzaTorture.

import Foundation
import StanzaTorture

struct TortureRunner: Sendable {
    private let command: [String]
    private let account = TortureAccount()
    private let certificate: TortureCertificate?
    private let folder: TortureFolder
    private let port: Int?
    private let patience: Duration
    private let confirms: Bool
    private let logs: String?

    /// The wait for a client that is started by hand.
    private static let handPatience = Duration.seconds(600)

    init(
        command: [String], encrypts: Bool, port: Int?, patience: Duration, confirms: Bool, logs: String?
    ) throws {
        self.command = command
        self.port = port
        self.patience = command.isEmpty ? Self.handPatience : patience
        self.confirms = confirms
        self.logs = logs
        folder = try TortureFolder()
        certificate = encrypts ? try folder.makeCertificate(for: account.domain) : nil
        if let logs { try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: true) }
    }

    /// Plays scenarios, and reports each outcome when all earlier ones are known.
    func play(
        _ scenarios: [Scenario], jobs: Int, _ report: @escaping @Sendable (String) throws -> Void
    ) async throws -> [Outcome] {
        var outcomes: [Outcome?] = Array(repeating: nil, count: scenarios.count)
        var reported = 0
        try await withThrowingTaskGroup(of: (Int, Outcome)?.self) { group in
            // A signal ends all clients.
            group.addTask {
                try? await EndingSignal.wait()
                try EndingSignal.check()
                return nil
            }
            var next = 0
            func begin() {
                guard next < scenarios.count else { return }
                let (index, scenario) = (next, scenarios[next])
                next += 1
                group.addTask { (index, try await play(scenario, report)) }
            }
            for _ in 0..<jobs { begin() }
            while reported < scenarios.count, let found = try await group.next() {
                guard let (index, outcome) = found else { continue }
                outcomes[index] = outcome
                while reported < outcomes.count, let outcome = outcomes[reported] {
                    try report(Report.line(outcome))
                    reported += 1
                }
                begin()
            }
            group.cancelAll()
        }
        return outcomes.compactMap(\.self)
    }

    private func play(
        _ scenario: Scenario, _ report: @Sendable (String) throws -> Void
    ) async throws -> Outcome {
        var outcome = try await playOnce(scenario, report)
        if confirms, outcome.hasFailed, case .passed = try await playOnce(scenario, report).verdict {
            outcome.isUnstable = true
        }
        return outcome
    }

    private func playOnce(
        _ scenario: Scenario, _ report: @Sendable (String) throws -> Void
    ) async throws -> Outcome {
        let run = try await TortureRun.start(
            scenario, account: account, certificate: certificate, port: port ?? 0, patience: patience)
        defer { run.cancel() }
        guard !command.isEmpty else {
            try report("\(scenario.name): waits for \(account.address) on 127.0.0.1:\(run.port), \(scenario.title)")
            return try await run.outcome()
        }
        let process = try ClientProcess(
            command.map { filled($0, run.port) }, environment: environment(scenario, run.port),
            log: logs.map { "\($0)/\(scenario.name).log" }
        ) { run.clientEnded($0) }
        defer { process.end() }
        return try await run.outcome()
    }

    private func filled(_ argument: String, _ port: Int) -> String {
        argument.replacing("{port}", with: "\(port)").replacing("{jid}", with: account.address)
            .replacing("{password}", with: account.password).replacing("{ca}", with: certificate?.certificate ?? "")
    }

    private func environment(_ scenario: Scenario, _ port: Int) -> [String: String] {
        var variables = ProcessInfo.processInfo.environment
        variables["XMPP_HOST"] = "127.0.0.1"
        variables["XMPP_PORT"] = "\(port)"
        variables["XMPP_JID"] = account.address
        variables["XMPP_PASSWORD"] = account.password
        variables["XMPP_CA"] = certificate?.certificate ?? ""
        variables["XMPP_SCENARIO"] = scenario.name
        variables["XMPP_FIRST_COUNTER"] = scenario.firstCounter.map { "\($0)" }
        return variables
    }
}
