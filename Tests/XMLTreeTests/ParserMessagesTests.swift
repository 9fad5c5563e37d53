// The messages of errors: the unclosed element, the unfinished markup and their places; and the stream error for each
// kind.

import Testing

@testable import XMLTree

@Suite struct ParserMessagesTests {
    private static let fragments = XMLStreamParser.Mode.fragments(in: .empty)

    /// Inputs, each with the message of its last error. A `¦` marks the beginning of the tree that is unclosed.
    private static let messages: [(marked: String, mode: XMLStreamParser.Mode, message: String)] = [
        ("¦<a>", fragments, "the input ends too early; expected </a>, the end of what begins at line 1, column 1"),
        (
            "<ok/>\n ¦<a>\n<p:b xmlns:p='u'>text", fragments,
            "the input ends too early; expected </p:b>, the end of what begins at line 3, column 1"
        ),
        ("<a></a>\n¦<b>&#x", fragments, unfinished("reference", 2, 4, ";") + "; expected </b>, " + begin(2, 1)),
        (
            "\n¦<a><b></a>", fragments,
            "</a> does not close the element that is open; expected </b>, the end of what begins at line 2, column 4"
        ),
        (
            "¦<a>\u{E9}\n<b><c/>\u{E9}<d>\n</cé>", fragments,
            "</cé> does not close the element that is open; expected </d>, the end of what begins at line 2, column 9"
        ),
        ("¦<é>\n<!-- ", fragments, unfinished("comment", 2, 1, "-->") + "; expected </é>, " + begin(1, 1)),
        // An error outside of all elements has no unclosed element.
        ("</a>", fragments, "</a> closes nothing, as no element is open; remove it"),
        ("<a/></b>", fragments, "</b> closes nothing, as no element is open; remove it"),
        ("", .document, "the input ends before a root element; expected its start tag"),
        (" \n", .stream, "the input ends before a root element; expected its start tag"),
        ("<?xml version='1.0'?>", .document, "the input ends before a root element; expected its start tag"),
        // If the input ends within markup, the error names it.
        ("<", .document, unfinished("tag", 1, 1, ">")), ("\n <a b='", .document, unfinished("tag", 2, 2, ">")),
        ("¦<a>\n</a", .document, unfinished("tag", 2, 1, ">") + "; expected </a>, " + begin(1, 1)),
        ("¦<a>\n<b>\u{E9}<c", .document, unfinished("tag", 2, 5, ">") + "; expected </b>, " + begin(2, 1)),
        ("\n<!-", .document, unfinished("comment", 2, 1, "-->")),
        ("<a/><!-- x\n\n-", .document, unfinished("comment", 1, 5, "-->")),
        ("¦<a>\u{E9}<!-- x\n-", .document, unfinished("comment", 1, 5, "-->") + "; expected </a>, " + begin(1, 1)),
        (
            "¦<a>\n\n<![CDATA[\n]]", .document,
            unfinished("CDATA section", 3, 1, "]]>") + "; expected </a>, " + begin(1, 1)
        ),
        ("¦<a>\n<![CD", .document, unfinished("CDATA section", 2, 1, "]]>") + "; expected </a>, " + begin(1, 1)),
        ("<?p\n\n?", .document, unfinished("processing instruction", 1, 1, "?>")),
        ("<?p", .document, unfinished("processing instruction", 1, 1, "?>")),
        ("\n<!DOCTYPE a [\n<!-- ", .document, unfinished("document type declaration", 2, 1, ">")),
        ("<!DO", .document, unfinished("document type declaration", 1, 1, ">")),
        ("¦<a>\nx&am", .document, unfinished("reference", 2, 2, ";") + "; expected </a>, " + begin(1, 1)),
        (
            "¦<a>&#x\(String(repeating: "0", count: 80))4", .document,
            unfinished("reference", 1, 4, ";") + "; expected </a>, " + begin(1, 1)
        ),
        ("<a>\n<!-- x\n-- ", .document, "not well-formed: '--' must not occur in a comment"),
        // Between stanzas, the unclosed element is the stream's root.
        ("\n¦\(header)<a/>\n", .stream, "the input ends too early; expected </stream:stream>, " + begin(2, 1)),
        ("\n¦\(header)<a/>\n<b", .stream, unfinished("tag", 3, 1, ">") + "; expected </stream:stream>, " + begin(2, 1)),
        (
            "\n¦\(header)</x>", .stream,
            "</x> does not close the element that is open; expected </stream:stream>, " + begin(2, 1)
        ),
        ("\(header)<a/>\n¦<b><c/>", .stream, "the input ends too early; expected </b>, " + begin(2, 1)),
        // Other messages.
        ("\0", .document, "XML forbids the character U+0000; remove it, or convert UTF-16 to UTF-8"),
        ("  \0", .document, "XML forbids the character U+0000; remove it"),
        ("<a>\u{1}", .document, "XML forbids the character U+0001; remove it"),
        ("<xmlns:a/>", .document, "the prefix 'xmlns' is only for declarations; use another prefix"),
        ("<p:a/>", .document, "the prefix 'p' is not declared; declare it with xmlns:p='…' here or around this"),
    ]

    private static func begin(_ line: Int, _ column: Int) -> String {
        "the end of what begins at line \(line), column \(column)"
    }

    private static func unfinished(_ markup: String, _ line: Int, _ column: Int, _ end: String) -> String {
        "the input ends in the \(markup) that begins at line \(line), column \(column), before '\(end)'"
    }

    @Test(arguments: messages)
    func message(marked: String, mode: XMLStreamParser.Mode, message: String) throws {
        let error = try #require(transcript(ParserCase(marked).text, mode).errors.last)
        #expect(error.message == message)
        #expect(error.description == "\(error.position): \(message)")
        #expect(error.unclosed.map { [$0.treeStart.short] } ?? [] == places(in: marked))
    }

    /// The end of the input inside a skipped stanza, whose tags are only counted.
    @Test(arguments: [
        "<p:m xmlns:p='u'><x></y>", "<p:m xmlns:p='u'><x><y/><z>", "<m><x>12345678<y></x>", "<m><x>12345678<y></y></m>",
        "<m><x a='123456789012'></y>", "<m a='123456789012'><x></y>", "<m>12345678<x></x><y></x>",
    ])
    func aSkippedStanzaIsNamed(text: String) throws {
        let limits = ParserLimits(bytes: 14)
        let error = try #require(transcript(text, Self.fragments, limits: limits).errors.last)
        #expect(error.unclosed == XMLParseError.OpenElement(name: "m", treeStart: .start, position: .start))
        // A mistake inside it has no unclosed element.
        let inside = transcript("<m><x>12345678<!-- -- -->", Self.fragments, limits: limits).errors
        #expect(inside.count == 1 && inside.first?.unclosed == nil)
    }

    @Test func limitsAreNamed() {
        let error = XMLParseError(.limit(.depth, maximum: 3), at: .start)
        #expect(
            error.message == "elements are nested more than 3 deep; raise `depth` in ParserLimits if that is wanted")
        #expect(error.messageWithoutSettings == "elements are nested more than 3 deep, which is the limit")
        let other = XMLParseError(.invalidUTF8, at: .start)
        #expect(other.messageWithoutSettings == other.message)
    }

    @Test func longNamesAreNotRepeated() throws {
        let text = "<a><b" + String(repeating: "b", count: 5000)
        let error = try #require(transcript(text, Self.fragments).errors.last)
        #expect(error.message.utf8.count < 1200)
    }

    @Test func streamConditions() {
        for (condition, kinds): (XMLParseError.StreamCondition, [XMLParseError.Kind]) in [
            (.unsupportedEncoding, [.invalidUTF8, .unsupportedEncoding("")]),
            (.restrictedXML, [.restricted(.comment), .entityReference("a")]),
            (.policyViolation, [.limit(.bytes, maximum: 1)]),
            (.badFormat, [.textBetweenElements, .notOneElement, .invalidContext]),
            (
                .notWellFormed,
                [
                    .forbiddenCharacter("\0"), .forbiddenReference, .unboundPrefix("p"), .duplicateAttribute("a"),
                    .mismatchedEndTag, .contentAfterEnd, .unexpectedEnd, .misplacedColon, .lessThanInTag,
                ]
            ),
        ] {
            #expect(kinds.allSatisfy { XMLParseError($0, at: .start).streamCondition == condition }, "\(condition)")
        }
    }
}
