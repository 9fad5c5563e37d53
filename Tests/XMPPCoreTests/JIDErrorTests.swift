// The faults of addresses: part, position, reason, words.

import Foundation
import Testing
import XMPPCore

@Suite struct JIDErrorTests {
    @Test(
        arguments: [
            ("", .domain, 0, .empty),
            ("@b", .localpart, 0, .empty),
            ("a@", .domain, 2, .empty),
            ("a@.", .domain, 2, .empty),
            ("a@b/", .resource, 4, .empty),
            ("juliet:x@b", .localpart, 6, .forbidden(":")),
            ("\u{E9}<@b", .localpart, 2, .forbidden("<")),
            ("henry\u{2163}@b", .localpart, 5, .forbidden("\u{2163}")),
            ("x\u{FF20}@b", .localpart, 1, .forbidden("\u{FF20}")),
            ("a@b@c", .domain, 3, .forbidden("@")),
            ("a@b c", .domain, 3, .forbidden(" ")),
            ("a@\u{E9}.b%", .domain, 6, .forbidden("%")),
            ("a@b/c\u{7F}", .resource, 5, .forbidden("\u{7F}")),
            ("a@b/\u{E9}\u{202E}", .resource, 6, .forbidden("\u{202E}")),
            ("a\u{B7}b@c", .localpart, 1, .misplaced("\u{B7}")),
            ("a@b/x\u{200D}", .resource, 5, .misplaced("\u{200D}")),
            ("\u{5D0}a@b", .localpart, 0, .mixedDirections),
            ("a@\u{5D0}.b1.1", .domain, 2, .mixedDirections),
            ("a@b..c", .domain, 4, .invalidLabel),
            ("a@b.-c", .domain, 4, .invalidLabel),
            ("a@b.c-", .domain, 4, .invalidLabel),
            ("a@xn--", .domain, 2, .invalidLabel),
            ("a@xn--zzzz9", .domain, 2, .invalidLabel),
            // Punycode of upper case, and of ASCII.
            ("a@xn--mnchen-cub", .domain, 2, .invalidLabel),
            ("a@xn--abc-", .domain, 2, .invalidLabel),
            ("a@\u{301}b", .domain, 2, .invalidLabel),
            ("a@b.\u{301}c", .domain, 4, .invalidLabel),
            ("a@xn--\u{301}", .domain, 2, .invalidLabel),
            ("a@b\u{600}.", .domain, 3, .forbidden("\u{600}")),
            ("a@[\u{301}::1]", .domain, 2, .invalidIPAddress),
            ("a@xn--xn---epa", .domain, 2, .invalidLabel),
            ("a@xn---mnchen-3ya", .domain, 2, .invalidLabel),
            ("a@[::1", .domain, 2, .invalidIPAddress),
            ("a@[1::2::3]", .domain, 2, .invalidIPAddress),
            ("a@[1:2:3:4:5:6:7]", .domain, 2, .invalidIPAddress),
            ("a@[1:2:3:4:5:6:7:8:9]", .domain, 2, .invalidIPAddress),
            ("a@[::1.2.3]", .domain, 2, .invalidIPAddress),
            ("a@[::01.2.3.4]", .domain, 2, .invalidIPAddress),
            ("a@[12345::]", .domain, 2, .invalidIPAddress),
            ("a@[fe80::1%eth0]", .domain, 2, .invalidIPAddress),
            ("a@[example.net]", .domain, 2, .invalidIPAddress),
        ] as [(String, JIDError.Part, Int, JIDError.Reason)])
    func faults(text: String, part: JIDError.Part, position: Int, reason: JIDError.Reason) {
        let error = #expect(throws: JIDError.self) { try JID(parsing: text) }
        #expect(error?.part == part && error?.position == position && error?.reason == reason)
        #expect(error?.isLimit == false)
        #expect(JID(text) == nil)
    }

    @Test func words() {
        let error = #expect(throws: JIDError.self) { try JID(parsing: "henry:4@b\u{1B}") }
        #expect(
            error?.description == "byte 5, in the address's localpart: expected letters, digits, and ASCII characters "
                + "except spaces and \"&'/:<>@, found U+003A")
        let long = #expect(throws: JIDError.self) { try JID(parsing: String(repeating: "a", count: 1024)) }
        #expect(long?.description == "byte 0, in the address's domain: expected at most 1023 bytes")
        #expect((error as (any Error)?)?.localizedDescription == error?.description)
        #expect(long?.expected == "at most 1023 bytes")
    }
}
