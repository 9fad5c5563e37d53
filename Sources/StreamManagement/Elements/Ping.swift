// Pings of the server (XEP-0199), where no stanzas are counted.

import XMLTree
import XMPPCore

/// A request that every server answers.
package enum Ping {
    /// A ping with an `id` of its own.
    package static func make() -> Element {
        let id = "ping-\(UInt64.random(in: 0...UInt64.max))"
        return MutableElement("iq", namespace: .uri(Namespaces.client), attributes: ["type": "get", "id": id]) {
            MutableElement("ping", namespace: .uri(Namespaces.ping))
        }.freeze()
    }

    /// Whether an element answers the ping with this `id`: with a result, or the error of a server without pings.
    package static func isAnswer(_ element: Element, to id: String) -> Bool {
        element.isStanza && element.name == "iq" && element["id"] == id
            && (element["type"] == "result" || element["type"] == "error")
    }
}
