// The description of the unclosed element in an error: its name, and the place where its stanza or root begins.

import Testing
import XMLTree

@Suite struct UnclosedElementTests {
    /// Returns the last error of some fragments, fed in pieces.
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

    /// An error outside of all elements has no unclosed element.
    @Test(arguments: [
        ("</a>", XMLStreamParser.Mode.fragments(in: .empty), "</a> closes nothing, as no element is open; remove it"),
        ("<a/></b>", .fragments(in: .empty), "</b> closes nothing, as no element is open; remove it"),
        ("", .document, "the input ends before a root element; expected its start tag"),
        (" \n", .stream, "the input ends before a root element; expected its start tag"),
        ("<?xml version='1.0'?>", .document, "the input ends before a root element; expected its start tag"),
    ])
    func isNoneBetweenTrees(text: String, mode: XMLStreamParser.Mode, message: String) throws {
        for chunk in 1...max(text.utf8.count, 1) {
            let error = try #require(lastError(of: text, mode, chunk: chunk))
            #expect(error.unclosed == nil)
            #expect(error.message == message)
        }
    }

    /// If the input ends within markup, the error names the markup, its place, and the element around it.
    @Test(arguments: [
        ("<", "tag that begins at line 1, column 1, before '>'", nil),
        ("\n <a b='", "tag that begins at line 2, column 2, before '>'", nil),
        ("<a>\n</a", "tag that begins at line 2, column 1, before '>'", "a"),
        ("<a>\n<b>\u{E9}<c", "tag that begins at line 2, column 5, before '>'", "b"),
        ("\n<!-", "comment that begins at line 2, column 1, before '-->'", nil),
        ("<a/><!-- x\n\n-", "comment that begins at line 1, column 5, before '-->'", nil),
        ("<a>\n<!-- x\n-- ", nil, nil),
        ("<a>\u{E9}<!-- x\n-", "comment that begins at line 1, column 5, before '-->'", "a"),
        ("<a>\n\n<![CDATA[\n]]", "CDATA section that begins at line 3, column 1, before ']]>'", "a"),
        ("<a>\n<![CD", "CDATA section that begins at line 2, column 1, before ']]>'", "a"),
        ("<?p\n\n?", "processing instruction that begins at line 1, column 1, before '?>'", nil),
        ("<?p", "processing instruction that begins at line 1, column 1, before '?>'", nil),
        ("\n<!DOCTYPE a [\n<!-- ", "document type declaration that begins at line 2, column 1, before '>'", nil),
        ("<a>\nx&am", "reference that begins at line 2, column 2, before ';'", "a"),
        ("<a>&#x\(String(repeating: "0", count: 80))4", "reference that begins at line 1, column 4, before ';'", "a"),
    ])
    func unfinishedMarkupIsNamed(text: String, markup: String?, element: String?) throws {
        for chunk in 1...text.utf8.count {
            let error = try #require(lastError(of: text, .document, chunk: chunk))
            guard let markup else {
                #expect(error.unfinished == nil && error.kind != .unexpectedEnd)
                continue
            }
            #expect(error.kind == .unexpectedEnd)
            #expect(error.message.hasPrefix("the input ends in the \(markup)"), "\(error.message)")
            #expect(error.message.contains("; expected </") == (element != nil))
            #expect(error.unclosed?.name == element)
        }
    }

    /// Between stanzas, the unclosed element is the stream's root.
    @Test func isTheRootBetweenStanzas() throws {
        let header = "<stream:stream xmlns:stream='http://etherx.jabber.org/streams'>"
        for end in ["", "<a/>", "<a/>\n<b", "</x>"] {
            let error = try #require(lastError(of: "\n" + header + end, .stream, chunk: 7))
            #expect(error.unclosed?.name == "stream:stream")
            #expect(error.unclosed?.position == SourcePosition(line: 2, column: 1, offset: 1))
            #expect(error.unclosed?.treeStart == error.unclosed?.position)
            let expected = "expected </stream:stream>, the end of what begins at line 2, column 1"
            #expect(error.message.hasSuffix(expected), "\(error.message)")
        }
        let inside = try #require(lastError(of: header + "<a/>\n<b><c/>", .stream, chunk: 7))
        #expect(inside.unclosed?.name == "b")
        #expect(inside.unclosed?.treeStart == SourcePosition(line: 2, column: 1, offset: header.utf8.count + 5))
    }

    /// The end of the input inside a skipped stanza, whose tags are only counted.
    @Test(arguments: [
        "<p:m xmlns:p='u'><x></y>", "<p:m xmlns:p='u'><x><y/><z>", "<m><x>12345678<y></x>", "<m><x>12345678<y></y></m>",
        "<m><x a='123456789012'></y>", "<m a='123456789012'><x></y>", "<m>12345678<x></x><y></x>",
    ])
    func aSkippedStanzaIsNamed(text: String) throws {
        for chunk in 1...text.utf8.count {
            var parser = XMLStreamParser(mode: .fragments(in: .empty), limits: ParserLimits(bytes: 14))
            var found: XMLParseError?
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: chunk) {
                parser.feed(bytes[start..<min(start + chunk, bytes.count)])
                do { while try parser.next() != nil {} } catch { found = error }
            }
            parser.finish()
            do { while try parser.next() != nil {} } catch { found = error }
            let error = try #require(found)
            #expect(error.unclosed?.name == "m", "chunks of \(chunk): \(error)")
            #expect(error.unclosed?.position == .start)
            #expect(error.unclosed?.treeStart == .start)
        }
    }

    @Test func isNotNamedInAMistakeInsideASkippedStanza() throws {
        var parser = XMLStreamParser(mode: .fragments(in: .empty), limits: ParserLimits(bytes: 14))
        parser.feed("<m><x>12345678<!-- -- -->")
        var found: XMLParseError?
        do { while try parser.next() != nil {} } catch { found = error }
        #expect(try #require(found).unclosed == nil)
    }

    @Test func longNamesAreNotRepeated() throws {
        let error = try #require(lastError(of: "<a><b" + String(repeating: "b", count: 5000), chunk: 100))
        #expect(error.message.utf8.count < 1200)
    }
}
