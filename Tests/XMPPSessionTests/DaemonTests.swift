// The daemon of the article RunningAsADaemon, word for word, in a process that receives SIGTERM.

import Foundation
import StreamManagement
import TestSupport
import Testing
import XMLTree
import XMPPSession

/// A client that a service manager starts and stops.
struct Daemon {
    let client: Client

    /// Runs the client. SIGTERM suspends its session; this then returns `suspended`.
    func run(connecting connector: some StreamConnector) async throws -> StreamEnd {
        let (signals, continuation) = AsyncStream.makeStream(of: Void.self)
        // The source below reports the signal. Its default action would end the process.
        signal(SIGTERM, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM)
        source.setEventHandler { continuation.yield() }
        source.resume()
        defer { source.cancel() }

        let running = Task { try await client.run(connecting: connector) }
        let suspending = Task {
            for await _ in signals {
                try await client.session.suspend(gracePeriod: .seconds(5))
                // Ends a run that begins only after the suspension.
                running.cancel()
                return true
            }
            return false
        }
        let end = await running.result
        continuation.finish()
        // The run ends a little earlier than the suspension.
        return try await suspending.value ? .suspended : end.get()
    }
}

#if os(Linux) || os(macOS)
@Suite(.fewAtOnce) struct DaemonTests {
    @Test func refusedLoginsTakeTime() {
        var policy = ReconnectionPolicy()
        policy.maximumRefusedLogins = 10

        let waits = (1...10).reduce(Duration.zero) { $0 + policy.delay(afterFailures: $1, random: 0.5) }
        #expect((.seconds(600) ... .seconds(1200)).contains(waits), "\(waits)")
    }

    /// The test runs in its own process, because the signal loses its default action for the whole process.
    @Test func theSignalSuspendsAndTheNextStartResumes() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let (path, connector, journal) = (folder.database, FakeServer(), Journal())
            let stopping = Task {
                try await connector.receives(1)
                while true {
                    kill(getpid(), SIGTERM)
                    // The next signal is only for a source that was not registered yet.
                    try await Task.sleep(for: .seconds(10))
                }
            }
            func show(_ text: String) { journal.note(text) }
            func start() async throws {
                let client: Client
                do {
                    client = try await Client(account: "juliet@example.org", path: path)
                } catch StorageError.inUse {
                    show("another process runs the session: stop it first")
                    return
                }
                switch try await Daemon(client: client).run(connecting: connector) {
                case .suspended: show("stopped: the next start resumes the session")
                case .takenOver: show("another process has taken the session")
                case .storageFailed(let error): show("the database cannot be used: \(error)")
                default: show("over")
                }
            }
            try await start()
            stopping.cancel()
            try #require(journal.all == ["stopped: the next start resumes the session"])

            let next = try await Client(account: "juliet@example.org", path: path)
            let running = Task { try await next.run(connecting: connector) }
            try await connector.isResumed(1)
            running.cancel()
            _ = await running.result
            try #require(connector.resumptions == 1)
        }
    }
}
#endif
