// Domains: internationalized names, their form for DNS, IP addresses.

import TestSupport
import Testing
import XMPPCore

@Suite struct DomainTests {
    /// Labels as in RFC 3492 §7.1, encoded by Python, too.
    @Test(arguments: [
        ("m\u{FC}nchen", "xn--mnchen-3ya"), ("fa\u{DF}", "xn--fa-hia"), ("b\u{FC}cher", "xn--bcher-kva"),
        ("\u{4ED6}\u{4EEC}\u{4E3A}\u{4EC0}\u{4E48}\u{4E0D}\u{8BF4}\u{4E2D}\u{6587}", "xn--ihqwcrb4cv8a8dqg056pqjye"),
        ("\u{5DC}\u{5DE}\u{5D4}\u{5D4}\u{5DD}", "xn--8dbawgc"),
        ("\u{43F}\u{43E}\u{447}\u{435}\u{43C}\u{443}", "xn--e1aoedxv"),
        ("t\u{1EA1}isaoh\u{1ECD}kh\u{F4}ngth\u{1EC3}", "xn--tisaohkhngth-lib4647h6oa2e"),
        ("3\u{5E74}b\u{7D44}\u{91D1}\u{516B}\u{5148}\u{751F}", "xn--3b-ww4c5e180e575a65lsy2b"),
        ("\u{20BB7}", "xn--7l3i"),
    ])
    func punycode(name: String, ascii: String) throws {
        for text in [name, ascii, ascii.uppercased(), "\(name).", "\(ascii)."] {
            let jid = try JID(domain: text)
            #expect(jid.domain.utf8.elementsEqual(name.utf8) && jid.asciiDomain == ascii)
        }
        #expect(try JID(domain: "a.\(name).b").asciiDomain == "a.\(ascii).b")
    }

    @Test(arguments: [
        "localhost", "a_b.example", "127.0.0.1", "a--b", "1", "xn", "x-n", "[::]", "[::1]", "[1::]",
        "[1:2:3:4:5:6:7:8]",
        "[::ffff:1.2.3.4]", "[1:2:3:4:5:6:1.2.3.4]", "[1:2:3::7:8]", "[2001:db8::ff00:42:8329]",
    ])
    func unchanged(name: String) throws {
        let jid = try JID(domain: name)
        #expect(jid.domain == name && jid.asciiDomain == name)
    }

    /// The letter and the dot are one `Character`.
    @Test func labelBeforeADot() throws {
        let jid = try JID(domain: "\u{D4E}.b.")
        #expect(jid.domain == "\u{D4E}.b" && jid.asciiDomain == "xn--xxc.b")
        #expect(try JID(domain: jid.asciiDomain) == jid)
    }

    /// The text of a domain is the domain, even if Punycode represents a text that looks like Punycode.
    @Test func randomPunycode() throws {
        #expect(throws: JIDError.self) { try JID(parsing: "xn--xn---epa") }
        #expect(throws: JIDError.self) { try JID(parsing: "ab--\u{E9}") }
        var random = SeededGenerator(salt: 0x3492)
        let alphabet = Array("abn-x019").map(String.init)
        var valid = 0
        for _ in 0..<SeededGenerator.cases(default: 20_000) {
            let name = (0..<Int.random(in: 3...9, using: &random)).map { _ in random.pick(alphabet) }.joined()
            guard let jid = try? JID(domain: "xn--\(random.chance(20) ? "xn--" : "")\(name)") else { continue }
            valid += 1
            let note = "\(name) (STANZA_SEED=\(SeededGenerator.seed))"
            #expect(JID(jid.description) == jid, "\(note)")
            #expect(try JID(domain: jid.asciiDomain) == jid, "\(note)")
        }
        #expect(valid > 0, "no random name is valid")
    }

    @Test func rightToLeft() {
        for name in ["\u{5D0}\u{5D1}.\u{5D2}", "\u{5D0}1", "\u{627}\u{661}", "\u{5D0}\u{5B0}", "a.\u{5D0}"] {
            #expect(JID(name) != nil, "\(name)")
        }
        for name in ["1\u{5D0}", "\u{5D0}a", "1.\u{5D0}", "a\u{5D0}", "\u{5D0}1\u{661}", "a_.\u{5D0}", "1.xn--4dbc"] {
            #expect(JID(name) == nil, "\(name)")
        }
    }
}
