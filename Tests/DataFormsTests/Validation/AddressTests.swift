// Addresses (RFC 7622): valid texts, and equal addresses.

import Testing

@testable import DataForms

@Suite struct AddressTests {
    @Test func addresses() {
        for text in [
            "juliet@example.com", "juliet@example.com/foo", "juliet@example.com/foo bar", "juliet@example.com/foo@bar",
            "foo\\20bar@example.com", "fussball@example.com", "fußball@example.com", "π@example.com",
            "Σ@example.com/foo",
            "king@example.com/♚", "example.com", "example.com/foobar", "a.example.com/b@example.net", "a@b",
            "localhost",
            "x@[::1]", "x@127.0.0.1", "x@münchen.example", "a@b.", "a@b/c/d", "a@b/ ",
        ] { #expect(Address(text) != nil, "\(text)") }
        for text in [
            "", "@", "/", "a@", "@b", "a@b/", "\"juliet\"@example.com", "foo bar@example.com", "juliet@example.com/",
            "@example.com", "henryⅣ@exam ple.com", "a@b@c", "a<b@c", "a&b@c", "a@b\nc", "a@b/\u{0}", "a@b c", "a@.",
            "a@<b>",
            "juliet@", "/foobar", "a@b/\u{2028}",
        ] { #expect(Address(text) == nil, "\(text)") }
        let part = String(repeating: "a", count: Address.maximumPartLength)
        #expect(Address("\(part)@\(part)/\(part)") != nil)
        for text in ["a\(part)@b", "a@b\(part)", "a@b/c\(part)"] { #expect(Address(text) == nil) }
    }

    @Test func equality() {
        for (one, other) in [
            ("Juliet@Example.COM", "juliet@example.com"), ("a@b.", "a@b"), ("\u{E9}@b", "e\u{301}@b"),
            ("É@b", "é@B"), ("a@b/\u{E9}", "a@b/e\u{301}"),
        ] { #expect(Address(one) == Address(other), "\(one) is \(other)") }
        for (one, other) in [("a@b/C", "a@b/c"), ("a@b", "a@b/c"), ("a@b", "b"), ("a@b", "a@c")] {
            #expect(Address(one) != Address(other), "\(one) is not \(other)")
        }
    }
}
