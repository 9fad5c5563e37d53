// The conditions under which a first tag answers a query, one by one.

import StanzaQuery
import TestSupport
import Testing

@testable import StanzaCLI

@Suite("First tags")
struct FirstTagTests {
    /// The answer for a stanza: a value, "-" for none, "?" if only the parser knows. Bytes after the stanza have to be
    /// without effect.
    private func answer(_ stanza: String, _ query: String = "/@id", prints: Bool = true) throws -> String {
        let query = try #require(try Query(query).tagQuery)
        let tag = FirstTag(query, printsResults: prints)
        let text = Array(stanza.utf8)
        let answers = ["\0", "'", "\"", ">", "a", "=", " ", "<"].map { follower in
            (text + Array(String(repeating: follower, count: TagBytes.lookahead).utf8)).withUnsafeBytes { bytes in
                switch tag.answer(for: 0..<text.count, of: bytes) {
                case .unknown: "?"
                case .noResult: "-"
                case .result(let value): String(decoding: bytes[value], as: UTF8.self)
                }
            }
        }
        #expect(Set(answers).count == 1, "\(stanza)")
        return answers[0]
    }

    @Test(
        "give the value of an attribute",
        arguments: [
            ("<a id='1'/>", "1"), ("<a id=\"1\"></a>", "1"), ("\r\n\t <a  x='y'\n id='1' >text</a>", "1"),
            ("<a id=''/>", ""), ("<a id='\"'/>", "\""), ("<a id=\"it's\"/>", "it's"), ("<a id='a>b/>'/>", "a>b/>"),
            ("<a c='c'/>", "-"), ("<a/>", "-"), ("<a><b id='2'/></a>", "-"), ("<a c='id'/>", "-"), ("<a Id='1'/>", "-"),
            ("<a idx='1' xid='2'/>", "-"), ("<a xml:lang='de' id='1'/>", "1"),
            ("<a xmlns='jabber:client' id='1'/>", "1"),
            ("<a xmlns='' id='1'/>", "1"), ("<a xmlns='http://jabber.org/protocol/muc' id='1'/>", "1"),
            ("<_a-b.C9 id='1'/>", "1"), ("<abcdefghijklmn abcdefghijklmn='' id='1'/>", "1"),
            ("<a id='\(String(repeating: "long ", count: 20))'/>", String(repeating: "long ", count: 20)),
        ])
    func values(stanza: String, expected: String) throws {
        #expect(try answer(stanza) == expected)
    }

    @Test(
        "are left to the parser unless they are plain",
        arguments: [
            // What precedes them.
            "text<a id='1'/>", "\u{FEFF}<a id='1'/>", "<!--x--><a id='1'/>", "<?xml version='1.0'?><a id='1'/>", "</a>",
            // Names.
            "<1a id='1'/>", "<-a id='1'/>", "<é id='1'/>", "<x:a id='1'/>", "<abcdefghijklmno id='1'/>",
            "<a é='' id='1'/>",
            "<a x:y='' id='1'/>", "<a xml:id='1'/>", "<a xml:langx='' id='1'/>", "<a xmlns:x='y' id='1'/>",
            "<a abcdefghijklmno='' id='1'/>", "<a 1='' id='1'/>", "<a:xml:lang='' id='1'/>", "<a =''/>", "< a/>",
            // Values.
            "<a c='&amp;' id='1'/>", "<a id='&#49;'/>", "<a c='é' id='1'/>", "<a c='\t' id='1'/>", "<a c='\n' id='1'/>",
            "<a c='\u{1}' id='1'/>", "<a c='<' id='1'/>", "<a c = '' id='1'/>", "<a c id='1'/>", "<a c=c id='1'/>",
            "<a c=''id='1'/>", "<a id='1/>", "<a id=>", "<a id='1\">", "<a c=\"c'd>", "<a id='1'/ >",
            "<a id='1'/><b/>", "<>",
            // Two attributes with one name.
            "<a id='1' id='2'/>", "<a c='' id='1' c=''/>",
            // Namespaces of the W3C.
            "<a xmlns='http://www.w3.org/2000/xmlns/' id='1'/>",
            "<a xmlns='http://www.w3.org/XML/1998/namespace' id='1'/>",
        ])
    func others(stanza: String) throws {
        #expect(try answer(stanza) == "?")
    }

    @Test("leave values to the parser that a line of text escapes")
    func escapes() throws {
        for value in ["\\", "a\\b", "\u{7F}", String(repeating: "x", count: 40) + "\\"] {
            #expect(try answer("<a id='\(value)'/>") == "?")
            #expect(try answer("<a id='\(value)'/>", prints: false) == value)
            #expect(try answer("<a id='\(value)'/>", "/@x") == "-")
            #expect(try answer("<a c='\(value)' id='1'/>") == "1")
            #expect(try answer("<a id='1' c='\(value)'/>") == "1")
        }
    }

    @Test(
        "compare names and values",
        arguments: [
            ("/a@id", "1"), ("/b@id", "-"), ("/{*}a@id", "1"), ("/<type=error>@id", "1"), ("/<type=errors>@id", "-"),
            ("/<type=erro>@id", "-"), ("/<type~.*>@id", "1"), ("/<other~.*>@id", "-"), ("/<id=1>@id", "1"),
            ("/<id=2>@id", "-"),
            ("/<id=1><type=error>@type", "error"), ("/<id=1><type=get>@type", "-"), ("/<e~^$>@id", "1"),
            ("/@type", "error"),
            ("/@abcdefghijklmno", "-"), ("/@abcdefghijklmnopq", "-"), ("/@é", "-"), ("/a", ""), ("/a<type=get>", "-"),
        ])
    func comparisons(query: String, expected: String) throws {
        #expect(try answer("<a type='error' id='1' e='' abcdefghijklmn='x'/>", query) == expected)
    }

    @Test("distinguish all attributes of most stanzas")
    func marks() {
        let names = ["id", "from", "to", "type", "xmlns", "xml:lang"].map { TagName($0).mark }
        #expect(Set(names).count == names.count)
    }
}
