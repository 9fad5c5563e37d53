// Escapes of Objective-C and Lua: the value of a literal, and the places after an escape.

import StanzaLint
import Testing

@Suite struct EscapesTests {
    private func findings(_ source: String, _ language: SourceLanguage) -> [String] {
        Linter(unsure: .check).findings(in: source, language: language).map {
            "\($0.start.line):\($0.start.column) \($0.query.debugDescription)"
        }
    }

    @Test(arguments: [
        (#"[iq find:@"\u00e9/\u65e5@b|integer"];"#, "1:28", "\u{E9}/\u{65E5}@b|integer"),
        (#"[iq find:@"\U0001F600@b|integer"];"#, "1:25", "\u{1F600}@b|integer"),
        // A continued line is one with the next.
        ("[iq find:@\"a@\\\nb|integer\"];", "2:3", "a@b|integer"),
        (#"[iq find:@"\a\?@b|integer"];"#, "1:12", "\u{7}?@b|integer"),
        (#"[iq find:@"\v\f\b@c|integer"];"#, "1:12", "\u{B}\u{C}\u{8}@c|integer"),
    ]) func objectiveC(source: String, place: String, query: String) {
        #expect(findings(source, .objectiveC) == ["\(place) \(query.debugDescription)"])
    }

    @Test(arguments: [
        (#"s:find('{u}\u{e9}@b|integer')"#, "1:21", "{u}\u{E9}@b|integer"),
        // A line break is one in the text, too.
        ("s:find('{u}x@\\\nb|integer')", "1:14", "{u}x@\nb|integer"),
        (#"s:find('{\a\b\f\v}a@b|integer')"#, "1:23", "{\u{7}\u{8}\u{C}\u{B}}a@b|integer"),
        ("s:find('{u}a\\z\n   @b|integer')", "2:7", "{u}a@b|integer"),
    ]) func lua(source: String, place: String, query: String) {
        #expect(findings(source, .lua) == ["\(place) \(query.debugDescription)"])
    }

    /// A pattern may hold braces.
    @Test func aTrailingDollarIsLuas() {
        #expect(Linter().findings(in: #"s:find("a {x}$"); s:find("{u}a//b$")"#, language: .lua).isEmpty)
        #expect(findings(#"s:find("{u}a//b")"#, .lua) == [#"1:14 "{u}a//b""#])
    }

    /// The comment is on a line of the literal: comments on other lines do not apply to it.
    @Test func anIgnoredLineIsOneOfTheLiteral() {
        #expect(findings("a.find( // stanza-lint: ignore\n\"a//b\")", .swift) == ["2:4 \"a//b\""])
        #expect(findings("a.find(\n\"a//b\"\n) // stanza-lint: ignore", .swift) == ["2:4 \"a//b\""])
        #expect(findings("a.find(\n\"a//b\" // stanza-lint: ignore\n)", .swift) == [])
    }
}
