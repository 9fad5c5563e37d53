// The lexer's tokens, and the characters of names.

import Testing

@testable import QuerySyntax

struct LexerTests {
    private func read(_ text: String, _ body: (inout Lexer) -> Void) {
        Lexer.read(text, slots: []) { lexer in
            var lexer = lexer
            body(&lexer)
        }
    }

    @Test func triesConsumeAllOrNothing() {
        read("a.b-c/9>x") { lexer in
            let noSlash = lexer.lex(.slash)
            let noDigit = lexer.lexDigit()
            #expect(!noSlash && noDigit == nil && lexer.position == 0)

            let name = lexer.lexName()
            let noName = lexer.lexName()
            #expect(name == 0..<5 && noName == nil && lexer.position == 5)

            let slash = lexer.lex(.slash)
            let digit = lexer.lexDigit()
            #expect(slash && digit == 9 && lexer.position == 7)
        }
    }

    @Test func verbatimTextEndsBeforeItsMarkOrWithTheText() {
        read("ab>c|d") { lexer in
            let first = lexer.lexVerbatim(until: .greater, or: .bar)
            let nothing = lexer.lexVerbatim(until: .greater)
            #expect(first == 0..<2 && nothing == 2..<2)

            lexer.skip(past: .greater)
            #expect(lexer.position == 3)
            let second = lexer.lexVerbatim(until: .greater, or: .bar)
            let rest = lexer.lexVerbatim(until: .greater)
            #expect(second == 3..<4 && rest == 4..<6)
        }
    }

    @Test func nothingIsPastTheEnd() {
        read("ab") { lexer in
            lexer.skip(past: .slash)
            lexer.skipByte()
            lexer.skip(past: .slash)
            #expect(lexer.position == 2 && lexer.isAtEnd)
            #expect(lexer.next == nil && lexer.nextScalar == nil && lexer.nextRange == 2..<2)
        }
    }

    @Test func charactersOfEveryLengthAreRead() {
        for scalar: Unicode.Scalar in [
            "a", "\u{7F}", "\u{80}", "ß", "\u{7FF}", "\u{800}", "名", "\u{FFFF}", "\u{10000}", "\u{10FFFF}",
        ] {
            read(String(scalar) + "z") { lexer in
                #expect(lexer.nextScalar == scalar)
                #expect(lexer.nextRange.count == String(scalar).utf8.count)
            }
        }
    }

    @Test func namesEndWhereXMLSays() throws {
        let grammar = try EBNF.project()
        var edges: Set<UInt32> = Set(0...0x100)
        for name in ["nameChar", "nameStartChar"] {
            guard case .choice(let alternatives)? = grammar.rules[name] else { continue }
            for case .set(let set) in alternatives {
                for range in set.ranges { edges.formUnion([range.lowerBound, range.upperBound]) }
            }
        }
        #expect(edges.count > 270)
        let inNames = grammar.starting(at: "nameChar")
        for value in edges.flatMap({ [$0 &- 1, $0, $0 + 1] }) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            #expect(
                isNameCharacter(scalar) == inNames.match(String(scalar)).isSentence, "U+\(String(value, radix: 16))")
        }
    }
}
