// The received stanzas, as a sequence to loop over.

/// The stanzas that a session receives, one after another, across streams and resumptions. It ends when the session is
/// closed.
///
/// Several loops share the stanzas: each stanza goes to one of them. The session keeps untaken stanzas up to a bound,
/// and then pauses reading from the connection.
public struct StanzaSequence: AsyncSequence, Sendable {
    let session: StreamSession

    public func makeAsyncIterator() -> Iterator { Iterator(session: session) }

    public struct Iterator: AsyncIteratorProtocol {
        let session: StreamSession
        /// The stanza that the loop handles.
        private var current: ReceivedStanza?

        init(session: StreamSession) {
            self.session = session
        }

        /// Returns the next stanza. With ``HandlingPolicy/whenConsumed``, this marks the previous one as handled.
        public mutating func next() async -> ReceivedStanza? {
            current = await session.nextStanza(after: current)
            return current
        }
    }
}
