// Handlers store the errors of stanzas.

public import Handlers
import XMLTree
public import XMPPCore

/// Stored as the answer that it came in.
extension StanzaError: Storable {
    public static var storableType: StorableType { .element }

    public func storedValue() -> StoredValue {
        .element(stanza ?? answer(to: MutableElement("iq", namespace: .uri(Namespaces.client))))
    }

    public init(storedValue: StoredValue) throws(StorableMismatch) {
        guard case .element(let stanza) = storedValue, let error = StanzaError(stanza) else {
            throw StorableMismatch(expected: "a stanza of type error", actual: "another element")
        }
        self = error
    }
}
