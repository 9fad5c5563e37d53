// The XEP-0203 stamp on messages that are sent again (D27).

import Foundation
import XMLTree

enum DelayStamp {
    /// A message with the time of its first sending. The stanza itself, when it is no message, or has a stamp of ours
    /// already: one without `from`, or from the account's own address.
    static func stamped(_ element: Element, firstSent date: Date, address: String?) -> Element {
        guard element.isMessage, years.contains(date), !isStamped(element, by: address) else { return element }
        let copy = element.thaw()
        do {
            copy.add(
                try MutableElement(
                    "delay", namespace: .uri(Namespaces.delay),
                    attributes: ["from": address, "stamp": text(of: date)]))
        } catch {
            // Only an address that is not fit for XML comes here: the stamp is left out, not the message.
            return element
        }
        return copy.freeze()
    }

    /// What has four digits for its year. Dates from a disk may be anything.
    private static let years = Date.distantPast...Date(timeIntervalSince1970: 253_402_300_799)

    /// A DateTime of XEP-0082 in UTC, with milliseconds.
    static func text(of date: Date) -> String {
        Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(date)
    }

    private static func isStamped(_ element: Element, by address: String?) -> Bool {
        element.children.contains { child in
            guard child.name == "delay", child.namespace == Namespaces.delay else { return false }
            guard let from = child["from"] else { return true }
            guard let address else { return false }
            return from.utf8.elementsEqual(address.utf8) || from.utf8.elementsEqual(bare(address).utf8)
        }
    }

    private static func bare(_ address: String) -> Substring { address.prefix { $0 != "/" } }
}
