// Publish-subscribe (XEP-0060), as much as handlers need: items of a node, and publishing.

public import Handlers
public import XMLTree

/// Requests to publish-subscribe services. `session.pubsub` makes one.
public struct PubSub: Sendable {
    /// Sends a request for the handler of that kind.
    let ask: @Sendable (Element, Handler, RequestKind, Duration?) async throws -> String

    /// Asks for the items of a node (XEP-0060 §6.5).
    ///
    /// The handler is called with `items`, or with `error`: it declares them as `PubSubItems?` and `StanzaError?`.
    ///
    /// - Parameters:
    ///   - node: The node's name.
    ///   - service: Who has the node; `nil` for the own account (XEP-0163).
    ///   - maximum: How many of the newest items are wanted; `nil` for what the service gives.
    ///   - handler: What to call. See `DurableSession.request(_:handler:timeout:)`.
    ///   - timeout: How long to wait for the answer; `nil` for ever.
    @discardableResult
    public func items(
        _ node: String, from service: String? = nil, maximum: Int? = nil, handler: Handler,
        timeout: Duration? = DurableSession.requestTimeout
    ) async throws -> String {
        let iq = try request("get", to: service) {
            try MutableElement("items", attributes: ["node": node, "max_items": maximum.map(String.init)])
        }
        return try await ask(iq, handler, .pubsubItems, timeout)
    }

    /// Publishes an item (XEP-0060 §7.1). The handler is called with the answer.
    ///
    /// - Parameters:
    ///   - payload: What is published.
    ///   - id: What the item is called; `nil` for what the service chooses.
    ///   - node: The node's name.
    ///   - service: Who has the node; `nil` for the own account.
    ///   - handler: What to call. See `DurableSession.request(_:handler:timeout:)`.
    ///   - timeout: How long to wait for the answer; `nil` for ever.
    @discardableResult
    public func publish(
        _ payload: Element, id: String? = nil, to node: String, at service: String? = nil, handler: Handler,
        timeout: Duration? = DurableSession.requestTimeout
    ) async throws -> String {
        let iq = try request("set", to: service) {
            try MutableElement("publish", attributes: ["node": node]) {
                try MutableElement("item", attributes: ["id": id]) { payload }
            }
        }
        return try await ask(iq, handler, .iq, timeout)
    }

    private func request(
        _ type: String, to service: String?, _ content: () throws -> MutableElement
    ) throws -> Element {
        try MutableElement("iq", namespace: .uri("jabber:client"), attributes: ["type": type, "to": service]) {
            try MutableElement("pubsub", namespace: .uri(PubSubItems.namespace)) { try content() }
        }.freeze()
    }
}
