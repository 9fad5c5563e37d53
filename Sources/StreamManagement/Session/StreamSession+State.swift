// The state of the session, which its core knows, and the calls of its record.

public import Foundation

extension StreamSession {
    /// Whether the next stream can try to resume the session, whatever its age.
    public var canResume: Bool { restoredCore.canResume }

    /// Whether this stream began by resuming the session.
    public var didResume: Bool { core.didResume }

    /// The address that was bound, in this process or an earlier one.
    public var address: String? { restoredCore.address }

    /// How long after a disconnect the server keeps the session, in seconds; `nil` if the server named no time or the
    /// session cannot be resumed.
    public var resumptionTime: UInt32? { restoredCore.resumption?.maximum }

    /// When the server probably forgets the suspended session: ``resumptionTime`` after the last contact; `nil` while a
    /// stream runs, and if the server named no time. It only informs: the last contact may be older than it seems, and
    /// the session tries to resume in any case.
    public var probableExpiry: Date? { restoredCore.probableExpiry }

    /// The place that the server asked to be reconnected to first (rule R13).
    public var location: ServerLocation? { restoredCore.resumption?.location }

    /// The accepted stanzas that the server has not acknowledged, sent or still waiting.
    public var unacknowledged: [OutgoingStanza] { restoredCore.unacknowledged + held }

    /// Whether each new session waits for its greeting (``awaitGreetings(_:)``).
    public var awaitsGreetings: Bool { core.awaitsGreetings }

    /// The stanzas that wait for the greeting of the session, or to be released (``release(where:)``).
    public var held: [OutgoingStanza] { Array(restoredCore.held) }

    private var restoredCore: StreamManagementCore {
        restore()
        return core
    }

    // MARK: Writing

    /// The store that was opened last.
    package var lastStore: (any SessionStore)? { record.lastStore }

    /// Whether a question to the server waits for the disk: its answer cannot come yet.
    var holdsBackQuestion: Bool { record.holdsBackQuestion }

    /// Waits for a write on the session's thread, to which the disk's thread passes the outcome.
    func follow(_ write: RunningWrite) async {
        await write.wait()
        record.writeIsOver(for: self)
    }

    func writeAgain() { record.writeAgain(for: self) }
}
