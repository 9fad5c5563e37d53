// A process with a durable session, for tests that kill and stop processes: an app, or its extension. Start here.
// ProbeSession.swift handles received stanzas; Traffic.swift sends stanzas.
//
//     session-faults probe FOLDER PORT LIFE app|extension resend|messages|none SEED [MISTAKE]
//
// Its connections are encrypted if FOLDER has a file authority.pem: the certificate of the authority to trust.
//
// It takes the session over, and obeys the lines of its input:
//
//     run       takes the session over again
//     suspend   suspends it
//     stop      ends its own traffic, and prints "stopped"
//     settle    takes it over, and prints "quiet" when everything is acknowledged, answered and handled
//
// PROBE_SILENT=1 turns its own traffic off; PROBE_ASK=1 makes it send one request. PROBE_KILL_AT=N kills it at the Nth
// moment (Moments.swift) of the statements for its first message. With PROBE_KILL_IN=request or answer, these are the
// statements that store its request, or those for the answer. PROBE_COSTS_AFTER=N makes it note its costs (Costs.swift)
// when N messages are handled, and end.

import ArgumentParser
import Foundation
import SessionFaults
import StreamManagement

struct ProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe", abstract: "Runs a durable session, for tests that kill this process.",
        shouldDisplay: false)

    enum Role: String, ExpressibleByArgument {
        case app, `extension`
    }

    @Argument var folder: String
    @Argument var port: UInt16
    @Argument var life: String
    @Argument var role: Role
    @Argument var policy: FaultRun.Policy
    @Argument var seed: UInt64
    @Argument var mistake: Mistake?

    func run() async throws {
        var setup = ProbeSetup(
            folder: folder, port: port, life: life, isApp: role == .app, policy: policy.failurePolicy, seed: seed,
            mistake: mistake)
        let environment = ProcessInfo.processInfo.environment
        setup.moments = environment["PROBE_KILL_AT"].flatMap { Int($0) }.map { Moments(killAt: $0) }
        setup.killIn = environment["PROBE_KILL_IN"].flatMap { ProbeSetup.Operation(rawValue: $0) } ?? .message
        let asks = environment["PROBE_ASK"] != nil
        let isSilent = environment["PROBE_SILENT"] != nil
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            Foundation.exit(0)
        }
        let probe = try await ProbeSession(setup)
        probe.log.note("begin")
        Task { await probe.announce() }
        Task { await probe.run() }
        if let count = environment["PROBE_COSTS_AFTER"].flatMap({ Int($0) }) {
            try await probe.noteCosts(after: count)
            return
        }
        let traffic = Task {
            var traffic = Traffic(probe)
            if probe.setup.isApp { try await traffic.reattach() }
            if asks { await traffic.askOnce() }
            if isSilent { return }
            await traffic.run()
        }
        for await line in lines {
            switch line {
            case "run": Task { await probe.run() }
            case "suspend": try? await probe.session.suspend(gracePeriod: .seconds(1))
            case "stop":
                traffic.cancel()
                _ = await traffic.result
                try report("stopped")
            default:
                await Settling(probe: probe).run()
                try report("quiet")
            }
        }
    }
}

extension FaultRun.Policy: ExpressibleByArgument {
    fileprivate var failurePolicy: FailurePolicy {
        switch self {
        case .resend: .resendAll
        case .messages: .resendMessages
        case .none: .resendNone
        }
    }
}
