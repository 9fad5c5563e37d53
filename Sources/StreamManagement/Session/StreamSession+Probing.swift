// Asking an idle server for a sign of life: an `<r/>`, which is no stanza and so counted by nobody.

extension StreamSession {
    /// Asks whenever nothing has come for an interval, and gives the stream up that has nothing to say to that within
    /// ``StreamManagementConfiguration/acknowledgementTimeout``, and on which nothing moves (``Traffic``). Ends with the task,
    /// or the session.
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

    /// Asks, and says how long to wait for an answer; `nil` if there is nothing to ask.
    private func probe(ifSilentSince progress: StreamProgress) -> Duration? {
        guard progress.stream != nil, progress == streamProgress, core.state == .enabled,
            (try? perform([.send(.request)])) != nil
        else { return nil }
        return max(.zero, configuration.acknowledgementTimeout)
    }

    /// What has moved on the stream; `nil` if it is not silent any more.
    private func traffic(ifSilentSince progress: StreamProgress) -> Traffic? {
        progress == streamProgress ? stream?.traffic ?? Traffic() : nil
    }

    /// Gives the stream up. `false` if something that was to be sent moves still, and may lie in front of what was asked.
    private func giveUp(ifSilentSince progress: StreamProgress, movingSince mark: Traffic) -> Bool {
        guard progress == streamProgress, let stream, core.state == .enabled else { return true }
        // An answer may lie unread, as nobody makes room for it.
        if !stream.isReceiving { return true }
        if stream.traffic?.hasMoved(since: mark) == true { return false }
        abandon(.abandoned(.acknowledgementMissing))
        return true
    }
}
