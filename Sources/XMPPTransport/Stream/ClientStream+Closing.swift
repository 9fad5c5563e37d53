// Ends a stream (RFC 6120 §4.4), orderly or with an error, within a time limit.

import StreamManagement

extension ClientStream {
    /// Ends the stream, waits for the server to end its own, and closes the connection. Elements that arrive in between
    /// go to a pending reader, or are dropped.
    func close() async {
        if isClosing { return }
        isClosing = true
        _ = try? await channel.within(timeouts.close, .opening) {
            try await channel.write(StreamHeader.end)
            while !hasEnded {
                if isReading {
                    await withCheckedContinuation { readingWaiters.append($0) }
                } else {
                    // A rejected stanza does not end the stream.
                    do { _ = try await next() } catch is RejectedStanza {}
                }
            }
            await channel.close()
        }
        channel.abort()
    }

    /// Sends the server a stream error, and ends the stream.
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
