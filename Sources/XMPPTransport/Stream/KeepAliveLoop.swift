// Keeps an idle connection open, and detects a connection whose other end does not answer.

import Logging
import StreamManagement
import XMLTree

/// Sends a space after a time without writes, and a ping after a time without input.
struct KeepAliveLoop: Sendable {
    let stream: ClientStream
    let channel: ByteChannel
    let pulse: StreamPulse
    let settings: KeepAlive
    let logger: Logger
    /// Whether it may send pings: not on streams that count stanzas.
    let pings: Bool

    /// Runs until the task is canceled or the connection is gone.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            if settings.whitespaceInterval > .zero { group.addTask { try await writeSpaces() } }
            if pings, settings.pingInterval > .zero { group.addTask { try await sendPings() } }
            try await group.waitForAll()
        }
    }

    private func writeSpaces() async throws {
        while true {
            let written = pulse.written
            try await Task.sleep(for: settings.whitespaceInterval)
            guard written == pulse.written else { continue }
            try await channel.write([UInt8(ascii: " ")])
            pulse.noteWritten()
        }
    }

    private func sendPings() async throws {
        while true {
            let received = channel.traffic.received
            try await Task.sleep(for: settings.pingInterval)
            // Without a reader, bytes may have arrived unread.
            guard received == channel.traffic.received, await stream.isReading else { continue }
            let ping = Ping.make()
            pulse.notePing(ping["id"])
            // Posts without waiting: a system that accepts no more bytes would delay it.
            channel.post(ping.xmlBytes(in: .clientStream))
            pulse.noteWritten()
            try await waitForAnswer(beyond: received)
        }
    }

    /// Waits for input, which need not be the answer. Cuts a connection without traffic.
    private func waitForAnswer(beyond received: UInt64) async throws {
        var mark = channel.traffic
        while true {
            try await Task.sleep(for: max(settings.pingTimeout, Self.shortestTimeout))
            let traffic = channel.traffic
            if traffic.received != received { return }
            if !traffic.hasMoved(since: mark), await stream.isReading {
                logger.debug("no answer to a ping")
                channel.abort(with: .timedOut(.pinging))
                throw XMPPConnectionError.timedOut(.pinging)
            }
            mark = traffic
        }
    }

    private static let shortestTimeout = Duration.milliseconds(1)
}
