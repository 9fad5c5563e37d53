// What happens to the stanzas that no route takes.

public import Foundation
public import Handlers
public import XMLTree

/// What happens to a stanza that no route takes. An `iq` of type `get` or `set` is answered with `service-unavailable`,
/// unless it is handed over.
public enum Otherwise: Sendable {
    /// The stanza counts as handled, and is gone.
    case ignore
    /// The database keeps the stanza, in the transaction that marks it as handled: the server does not send it again,
    /// and it holds up no other stanza.
    ///
    /// Each run offers held stanzas again, beside the stanzas that arrive, until a route takes them. A stanza that has
    /// ended `maximumHandlingAttempts` processes in a row stays, and is not offered again.
    /// `SessionTransaction.heldStanzas(of:after:limit:)` returns held stanzas. Beyond `PersistenceLimits.heldStanzas`
    /// or `heldStanzaBytes` of an account, further ones become dead letters (`SessionEvent.incomingDeadLetter`), as
    /// does one that does not fit into a row.
    case hold
    /// The stanza goes to a body, as the last route. The body returns whether it has taken the stanza. It has to answer
    /// an `iq` that it takes.
    case handOver(@Sendable (Element, StanzaWork) async throws -> Bool)

    /// The stanza goes to a handler, as its argument `stanza`. See `DurableSession.on(_:_:)`.
    public static func handOver(_ handler: Handler) -> Otherwise {
        .handOver { stanza, work in try await handler.takes(stanza, work) }
    }
}

/// Why a session does not run, or cannot hold a stanza.
public enum RouteError: Error, Sendable, Hashable {
    /// The app has not set what happens to stanzas that no route takes.
    case otherwiseIsMissing
    /// The database holds as many stanzas of the account as it may, or the stanza does not fit into a row.
    case tooManyHeldStanzas
}

extension RouteError: CustomStringConvertible, LocalizedError {
    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .otherwiseIsMissing:
            "the session has no route for the other stanzas: call otherwise(_:) before run, with ignore, hold or handOver"
        case .tooManyHeldStanzas:
            "the database holds too many stanzas of the account: add routes that take them, or remove some"
        }
    }
}

extension Handler {
    /// Calls the handler of a route. A route calls it for each stanza, also if it is single-shot.
    ///
    /// - Returns: `false` if the app has invalidated the handler, or this program does not know it.
    func takes(_ stanza: Element, _ work: StanzaWork) async throws -> Bool {
        if mark != nil { return false }
        guard let error = try await work.dispatcher.callAgain(self, work.arguments(for: stanza)) else { return true }
        if !error.isOfAnUnknownHandler { throw error }
        return false
    }
}
