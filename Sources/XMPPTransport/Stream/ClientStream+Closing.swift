// The end of a stream (RFC 6120 §4.4): orderly, with an error, and never later than allowed.

import StreamManagement

extension ClientStream {
    /// Says that the stream ends, waits for the server to say so, too, and closes the connection. What it sends
    /// meanwhile goes to whoever reads, and is thrown away otherwise.
    func close() async {
        if isClosing { return }
        isClosing = true
        _ = try? await channel.within(timeouts.close, .opening) {
            try await channel.write(StreamHeader.end)
            while !hasEnded {
                if isReading {
                    await withCheckedContinuation { readingWaiters.append($0) }
                } else {
                    // One that is passed over does not end the stream.
                    do { _ = try await next() } catch is RejectedStanza {}
                }
            }
            await channel.close()
        }
        channel.abort()
    }

    /// Ends the stream with an error that the server is told.
    func end(with condition: String) async {
        if isClosing { return }
        isClosing = true
        _ = try? await channel.within(timeouts.close, .opening) {
            try await channel.write(StreamHeader.error(condition))
            await channel.close()
        }
        channel.abort()
    }
}
