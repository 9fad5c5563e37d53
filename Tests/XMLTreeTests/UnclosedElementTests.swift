// What an error says of the element whose end is missing: its name, and where what it is in begins.

import Testing
import XMLTree

@Suite struct UnclosedElementTests {
    /// The last error of some fragments, fed in pieces.
    private func lastError(
        of text: String, _ mode: XMLStreamParser.Mode = .fragments(in: .empty), chunk: Int
    ) -> XMLParseError? {
        var parser = XMLStreamParser(mode: mode)
        var last: XMLParseError?
        func drain() {
            while true {
                do throws(XMLParseError) {
                    if try parser.next() == nil { return }
                } catch {
                    last = error
                }
            }
        }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            parser.feed(rest.prefix(chunk))
            rest = rest.dropFirst(chunk)
            drain()
        }
        parser.finish()
        drain()
        return last
    }

    @Test(arguments: [
        ("<a>", "a", (1, 1), (1, 1)), ("<ok/>\n <a>\n<p:b xmlns:p='u'>text", "p:b", (2, 2), (3, 1)),
        ("<a><b/>\n", "a", (1, 1), (1, 1)), ("<a></a>\n<b>&#x", "b", (2, 1), (2, 1)),
        ("\n<a><b></a>", "b", (2, 1), (2, 4)), ("<a><b>\n</c>", "b", (1, 1), (1, 4)),
        ("<a>\u{E9}\n<b><c/>\u{E9}<d>\n</c>", "d", (1, 1), (2, 9)),
        ("<é>\n<!-- ", "é", (1, 1), (1, 1)), ("<a><![CDATA[", "a", (1, 1), (1, 1)),
    ])
    func isNamed(text: String, name: String, tree: (line: Int, column: Int), start: (line: Int, column: Int)) throws {
        for chunk in 1...text.utf8.count {
            let error = try #require(lastError(of: text, chunk: chunk))
            #expect(error.unclosed?.name == name)
            #expect(error.unclosed?.treeStart.line == tree.line)
            #expect(error.unclosed?.treeStart.column == tree.column)
            #expect(error.unclosed?.position.line == start.line)
            #expect(error.unclosed?.position.column == start.column)
            let place = "the end of what begins at line \(start.line), column \(start.column)"
            #expect(error.message.hasSuffix("expected </\(name)>, \(place)"))
            if error.kind == .mismatchedEndTag {
                let wrong = try #require(text.split(separator: "</").last)
                #expect(error.endTag == String(wrong.dropLast()))
                #expect(error.message.hasPrefix("</\(wrong) does not close"))
            }
        }
    }

    @Test(arguments: ["</a>", "<a/></b>", "<", "<a"])
    func isNoneBetweenTrees(text: String) throws {
        for chunk in 1...text.utf8.count {
            let error = try #require(lastError(of: text, chunk: chunk))
            #expect(error.unclosed == nil)
            #expect(error.message.hasSuffix("the end tag of what is open"))
        }
    }

    @Test func isNoneInAStreamBetweenStanzas() throws {
        let header = "<stream:stream xmlns:stream='http://etherx.jabber.org/streams'>"
        #expect(try #require(lastError(of: header + "<a/>", .stream, chunk: 7)).unclosed == nil)
        let inside = try #require(lastError(of: header + "<a/>\n<b><c/>", .stream, chunk: 7))
        #expect(inside.unclosed?.name == "b")
        #expect(inside.unclosed?.treeStart == SourcePosition(line: 2, column: 1, offset: header.utf8.count + 5))
    }

    @Test func longNamesAreNotRepeated() throws {
        let error = try #require(lastError(of: "<a><b" + String(repeating: "b", count: 5000), chunk: 100))
        #expect(error.message.utf8.count < 1200)
    }
}
