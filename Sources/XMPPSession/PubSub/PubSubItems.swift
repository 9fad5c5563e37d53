// The items of a node, read from an answer.

public import Handlers
public import XMLTree

/// The items of a node, in the order of the answer.
public struct PubSubItems: Sendable, Hashable {
    /// The answer that contains them.
    public let stanza: Element
    /// The node.
    public let node: String
    /// The `<item/>` elements.
    public let items: [Element]

    static let namespace = "http://jabber.org/protocol/pubsub"

    /// Reads an answer; `nil` if it has no items of a node.
    public init?(_ stanza: Element) {
        guard stanza["type"] == "result",
            let list = stanza.child("pubsub", namespace: .uri(Self.namespace))?.child("items"),
            let node = list["node"]
        else { return nil }
        self.stanza = stanza
        self.node = node
        items = list.children.filter { $0.name == "item" && $0.namespace == Self.namespace }
    }

    /// The payload of the first item with this identifier; `nil` if no item has it.
    public subscript(id: String) -> Element? {
        items.first { $0["id"].map { $0.utf8.elementsEqual(id.utf8) } ?? false }?.firstChild
    }

    /// The identifiers of the items that have one, in order.
    public var ids: [String] { items.compactMap { $0["id"] } }
}

/// Stored as the answer that they came in.
extension PubSubItems: Storable {
    public static var storableType: StorableType { .element }

    public func storedValue() -> StoredValue { .element(stanza) }

    public init(storedValue: StoredValue) throws(StorableMismatch) {
        guard case .element(let stanza) = storedValue, let items = PubSubItems(stanza) else {
            throw StorableMismatch(expected: "an answer with items of a node", actual: "another element")
        }
        self = items
    }
}

extension HandlerArguments {
    /// Adds the items of the answer to a request for items, or the error.
    mutating func addItems(of stanza: Element) {
        if let error = StanzaError(stanza) {
            self["error"] = error
        } else if let items = PubSubItems(stanza) {
            self["items"] = items
        } else {
            // A result without items does not answer the request.
            self["error"] = StanzaError("undefined-condition", type: "cancel", text: "the answer has no items")
        }
    }
}
