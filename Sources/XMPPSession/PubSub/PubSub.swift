// Publish-subscribe (XEP-0060) for handlers: requests for the items of a node, and publishing.

public import Handlers
import Persistence
public import XMLTree
import XMPPCore

/// Sends requests to publish-subscribe services. `DurableSession.pubsub` makes one.
public struct PubSub: Sendable {
    /// Sends a request of that kind, whose answer calls the handler.
    let ask: @Sendable (Element, Handler, RequestKind, Duration?) async throws -> String

    /// Asks for the items of a node (XEP-0060 §6.5).
    ///
    /// The handler gets `items` or `error`. Declare them as `PubSubItems?` and `StanzaError?`.
    ///
    /// - Parameters:
    ///   - node: The node's name.
    ///   - service: The address of the service; `nil` for the user's own account (XEP-0163).
    ///   - maximum: The number of newest items to request; `nil` lets the service decide.
    ///   - handler: The handler of the answer. See `DurableSession.request(_:handler:timeout:)`.
    ///   - timeout: The time to wait for the answer; `nil` for no limit.
    /// - Throws: The errors of that method; `XMLTreeError` for a text that XML cannot contain.
    @discardableResult
    public func items(
        _ node: String, from service: String? = nil, maximum: Int? = nil, handler: Handler,
        timeout: Duration? = DurableSession.requestTimeout
    ) async throws -> String {
        let iq = try request("get", to: service, checking: [node]) {
            MutableElement("items", attributes: ["node": node, "max_items": maximum.map(String.init)])
        }
        return try await ask(iq, handler, .pubsubItems, timeout)
    }

    /// Publishes an item (XEP-0060 §7.1). The answer calls the handler.
    ///
    /// - Parameters:
    ///   - payload: The payload of the item.
    ///   - id: The identifier of the item; `nil` lets the service choose one.
    ///   - node: The node's name.
    ///   - service: The address of the service; `nil` for the user's own account.
    ///   - handler: The handler of the answer. See `DurableSession.request(_:handler:timeout:)`.
    ///   - timeout: The time to wait for the answer; `nil` for no limit.
    /// - Throws: The errors of that method; `XMLTreeError` for a text that XML cannot contain.
    @discardableResult
    public func publish(
        _ payload: Element, id: String? = nil, to node: String, at service: String? = nil, handler: Handler,
        timeout: Duration? = DurableSession.requestTimeout
    ) async throws -> String {
        let iq = try request("set", to: service, checking: [node, id]) {
            MutableElement("publish", attributes: ["node": node]) {
                MutableElement("item", attributes: ["id": id]) { payload }
            }
        }
        return try await ask(iq, handler, .iq, timeout)
    }

    private func request(
        _ type: String, to service: String?, checking names: [String?], _ content: () -> MutableElement
    ) throws(XMLTreeError) -> Element {
        for name in names + [service] { try XMLTreeError.check(text: name ?? "") }
        return MutableElement("iq", namespace: .uri(Namespaces.client), attributes: ["type": type, "to": service]) {
            MutableElement("pubsub", namespace: .uri(PubSubItems.namespace)) { content() }
        }.freeze()
    }
}
