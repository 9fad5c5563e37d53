// The senders that may answer a request (RFC 6120 §8.1.2.1).

import Testing

@testable import XMPPSession

struct AnswerSourceTests {
    @Test(
        arguments: [
            // Only the recipient of a request may answer it.
            ("room@chat.example.org", "room@chat.example.org", true),
            ("room@chat.example.org", "ROOM@Chat.Example.org", true),
            ("room@chat.example.org", "room@chat.example.org/nick", false),
            ("room@chat.example.org", "chat.example.org", false),
            ("room@chat.example.org", nil, false),
            ("romeo@example.org/orchard", "romeo@example.org/orchard", true),
            ("romeo@example.org/orchard", "romeo@example.org/Orchard", false),
            ("romeo@example.org/orchard", "romeo@example.org", false),
            // Servers have addresses that RFC 7622 refuses.
            (nil, "romeo@example.org/\u{845B}\u{E0100}", false),
            ("room@muc.example/\u{845B}\u{E0100}", "Room@muc.example/\u{845B}\u{E0100}", true),
            ("room@muc.example/\u{845B}\u{E0100}", "room@muc.example/\u{845B}", false),
            ("i\u{2665}u@example.org", "I\u{2665}u@example.org", true),
            ("i\u{2665}u@example.org", "u@example.org", false),
            ("not an address", "not an address", true),
            ("not an address", "Not an address", false),
            // The server answers for the account if the request has no recipient, or the account as its recipient.
            (nil, nil, true), (nil, "juliet@example.org", true), (nil, "juliet@example.org/balcony", true),
            // Another session of the account, which any client of the user can be.
            (nil, "juliet@example.org/OTHER", false), ("juliet@example.org", "juliet@example.org/OTHER", false),
            (nil, "juliet@example.org/Balcony", false),
            (nil, "example.org", true), (nil, "example.org/balcony", false), (nil, "romeo@example.org", false),
            (nil, "not an address", false),
            ("juliet@example.org", nil, true), ("juliet@example.org", "juliet@example.org", true),
            ("Juliet@Example.org", "juliet@example.org/balcony", true), ("juliet@example.org", "example.org", true),
            ("juliet@example.org", "mallory@example.org", false),
            // A request to the server itself.
            ("example.org", "example.org", true), ("example.org", nil, true),
            ("example.org", "juliet@example.org", false),
        ] as [(String?, String?, Bool)])
    func acceptedSenders(recipient: String?, sender: String?, isAccepted: Bool) {
        #expect(
            Requests.accepts(
                from: sender, at: "juliet@example.org/balcony", to: recipient, account: "juliet@example.org")
                == isAccepted)
    }

    /// The server may spell the account, and name a resource, by other rules than RFC 7622.
    @Test func otherSpellingsOfTheAccount() {
        let account: JID = "Stra\u{DF}e@B\u{FC}cher.example"
        for sender in [
            "STRA\u{DF}E@b\u{FC}cher.example/a", "xn--bcher-kva.example", "stra\u{DF}e@xn--bcher-kva.example/\u{301}",
        ] {
            #expect(Requests.accepts(from: sender, at: sender, to: nil, account: account))
        }
        #expect(!Requests.accepts(from: "u@b\u{FC}cher.example", at: nil, to: nil, account: account))
        // The session has an address that RFC 7622 refuses. A server that does not name it does not confirm it.
        let full = "juliet@example.org/\u{845B}\u{E0100}"
        for recipient in [nil, "juliet@example.org"] {
            #expect(Requests.accepts(from: full, at: full, to: recipient, account: "juliet@example.org"))
            #expect(!Requests.accepts(from: full, at: nil, to: recipient, account: "juliet@example.org"))
        }
    }
}
