// A process with a durable session, for tests that kill and stop processes: an app, or its extension. Start here.
// ProbeSession.swift handles received stanzas; Traffic.swift sends stanzas.
//
//     SessionProbe FOLDER PORT LIFE app|extension resend|messages|none SEED [MISTAKE]
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

import Foundation
import ProbeSupport
import StreamManagement

@main
enum SessionProbe {
    static func main() async throws {
        guard var setup = ProbeSetup(Array(CommandLine.arguments.dropFirst())) else {
            throw CocoaError(.featureUnsupported)
        }
        let environment = ProcessInfo.processInfo.environment
        setup.moments = environment["PROBE_KILL_AT"].flatMap { Int($0) }.map { Moments(killAt: $0) }
        setup.killIn = environment["PROBE_KILL_IN"].flatMap { ProbeSetup.Operation(rawValue: $0) } ?? .message
        let asks = environment["PROBE_ASK"] != nil
        let isSilent = environment["PROBE_SILENT"] != nil
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            exit(0)
        }
        let probe = try await ProbeSession(setup)
        probe.log.note("begin")
        Task { await probe.announce() }
        Task { await probe.run() }
        if let count = environment["PROBE_COSTS_AFTER"].flatMap({ Int($0) }) {
            try await probe.noteCosts(after: count)
            exit(0)
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
                say("stopped")
            default:
                await Settling(probe: probe).run()
                say("quiet")
            }
        }
    }

    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}

extension ProbeSetup {
    init?(_ words: [String]) {
        let policies = ["resend": FailurePolicy.resendAll, "messages": .resendMessages, "none": .resendNone]
        guard words.count >= 6, let port = UInt16(words[1]), let policy = policies[words[4]],
            let seed = UInt64(words[5])
        else { return nil }
        let mistake = words.count > 6 ? Mistake(rawValue: words[6]) : nil
        if words.count > 6, mistake == nil { return nil }
        self.init(
            folder: words[0], port: port, life: words[2], isApp: words[3] == "app", policy: policy, seed: seed,
            mistake: mistake)
    }
}
