// Asking an idle server for a sign of life: an `<r/>`, which is no stanza and so counted by nobody.

extension StreamSession {
    /// Asks whenever nothing has come for an interval, and gives the stream up that has nothing to say to that within
    /// ``StreamManagementConfiguration/acknowledgementTimeout``. Ends with the task, or the session.
    ///
    /// The core asks what became of stanzas, and only if there are some to ask about (D18); this asks whether anybody is
    /// there.
    func probing(every interval: Duration) -> Task<Void, Never>? {
        guard interval > .zero else { return nil }
        let clock = clock
        return Task { [weak self] in
            while true {
                guard let seen = await self?.streamProgress else { return }
                guard (try? await clock.sleep(until: clock.now.uptime + interval)) != nil else { return }
                guard let timeout = await self?.probe(ifSilentSince: seen) else { continue }
                guard (try? await clock.sleep(until: clock.now.uptime + timeout)) != nil else { return }
                await self?.giveUp(ifSilentSince: seen)
            }
        }
    }

    /// How far a stream has come.
    struct StreamProgress: Equatable, Sendable {
        var stream: UInt64?
        var receivedCount: UInt64 = 0
    }

    private var streamProgress: StreamProgress {
        StreamProgress(stream: stream?.id, receivedCount: stream?.receivedCount ?? 0)
    }

    /// Asks, and says how long to wait for an answer; `nil` if there is nothing to ask.
    private func probe(ifSilentSince progress: StreamProgress) -> Duration? {
        guard progress.stream != nil, progress == streamProgress, core.state == .enabled,
            (try? perform([.send(.request)])) != nil
        else { return nil }
        return max(.zero, configuration.acknowledgementTimeout)
    }

    private func giveUp(ifSilentSince progress: StreamProgress) {
        guard progress == streamProgress, let stream, core.state == .enabled else { return }
        // An answer may lie unread, as nobody makes room for it.
        if !stream.isReceiving { return }
        abandon(.abandoned(.acknowledgementMissing))
    }
}
