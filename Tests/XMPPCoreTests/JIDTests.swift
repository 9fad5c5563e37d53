// Addresses: RFC 7622's examples, the parts, equality, limits, coding.

import Foundation
import Testing
import XMPPCore

@Suite struct JIDTests {
    /// RFC 7622 §3.5, table 1, with the parts after preparation.
    @Test(
        arguments: [
            ("juliet@example.com", "juliet", "example.com", nil),
            ("juliet@example.com/foo", "juliet", "example.com", "foo"),
            ("juliet@example.com/foo bar", "juliet", "example.com", "foo bar"),
            ("juliet@example.com/foo@bar", "juliet", "example.com", "foo@bar"),
            ("foo\\20bar@example.com", "foo\\20bar", "example.com", nil),
            ("fussball@example.com", "fussball", "example.com", nil),
            ("fu\u{DF}ball@example.com", "fu\u{DF}ball", "example.com", nil),
            ("\u{3C0}@example.com", "\u{3C0}", "example.com", nil),
            ("\u{3A3}@example.com/foo", "\u{3C3}", "example.com", "foo"),
            ("\u{3C3}@example.com/foo", "\u{3C3}", "example.com", "foo"),
            ("\u{3C2}@example.com/foo", "\u{3C2}", "example.com", "foo"),
            ("king@example.com/\u{265A}", "king", "example.com", "\u{265A}"),
            ("example.com", nil, "example.com", nil),
            ("example.com/foobar", nil, "example.com", "foobar"),
            ("a.example.com/b@example.net", nil, "a.example.com", "b@example.net"),
        ] as [(String, String?, String, String?)])
    func examples(text: String, localpart: String?, domain: String, resource: String?) throws {
        let jid = try JID(parsing: text)
        #expect(jid.localpart == localpart && jid.domain == domain && jid.resource == resource)
        #expect(jid.isBare == (resource == nil))
        let parts = try JID(localpart: localpart, domain: domain, resource: resource)
        #expect(parts == jid && parts.hashValue == jid.hashValue)
        #expect(try JID(parsing: jid.description) == jid)
    }

    /// RFC 7622 §3.5, table 2. Its third example begins a resource with a space, which `OpaqueString` allows (RFC 8265
    /// §4.2): this module and servers accept it.
    @Test(arguments: [
        "\"juliet\"@example.com", "foo bar@example.com", "@example.com/", "henry\u{2163}@example.com",
        "\u{265A}@example.com", "juliet@", "/foobar",
    ])
    func counterexamples(text: String) { #expect(JID(text) == nil) }

    /// A non-joiner between letters of Adlam with a mark, and a middle dot beside a sign of Han.
    @Test(arguments: ["\u{1E922}\u{1E94B}\u{200C}\u{1E922}@b", "\u{16FE3}\u{30FB}@b"])
    func contexts(text: String) { #expect(JID(text)?.description == text) }

    @Test func leadingSpaceOfAResource() throws {
        #expect(try JID(parsing: "juliet@example.com/ foo").resource == " foo")
    }

    @Test(arguments: [
        ("Juliet@Example.COM", "juliet@example.com"), ("a@b.", "a@b"), ("\u{E9}@b", "e\u{301}@b"),
        ("\u{C9}@b", "\u{E9}@B"), ("a@b/\u{E9}", "a@b/e\u{301}"), ("\u{FF21}\u{FF42}@b", "ab@b"),
        ("\u{3A3}\u{391}\u{3A3}@b", "\u{3C3}\u{3B1}\u{3C2}@b"), ("\u{FF76}\u{FF9E}@b", "\u{30AC}@b"),
        ("a@b/\u{A0}x\u{3000}", "a@b/ x "), ("a@XN--MNCHEN-3YA.example", "a@m\u{FC}nchen.example"),
        ("a@b\u{3002}c", "a@b.c"), ("a@b\u{FF0E}c", "a@b.c"), ("a@[::AB]", "a@[::ab]"),
    ])
    func equality(one: String, other: String) throws {
        let (one, other) = (try JID(parsing: one), try JID(parsing: other))
        #expect(one == other && one.hashValue == other.hashValue)
        #expect(one.description.utf8.elementsEqual(other.description.utf8))
    }

    @Test(arguments: [
        ("a@b/C", "a@b/c"), ("a@b", "a@b/c"), ("a@b", "b"), ("a@b", "a@c"), ("\u{3C2}@b", "\u{3C3}@b"),
        ("ss@b", "\u{DF}@b"), ("a@b/\u{FF21}", "a@b/A"),
    ])
    func inequality(one: String, other: String) { #expect(JID(one) != JID(other)) }

    @Test func otherAddresses() throws {
        let full = try JID(parsing: "juliet@capulet.example/balcony")
        #expect(full.bare.description == "juliet@capulet.example" && full.bare.isBare && full.bare.bare == full.bare)
        #expect(full.server.description == "capulet.example" && full.server.server == full.server)
        #expect(try full.with(resource: "Garden").description == "juliet@capulet.example/Garden")
        #expect(try full.with(resource: nil) == full.bare)
        #expect(try full.bare.with(resource: "balcony") == full)
        #expect(throws: JIDError.self) { try full.with(resource: "") }
        let service = try JID(parsing: "rooms.example/x")
        #expect(service.server.description == "rooms.example" && service.bare == service.server)
    }

    @Test func partsAreNotSplit() {
        for part in ["a@b", "a/b", ""] { #expect(throws: JIDError.self) { try JID(localpart: part, domain: "c") } }
        for part in ["a@b", "a/b", ""] { #expect(throws: JIDError.self) { try JID(domain: part) } }
        #expect(throws: JIDError.self) { try JID(domain: "a", resource: "") }
    }

    @Test func limits() throws {
        let longest = String(repeating: "a", count: JID.maximumPartLength)
        let jid = try JID(parsing: "\(longest)@\(longest)/\(longest)")
        #expect(jid.localpart == longest && jid.domain == longest && jid.resource == longest)
        for (text, part, position) in [
            ("a\(longest)@b", "localpart", 0), ("a@b\(longest)", "domain", 2), ("a@b/c\(longest)", "resource", 4),
            ("\u{E9}\(longest)@b", "localpart", 0), ("a@b/" + String(repeating: "\u{E9}", count: 512), "resource", 4),
        ] {
            let error = #expect(throws: JIDError.self) { try JID(parsing: text) }
            #expect(error?.part.rawValue == part && error?.position == position && error?.isLimit == true)
        }
        // The limit counts the bytes after preparation.
        let wide = String(repeating: "\u{FF21}", count: JID.maximumPartLength)
        #expect(try JID(localpart: wide, domain: "b").localpart == longest)
        #expect(JID(String(repeating: "x", count: 100_000)) == nil)
    }

    @Test func coding() throws {
        let jids = ["juliet@capulet.example/balcony", "\u{E9}@b"].compactMap(JID.init)
        let coded = try JSONEncoder().encode(jids)
        #expect(try JSONDecoder().decode([String].self, from: coded) == jids.map(\.description))
        #expect(try JSONDecoder().decode([JID].self, from: coded) == jids)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([JID].self, from: Data(#"["a@"]"#.utf8)) }
    }

    @Test func literals() {
        let jid: JID = "Juliet@Example.org/Balcony"
        #expect(jid.description == "juliet@example.org/Balcony" && jid.bare == "juliet@example.org")
        #expect(JID("\u{E9}@b") == "e\u{301}@b")
    }

    #if os(Linux) || os(macOS)
    @Test func aLiteralThatIsNotAnAddressStopsTheProgram() async {
        await #expect(processExitsWith: .failure) { _ = "juliet@" as JID }
    }
    #endif

    @Test func memory() { #expect(MemoryLayout<JID>.stride <= 24) }

    @Test func linesStayLines() throws {
        for value in UInt32(0)...0x2FFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            for text in ["a\(scalar)b@c", "a@b/c\(scalar)d"] {
                guard let jid = JID(text) else { continue }
                #expect(!jid.description.unicodeScalars.contains { $0.value < 0x20 || $0.properties.isBidiControl })
            }
        }
    }
}
