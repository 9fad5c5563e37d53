// Diagnostics as users see them (7.3).

import QuerySyntax
import Testing

struct DrawingTests {
    private func drawing(of query: String) -> String {
        ParsedQuery(parsing: query).diagnostics.first?.rendered(in: query) ?? "no mistake"
    }

    @Test func anUnknownConversion() {
        #expect(
            drawing(of: "{urn:xmpp:mam:2}fin@count|integer") == """
                error: unknown conversion 'integer'
                  {urn:xmpp:mam:2}fin@count|integer
                                            ^~~~~~~ expected one of: bool, int, uint, double, datetime, base64, uuid, uuidcast
                  did you mean '|int'?
                """
        )
    }

    @Test func theEndOfTheQuery() {
        #expect(
            drawing(of: "foo/") == """
                error: the query ends with a '/'
                  foo/
                      ^ expected another segment; '*' is a child of any name
                  did you mean 'foo'?
                """
        )
    }

    @Test func offsetsAreBytesAndColumnsAreScalars() {
        #expect(
            drawing(of: "straße@ö|integer") == """
                error: unknown conversion 'integer'
                  straße@ö|integer
                           ^~~~~~~ expected one of: bool, int, uint, double, datetime, base64, uuid, uuidcast
                  did you mean '|int'?
                """
        )
        #expect(
            drawing(of: "{名\u{1F600}}e\u{301}b//") == """
                error: empty segment
                  {名\u{1F600}}e\u{301}b//
                          ^ expected a name, '*' for any; no query reaches descendants at any depth
                  did you mean '{名\u{1F600}}e\u{301}b'?
                """
        )
    }

    @Test func lineBreaksAndInvisibleCharactersAreReplaced() {
        #expect(
            drawing(of: "{a\n\t\r\n\u{7F}\u{85}\u{202E}\u{2028}\u{0}}b//c") == """
                error: empty segment
                  {a␊␉␍␊␡���␀}b//c
                                ^ expected a name, '*' for any; no query reaches descendants at any depth
                  did you mean '{a␊␉␍␊␡���␀}b/c'?
                """
        )
        #expect(drawing(of: "a#|b\nc").hasPrefix("error: unknown conversion 'b␊c'\n"))
        #expect(drawing(of: "a\n").hasPrefix("error: unexpected '␊'\n  a␊\n   ^ expected "))
    }

    @Test func longQueriesAreCutAroundTheMistake() {
        let long = String(repeating: "a/", count: 500)
        let lines = drawing(of: long + "/" + long + "b").split(separator: "\n").map(Array.init)
        #expect(lines.count == 3)
        #expect(lines[1].count == 2 + QueryLimits.drawnScalars + 2)
        #expect(lines[1][2] == "…" && lines[1].last == "…")
        let caret = lines[2].firstIndex(of: "^") ?? 0
        #expect(lines[1][caret] == "/" && lines[1][caret - 1] == "/" && lines[1][caret + 1] == "a")
    }

    @Test func longMistakesAreCutThemselves() {
        let lines = drawing(of: "a#|" + String(repeating: "x", count: 5_000)).split(separator: "\n").map(Array.init)
        #expect(lines[0].count == "error: unknown conversion ''".count + QueryLimits.quotedScalars + 1)
        #expect(String(lines[1]) == "  …" + String(repeating: "x", count: QueryLimits.drawnScalars) + "…")
        #expect(String(lines[2]).hasPrefix("   ^" + String(repeating: "~", count: QueryLimits.drawnScalars - 1) + " "))
    }

    @Test func diagnosticsOfOtherTextsDoNoHarm() {
        for range in [0..<0, 5..<9, 1..<2, 2..<100, 0..<1] {
            for query in ["", "ab", "名\u{1F600}"] {
                let lines = Diagnostic(.regexLimit, at: range).rendered(in: query).split(separator: "\n")
                #expect(lines.count == 3, "\(range) of \(query)")
                #expect(lines.last?.contains("^") == true)
            }
        }
    }

    @Test func everyMistakeOfATableIsDrawnUnderItsCharacter() {
        for query in ["a*", "a//b", "..@id", "a|int", "a<b", "\\x y\\", "a<b=%n>"] {
            let lines = drawing(of: query).split(separator: "\n").map(String.init)
            let start = ParsedQuery(parsing: query).diagnostics.first?.range.lowerBound ?? -1
            #expect(lines[1] == "  " + query)
            #expect(lines[2].hasPrefix(String(repeating: " ", count: start + 2) + "^"), "\(query)")
        }
    }
}
