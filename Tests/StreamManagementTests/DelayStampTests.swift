// The stamp of messages that are sent again, for addresses that RFC 7622 refuses.

import Foundation
import Testing
import XMLTree

@testable import StreamManagement

@Suite struct DelayStampTests {
    /// Servers bind such addresses. A message gets one stamp, however often it is sent.
    @Test(arguments: [
        "i\u{2665}u@example.org/a", "juliet@example.org/\u{845B}\u{E0100}", "juliet@example.org/\u{301}",
        "not an address",
    ])
    func oneStamp(address: String) throws {
        let message = try Element(stanza: "<message id='1'/>")
        func stamped(_ message: Element, _ from: String) -> Element {
            DelayStamp.stamped(message, firstSent: Date(timeIntervalSince1970: 0), address: from)
        }
        let once = stamped(message, address)
        #expect(once.children.count == 1 && stamped(once, address) == once)
        // The stamp names no sender, so the same message gets no other stamp from another address either.
        #expect(once.children.allSatisfy { $0["from"] == nil })
        #expect(stamped(once, "romeo@example.org/orchard") == once)
    }

    @Test func stampOfTheAccount() throws {
        let delay = "<delay xmlns='urn:xmpp:delay' from='i\u{2665}u@example.org' stamp='x'/>"
        let message = try Element(stanza: "<message>\(delay)</message>")
        let address = "i\u{2665}u@example.org/\u{845B}\u{E0100}"
        #expect(DelayStamp.stamped(message, firstSent: Date(timeIntervalSince1970: 0), address: address) == message)
    }
}
