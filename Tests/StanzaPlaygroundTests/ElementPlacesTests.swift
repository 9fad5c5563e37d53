// The places of elements in a stanza's text.

import StanzaQuery
import TestSupport
import Testing

@testable import StanzaPlayground

@Suite struct ElementPlacesTests {
    /// Returns the start tags and the whole elements of a text, as pieces of it.
    private func pieces(_ text: String) throws -> [(tag: String, whole: String, path: [Int])] {
        let root = try Element(stanza: text)
        let places = try #require(ElementPlaces(of: root, in: text))
        var pieces: [(String, String, [Int])] = []
        let bytes = Array(text.utf8)
        places.forEach { element, place, path in
            func piece(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
            #expect(piece(place.startTag).contains(element.name))
            #expect(places.place(at: path) == place)
            pieces.append((piece(place.startTag), piece(place.whole), path))
            return true
        }
        return pieces
    }

    @Test func elementsInDocumentOrder() throws {
        let found = try pieces("<a><b k='1'>x</b><c><d/></c ></a>")
        #expect(found.map(\.tag) == ["<a>", "<b k='1'>", "<c>", "<d/>"])
        #expect(found.map(\.whole) == ["<a><b k='1'>x</b><c><d/></c ></a>", "<b k='1'>x</b>", "<c><d/></c >", "<d/>"])
        #expect(found.map(\.path) == [[], [0], [1], [1, 0]])
    }

    @Test(
        "text that only looks like a tag is not a tag",
        arguments: [
            ("<a><!-- <x> > --><b/></a>", ["<a>", "<b/>"]),
            ("<a><![CDATA[<x>]]]]><b/></a>", ["<a>", "<b/>"]),
            ("<a><!----><?p <x> ?><b/></a>", ["<a>", "<b/>"]),
            ("<a k='>' l=\">'\"><b k=\"/>\"/></a>", ["<a k='>' l=\">'\">", "<b k=\"/>\"/>"]),
            ("<?xml version='1.0'?>\n <!-- <y/> -->\n<a\n k='1'\n><b></b></a>\n<!-- > -->", ["<a\n k='1'\n>", "<b>"]),
            ("<a>]]&gt;<b\r\n/></a>\r\n", ["<a>", "<b\r\n/>"]), ("<a k='/'></a>", ["<a k='/'>"]),
            ("<stream:error><b/></stream:error>", ["<stream:error>", "<b/>"]),
        ])
    func markup(text: String, tags: [String]) throws {
        #expect(try pieces(text).map(\.tag) == tags)
    }

    @Test func aTextThatIsNotTheTreesHasNoPlaces() throws {
        let root = try Element(parsing: "<a><b/><c/></a>")
        let others = [
            "", "x", "<a>", "</a>", "<a><b/></a>", "<a><b><c/></b></a>", "<a><b/><c/><d/></a>",
            "<a><b/><c/", "<a><!-- ", "<a><![CDATA[<b/>]>", "<a k='><b/><c/></a>", "<",
        ]
        for text in others { #expect(ElementPlaces(of: root, in: text) == nil, "\(text)") }
        #expect(ElementPlaces(of: root, in: "<a><b/><c/></a>") != nil)
    }

    @Test func aPartOfALongerText() throws {
        let root = try Element(parsing: "<a><b/></a>")
        let text = "10:00 é <a><b/></a> <c/></d> \u{1}"
        for range in [nil, 6..<27, 9..<20] {
            let places = try #require(ElementPlaces(of: root, in: text, at: range))
            #expect(places.place(at: []) == .init(startTag: 9..<12, whole: 9..<20, children: [1]))
            #expect(places.place(at: [0])?.startTag == 12..<16)
        }
        #expect(
            ElementPlaces(of: root, in: text, at: 9..<19) == nil
                && ElementPlaces(of: root, in: text, at: 20..<20) == nil)
    }

    /// Checks every example of the language's suites and of the recorded session.
    @Test func theyFitWhatTheParserReads() throws {
        var count = 0
        for text in try ConformanceCase.documents() + Corpus.stanzas(in: Corpus.recordedSession) {
            guard let root = try? Element(stanza: text) else { continue }
            count += 1
            #expect(ElementPlaces(of: root, in: text) != nil, "\(text)")
        }
        #expect(count > 100)
    }
}
