// Comparisons of addresses that servers write.

import Testing
import XMPPCore

@Suite struct LenientAddressTests {
    @Test(arguments: [
        ("Juliet@Example.ORG/a", "juliet@example.org/a"), ("\u{E9}@b", "e\u{301}@b"), ("a@b.", "a@b"),
        ("a@m\u{FC}nchen", "a@XN--mnchen-3ya"), ("a@b/\u{E9}", "a@b/e\u{301}"),
        // Accounts and resources that RFC 7622 refuses.
        ("I\u{2665}U@example.org", "i\u{2665}u@example.org"), ("\u{845B}\u{E0100}@b", "\u{845B}\u{E0100}@B"),
        ("\u{645}\u{62D}\u{640}\u{645}\u{62F}@b", "\u{645}\u{62D}\u{640}\u{645}\u{62F}@b"),
        ("a@xn--i-7iq.ws", "A@XN--I-7IQ.ws"), ("a@\u{2665}.b.", "a@\u{2665}.B"),
        ("a@b/\u{845B}\u{E0100}", "a@B/\u{845B}\u{E0100}"), ("a@b/\u{301}", "A@b/\u{301}"),
    ])
    func equality(one: String, other: String) throws {
        let (one, other) = (try #require(LenientAddress(one)), try #require(LenientAddress(other)))
        #expect(one == other && one.hashValue == other.hashValue)
        #expect(one.bare == other.bare && one.server == other.server)
    }

    @Test(arguments: [
        ("a@b/C", "a@b/c"), ("a@b", "a@b/c"), ("a@b", "b"), ("a@b", "a@c"), ("stra\u{DF}e@b", "strasse@b"),
        ("i\u{2665}u@b", "iu@b"),
    ])
    func inequality(one: String, other: String) throws {
        #expect(try #require(LenientAddress(one)) != (try #require(LenientAddress(other))))
    }

    @Test func parts() throws {
        let full = try #require(LenientAddress("juliet@example.org/balcony"))
        #expect(full.bare == LenientAddress("juliet@example.org") && full.server == LenientAddress("example.org"))
        #expect(full.localpart == "juliet" && full.server.localpart == nil)
    }

    @Test(arguments: [
        "", "@b", "a@", "a@b/", "/a", "not an address", "a@b@c", "a'@b", "a@b\u{1B}", "a@b/\u{1B}", "a<@b",
        String(repeating: "a", count: 1024),
    ])
    func refused(text: String) { #expect(LenientAddress(text) == nil) }

    @Test(arguments: [
        ("\u{39D}\u{399}\u{39A}\u{39F}\u{3A3}", "\u{3BD}\u{3B9}\u{3BA}\u{3BF}\u{3C3}"), ("stra\u{DF}e", "strasse"),
        ("\u{3BD}\u{3B9}\u{3BA}\u{3BF}\u{3C2}", "\u{3BD}\u{3B9}\u{3BA}\u{3BF}\u{3C3}"), ("a\u{200D}b\u{AD}", "AB"),
    ])
    func folding(one: String, other: String) {
        #expect(LenientAddress.folded(one) == LenientAddress.folded(other))
        #expect(LenientAddress.folded(one) != LenientAddress.folded("x"))
    }
}
