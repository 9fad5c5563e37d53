// The circumstances of a reference server, and the error of its verdicts. Next: ReferenceServer.swift.

/// How a server treats its clients.
package struct ServerSetup: Sendable {
    /// Where counters begin.
    package var firstCounter: UInt32 = 0
    /// How long the server keeps sessions, in seconds, and whether it says so.
    package var maximum = 600
    package var announcesMaximum = true
    /// Whether the server remembers `h` of sessions that have ended.
    package var keepsTombstones = true
    /// Whether sessions can be resumed, and where.
    package var isResumable = true
    package var location: String?
    /// The beginning of the ids of sessions.
    package var idPrefix = "id"
    /// The size of the largest stanza that the server accepts, in bytes. It ends the stream at a larger one.
    package var largestStanza: Int?
    /// Whether the server then keeps the session.
    package var keepsSessionAtComplaint = false
    /// Whether the connection is reset before the client reads the complaint.
    package var resetsAtComplaint = false
    /// The server's reaction instead of an answer to `<resume/>`, each time; `nil` if it answers.
    package var refusal: ResumptionRefusal?
    /// Mistakes of the server itself: it does not count presences, and replays one stanza too few.
    package var miscountsPresences = false
    package var replaysTooLittle = false

    package init() {}
}

/// The reactions of a server that does not answer `<resume/>`.
public enum ResumptionRefusal: Sendable {
    case closes, resets, isSilent, fails
}

/// An invariant that does not hold.
public struct Violation: Error, Hashable, CustomStringConvertible, Sendable {
    public let invariant: String
    public let detail: String

    public init(_ invariant: String, _ detail: String = "") {
        self.invariant = invariant
        self.detail = detail
    }

    public var description: String { detail.isEmpty ? invariant : "\(invariant): \(detail)" }
}
