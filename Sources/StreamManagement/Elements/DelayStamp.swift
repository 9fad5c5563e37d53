// The XEP-0203 stamp on messages that are sent again (D27).

import Foundation
import XMLTree
import XMPPCore

enum DelayStamp {
    /// Returns a message with the time of its first sending. Other stanzas, and messages with our own stamp, stay as
    /// they are. Our own stamp has no `from`, or the account's address, which an app may have written.
    ///
    /// The stamp names no sender: participants of an anonymous room would see the account's address.
    static func stamped(_ element: Element, firstSent date: Date, address: String?) -> Element {
        // A stored date may have no text: the message is sent without a stamp.
        guard element.isMessage, !isStamped(element, by: address), let time = try? date.xmppDateTime
        else { return element }
        let copy = element.thaw()
        copy.addChild("delay", namespace: .uri(Namespaces.delay), attributes: ["stamp": time])
        return copy.freeze()
    }

    private static func isStamped(_ element: Element, by address: String?) -> Bool {
        element.children.contains { child in
            guard child.name == "delay", child.namespace == Namespaces.delay else { return false }
            guard let from = child["from"] else { return true }
            guard let address else { return false }
            if from.utf8.elementsEqual(address.utf8) { return true }
            guard let sender = LenientAddress(from), let own = LenientAddress(address) else { return false }
            return sender == own || sender == own.bare
        }
    }
}
