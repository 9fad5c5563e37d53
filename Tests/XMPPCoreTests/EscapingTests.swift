// The escapes of XEP-0106.

import Testing
import XMPPCore

@Suite struct EscapingTests {
    /// The examples of XEP-0106 §5, and others.
    @Test(arguments: [
        ("space cadet", "space\\20cadet"), ("call me \"ishmael\"", "call\\20me\\20\\22ishmael\\22"),
        ("at&t guy", "at\\26t\\20guy"), ("d'artagnan", "d\\27artagnan"), ("/.fanboy", "\\2f.fanboy"),
        ("::foo::", "\\3a\\3afoo\\3a\\3a"), ("<foo>", "\\3cfoo\\3e"), ("user@host", "user\\40host"),
        ("c:\\net", "c\\3a\\net"), ("c:\\\\net", "c\\3a\\\\net"), ("c:\\cool stuff", "c\\3a\\cool\\20stuff"),
        ("c:\\5commas", "c\\3a\\5c5commas"), ("\\3and\\2is\\5cool", "\\5c3and\\2is\\5c5cool"), ("plain", "plain"),
        ("\\5c", "\\5c5c"), ("\\", "\\"), ("a\\2", "a\\2"), ("\\+1", "\\+1"), ("\u{E9} \u{E9}", "\u{E9}\\20\u{E9}"),
    ])
    func examples(text: String, escaped: String) throws {
        #expect(JID.escaped(text) == escaped && JID.unescaped(escaped) == text)
        let jid = try JID(escaping: text, domain: "example.com")
        #expect(jid.localpart == escaped && jid.unescapedLocalpart == text)
    }

    @Test func outerSpaces() {
        #expect(JID.escaped(" a ") == " a " && JID.unescaped("\\20a\\20") == "\\20a\\20")
        #expect(throws: JIDError.self) { try JID(escaping: " a", domain: "b") }
        #expect(JID.unescaped("a\\20\\20") == "a \\20" && JID.unescaped("\\20") == "\\20")
    }

    /// Fullwidth characters become those of ASCII before they are escaped.
    @Test func fullwidth() throws {
        let jid = try JID(escaping: "romeo\u{FF20}montague\u{3000}jr", domain: "b")
        #expect(jid.localpart == "romeo\\40montague\\20jr")
    }

    /// The localpart is in lower case, so that an escape in upper case becomes one.
    @Test func upperCase() throws {
        #expect(try JID(escaping: "a\\2Fb", domain: "c").unescapedLocalpart == "a\\2fb")
    }
}
