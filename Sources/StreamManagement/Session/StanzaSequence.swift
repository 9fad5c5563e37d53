// The received stanzas, as a sequence to loop over.

/// The stanzas that a session receives, one after another, across streams and resumptions. It ends when the session is
/// closed.
///
/// Several loops share the stanzas: each goes to one of them. What nobody takes is kept, up to a bound, and then
/// nothing more is read from the connection.
public struct StanzaSequence: AsyncSequence, Sendable {
    let session: StreamSession

    public func makeAsyncIterator() -> Iterator { Iterator(session: session) }

    public struct Iterator: AsyncIteratorProtocol {
        let session: StreamSession
        /// The stanza that the loop works on.
        private var current: ReceivedStanza?

        init(session: StreamSession) {
            self.session = session
        }

        /// The next stanza. With ``HandlingPolicy/whenConsumed``, the one before is handled with that.
        public mutating func next() async -> ReceivedStanza? {
            current = await session.nextStanza(after: current)
            return current
        }
    }
}
