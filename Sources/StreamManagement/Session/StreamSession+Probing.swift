// Asking an idle server for a sign of life: by an `<r/>`, which is no stanza and so counted by nobody, or by a ping.

import XMLTree

extension StreamSession {
    /// Asks whenever nothing has come for an interval, and gives the stream up that has nothing to say to that within
    /// ``StreamManagementConfiguration/acknowledgementTimeout``, if that is on, and on which nothing moves
    /// (``Traffic``). Ends with the task, or the session.
    ///
    /// The core asks what became of stanzas, and only if there are some to ask about (D18); this asks whether anybody
    /// is there.
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
        /// Bytes, where they are counted.
        var received: UInt64 = 0
    }

    private var streamProgress: StreamProgress {
        StreamProgress(
            stream: stream?.id, receivedCount: stream?.receivedCount ?? 0, received: stream?.traffic?.received ?? 0)
    }

    /// Asks, and says how long to wait for an answer; `nil` if there is nothing to ask, or no limit to that.
    private func probe(ifSilentSince progress: StreamProgress) -> Duration? {
        guard progress == streamProgress, let stream, ask(stream) else { return nil }
        let timeout = configuration.acknowledgementTimeout
        return timeout > .zero ? timeout : nil
    }

    /// Asks by what nobody counts: an `<r/>`, or, where no stanzas are counted, a ping (XEP-0199).
    private func ask(_ stream: ActiveStream) -> Bool {
        switch core.state {
        case .enabled:
            // The answer to what the core has asked is a sign of life as well (D18).
            if core.requests.isInFlight { return true }
            return (try? perform([.send(.request)])) != nil
        case .disabled(.bound), .disabled(.refused):
            // On other streams transports do so themselves.
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

    /// Whether an element answers the ping: with a result, or the error of a server that knows no pings. It is nobody
    /// else's business. Where stanzas are counted by now, it counts, and goes the way of all.
    func isAnswerToPing(_ element: Element, on stream: ActiveStream) -> Bool {
        guard let ping = stream.ping, case .disabled = core.state, element.isStanza, element.name == "iq",
            element["id"] == ping, element["type"] == "result" || element["type"] == "error"
        else { return false }
        stream.ping = nil
        return true
    }

    /// What has moved on the stream; `nil` if it is not silent any more.
    private func traffic(ifSilentSince progress: StreamProgress) -> Traffic? {
        progress == streamProgress ? stream?.traffic ?? Traffic() : nil
    }

    /// Gives the stream up. `false` if something that was to be sent moves still, and may lie in front of what was
    /// asked.
    private func giveUp(ifSilentSince progress: StreamProgress, movingSince mark: Traffic) -> Bool {
        guard progress == streamProgress, let stream, isOnline else { return true }
        // An answer may lie unread, as nobody makes room for it.
        if !stream.isReceiving { return true }
        if stream.traffic?.hasMoved(since: mark) == true { return false }
        abandon(.abandoned(.acknowledgementMissing))
        return true
    }
}
