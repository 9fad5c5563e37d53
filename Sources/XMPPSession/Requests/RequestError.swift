// The errors of requests without an answer. StanzaError is the error in an answer.

public import Foundation
import SafeText
public import StreamManagement

/// The reason why a request gets no answer, or why a run does not begin.
public enum RequestError: Error, Sendable, Hashable {
    /// The element to send is not an `iq` of type `get` or `set`.
    case notARequest
    /// Another request of this account has the same `id`.
    case duplicateID(String)
    /// No answer has come in time.
    case timedOut
    /// The connection was lost, and its session could not be resumed: no answer will come. A server that does not
    /// accept the request can have ended both.
    case disconnected
    /// The server does not accept the request, and the session does not send it again. Another attempt would fail, too.
    case deadLettered(StreamManagementCore.DeadLetterReason)
    /// The answer exceeds a limit of the parser, which skipped it.
    case answerRejected(RejectedStanza)
    /// The session is suspended. Ask again when it runs.
    case suspended
    /// The session runs already.
    case running
    /// The session was made without a `PromiseCenter`.
    case withoutPromises
}

extension RequestError: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .notARequest: "expected an iq of type get or set, of the namespace jabber:client"
        case .duplicateID(let id): "a request with the id \(id.excerpt()) waits already: give each its own, or none"
        case .timedOut: "no answer came in time"
        case .disconnected:
            "the connection was lost before the answer came, and its session with it: ask again, for less if this repeats"
        case .deadLettered(let reason): "the request is not sent any more: \(reason)"
        case .answerRejected(let stanza):
            "the parser skipped the answer: \(stanza.error.message)"
                + (stanza.isBeyondLimit ? "; request less, such as one page of it" : "")
        case .suspended: "the session is suspended: run it again first"
        case .running: "the session runs already: end the other run first"
        case .withoutPromises: "the session has no promises: pass a PromiseCenter to its initializer"
        }
    }
}
