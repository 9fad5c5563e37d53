// Routes by payload, and payloads as bound arguments of handlers and as values of promises.
//
// Payloads knows no session. DurableSession+Routes.swift has the routes by query.

public import Handlers
public import Payloads
public import StanzaQuery
public import XMLTree

extension DurableSession {
    /// Registers a body for the stanzas that are such a payload, or have one as a child element.
    ///
    /// A payload whose content does not fit counts as no match: ``otherwise(_:)`` decides about its stanza if no other
    /// route takes it. See `on(_:_:)` of a query for everything else.
    ///
    /// - Parameters:
    ///   - type: The payload's type.
    ///   - body: Gets the payload and its stanza, and collects its changes.
    /// - Returns: The route's name, for `removeRoute(_:)`.
    /// - Throws: `QueryError` for a namespace that no query can have.
    @discardableResult
    public func on<P: Payload & Sendable>(
        _ type: P.Type, _ body: @escaping @Sendable (P, Element, StanzaWork) async throws -> Void
    ) throws(QueryError) -> Routes.ID {
        try addRoute(Query(P.route)) { stanza, work in
            guard let payload = P(routing: stanza) else { return false }
            try await body(payload, stanza, work)
            return true
        }
    }
}

extension Payload {
    /// A query that matches at least the stanzas with this payload.
    fileprivate static var route: QueryLiteral {
        // The query of a choice would have to name one of several elements.
        if !alternativeNames.isEmpty { return "/*" }
        let (namespace, name) = (payloadName.namespace, payloadName.name)
        let isStanza =
            ["iq", "message", "presence"].contains(name) && ["jabber:client", "jabber:server"].contains(namespace)
        return isStanza ? "/{\(namespace)}\(name)" : "{\(namespace)}\(name)"
    }

    /// Reads the payload of a stanza; `nil` if it has none, or if its content does not fit.
    fileprivate init?(routing stanza: Element) {
        guard let payload = Self.isNamed(stanza) ? try? Self(stanza) : try? stanza.first(Self.self) else { return nil }
        self = payload
    }
}

/// A payload is stored as its element. A type needs only the declaration: `extension ChatMessage: Storable {}`.
///
/// Its functions throw `PayloadError` for an element that does not fit, and for a value without a text.
extension Storable where Self: Payload {
    public static var storableType: StorableType { .element }

    public func storedValue() throws -> StoredValue { .element(try Element(self)) }

    public init(storedValue: StoredValue) throws { try self.init(Element(storedValue: storedValue)) }
}
