// The actions of the app and the extension.

import Foundation
import Handlers
import StreamManagement
import XMPPSession
import XMPPTransport

/// A program with a session.
struct DemoPlayer: Sendable {
    let session: DurableSession
    let promises: PromiseCenter
    let connector: XMPPConnector
    let report: @Sendable (String) throws -> Void

    /// Sends the request, or resumes that of an earlier process, and shows the outcome.
    func playApp(publishing image: Data?) async throws {
        let (background, foreground) = (AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self))
        let sources = [
            yielding(background.continuation, on: SIGUSR1), yielding(foreground.continuation, on: SIGCONT),
        ]
        defer { sources.forEach { $0.cancel() } }
        let pausing = Task {
            for await _ in background.stream {
                try await session.suspend(gracePeriod: .seconds(5))
                try report("suspended")
            }
        }
        defer { pausing.cancel() }
        let earlier = try await promises.reattach(key: AvatarRequest.key, as: String.self)
        let first = run()
        if earlier != nil { try report("reattached") }
        let promise = if let earlier { earlier } else { try await ask(publishing: image) }
        // The system's wake-up of a suspended app has the same effect: the app resumes the session.
        let waking = Task {
            for await _ in foreground.stream {
                _ = await first.result
                return run()
            }
            return first
        }
        do {
            try report("shown success: \(try await promise.value)")
        } catch let rejection as PromiseRejection {
            try report("shown error \(rejection.code): \(rejection.message)")
        }
        // The app of the story was suspended, or started again.
        let running = earlier == nil ? await waking.value : first
        waking.cancel()
        try await waitUntilOnline()
        await session.close()
        _ = await running.result
    }

    private func ask(publishing image: Data?) async throws -> Promise<String> {
        let events = await session.stream.events()
        let (id, promise) = try await AvatarRequest.publish(image, with: session, promises)
        for await event in events {
            if case .acknowledged(let ids) = event, ids.contains(StanzaID(rawValue: id)) { break }
        }
        try report("asked")
        return promise
    }

    /// Receives stanzas until no request is pending.
    func playExtension() async throws {
        let changes = session.database.changes()
        let running = run()
        try await waitUntilOnline()
        if try await isAsking() {
            for await _ in changes {
                if try await !isAsking() { break }
            }
        }
        try report("handled")
        try await session.suspend()
        _ = await running.result
        try report("gone")
    }

    private func isAsking() async throws -> Bool {
        let account = session.account
        return try await session.database.read { try !$0.requests.requests(of: account).isEmpty }
    }

    private func run() -> Task<StreamEnd, any Error> {
        Task { try await session.run(connecting: connector, takingOver: true) }
    }

    private func waitUntilOnline() async throws {
        while await session.stream.state != .enabled { try await Task.sleep(for: .milliseconds(20)) }
        try report("session \(await session.stream.didResume ? "resumes the session" : "begins a session")")
    }

    private func yielding(
        _ continuation: AsyncStream<Void>.Continuation, on signal: CInt
    ) -> any DispatchSourceSignal {
        Foundation.signal(signal, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: signal)
        source.setEventHandler { continuation.yield() }
        source.resume()
        return source
    }
}
