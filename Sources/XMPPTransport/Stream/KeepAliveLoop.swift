// Keeps an idle connection open, and finds out whether there is somebody at its other end.

import Logging
import XMLTree

/// Sends a space when nothing was written for a while, and a ping when nothing was read for a while.
struct KeepAliveLoop: Sendable {
    let channel: ByteChannel
    let pulse: StreamPulse
    let settings: KeepAlive
    let logger: Logger
    /// Whether pings may be sent: not where stanzas are counted.
    let pings: Bool

    /// Runs until the task is cancelled or the connection is gone.
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
            let read = pulse.read
            try await Task.sleep(for: settings.pingInterval)
            guard read == pulse.read else { continue }
            let id = "ping-\(UInt64.random(in: 0...UInt64.max))"
            let ping = try MutableElement(
                "iq", namespace: .uri(Namespaces.client), attributes: ["type": "get", "id": id]
            ) {
                try MutableElement("ping", namespace: .uri(Namespaces.ping))
            }.freeze()
            // Everything that comes is a sign of life, not just the answer.
            let before = pulse.read
            pulse.notePing(id)
            try await channel.write(ping.streamBytes)
            pulse.noteWritten()
            try await Task.sleep(for: settings.pingTimeout)
            if pulse.isWaiting, before == pulse.read {
                logger.debug("no answer to a ping")
                channel.abort(with: XMPPConnectionError.timedOut(.pinging))
                return
            }
        }
    }
}
