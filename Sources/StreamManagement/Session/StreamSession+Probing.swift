// Asks an idle server for a sign of life: by an `<r/>`, which neither side counts, or by a ping.

import XMLTree
import XMPPCore

extension StreamSession {
    /// Asks the server for a sign of life whenever nothing has come for an interval. Ends with the task, or the
    /// session.
    ///
    /// Gives the stream up if no answer comes within ``StreamManagementConfiguration/acknowledgementTimeout``, if that
    /// is on, and no bytes move (``ByteCounts``). The core's requests ask for the state of stanzas, and only while some
    /// are unacknowledged (D18). This asks only whether the server still answers.
    func probing(every interval: Duration) -> Task<Void, Never>? {
        guard interval > .zero else { return nil }
        let clock = clock
        return Task { [weak self] in
            while true {
                guard let seen = await self?.streamProgress else { return }
                guard (try? await clock.sleep(until: clock.now.uptime + interval)) != nil else { return }
                guard let timeout = await self?.probe(ifSilentSince: seen) else { continue }
                while let mark = await self?.traffic(ifSilentSince: seen) {
                    guard (try? await clock.sleep(until: clock.now.uptime + timeout)) != nil else { return }
                    guard await self?.giveUp(ifSilentSince: seen, movingSince: mark) == false else { break }
                }
            }
        }
    }

    /// How far a stream has come.
    struct StreamProgress: Equatable, Sendable {
        var stream: UInt64?
        var receivedCount: UInt64 = 0
        /// Received bytes, where the transport counts them.
        var received: UInt64 = 0
    }

    private var streamProgress: StreamProgress {
        StreamProgress(
            stream: stream?.id, receivedCount: stream?.receivedCount ?? 0, received: stream?.traffic?.received ?? 0)
    }

    /// Asks, and returns how long to wait for an answer; `nil` if it asked nothing, or if the timeout is off.
    private func probe(ifSilentSince progress: StreamProgress) -> Duration? {
        guard progress == streamProgress, let stream, ask(stream) else { return nil }
        let timeout = configuration.acknowledgementTimeout
        return timeout > .zero ? timeout : nil
    }

    /// Asks by an `<r/>`, which neither side counts, or, where no stanzas are counted, by a ping (XEP-0199).
    private func ask(_ stream: ActiveStream) -> Bool {
        switch core.state {
        case .enabled:
            // The answer to the core's own request is a sign of life as well (D18).
            if core.requests.isInFlight { return true }
            return (try? perform([.send(.request)])) != nil
        case .disabled(.bound), .disabled(.refused):
            // Without stream management, the transport asks.
            guard stream.features.supportsStreamManagement, let ping = try? Self.ping() else { return false }
            stream.ping = ping["id"]
            stream.append { ping.write(to: &$0, in: .clientStream) }
            startWriter()
            return true
        case .disabled(.unbound), .enabling, .suspended, .resuming, .ended: return false
        }
    }

    private static func ping() throws -> Element {
        let id = "ping-\(UInt64.random(in: 0...UInt64.max))"
        return try MutableElement("iq", namespace: .uri(Namespaces.client), attributes: ["type": "get", "id": id]) {
            try MutableElement("ping", namespace: .uri(Namespaces.ping))
        }.freeze()
    }

    /// Whether an element answers the ping: with a result, or the error of a server that knows no pings. The session
    /// delivers no such answer. If stream management has been enabled since, the answer counts, and is delivered.
    func isAnswerToPing(_ element: Element, on stream: ActiveStream) -> Bool {
        guard let ping = stream.ping, case .disabled = core.state, element.isStanza, element.name == "iq",
            element["id"] == ping, element["type"] == "result" || element["type"] == "error"
        else { return false }
        stream.ping = nil
        return true
    }

    /// The stream's traffic; `nil` if something has come since `progress`.
    private func traffic(ifSilentSince progress: StreamProgress) -> ByteCounts? {
        progress == streamProgress ? stream?.traffic ?? ByteCounts() : nil
    }

    /// Gives the stream up, unless it is over or not silent. Returns `false` if bytes still move: they may precede the
    /// request or its answer.
    private func giveUp(ifSilentSince progress: StreamProgress, movingSince mark: ByteCounts) -> Bool {
        guard progress == streamProgress, let stream, isOnline else { return true }
        // The session has paused reading: the answer may have come, unread.
        if !stream.isReceiving { return true }
        if stream.traffic?.hasMoved(since: mark) == true { return false }
        abandon(.abandoned(.acknowledgementMissing))
        return true
    }
}
