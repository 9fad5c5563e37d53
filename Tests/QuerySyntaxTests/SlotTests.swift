// Slots: the places that allow them, and the errors elsewhere.

import Foundation
import QuerySyntax
import QueryTools
import TestSupport
import Testing

struct SlotTests {
    /// The language with slots; one character represents a slot.
    private let grammar: EBNF
    private static let mark: Unicode.Scalar = "\u{E000}"

    init() throws {
        let file = packageFolder.appending(path: "Grammar/stanza-query-slots.ebnf")
        grammar = try EBNF.project().overridden(by: String(contentsOf: file, encoding: .utf8))
    }

    /// A query whose slots are marked.
    private func query(_ marked: String, name: String = "…") -> ParsedQuery {
        var text = QueryText()
        for scalar in marked.unicodeScalars {
            if scalar == Self.mark { text.appendSlot(named: name) } else { text.append(String(scalar)) }
        }
        return ParsedQuery(parsing: text)
    }

    /// The same text may be a good query with specifiers, and a wrong one with slots alone.
    @Test func specifiersAmongSlots() {
        #expect(ParsedQuery(parsing: "a<b=%@>").diagnostics.isEmpty)
        #expect(!ParsedQuery(parsing: QueryText("a<b=%@>")).diagnostics.isEmpty)
    }

    @Test(arguments: [
        ("{•}•/{•}!•", "elements {\\(0)}\\(1)\nelements {\\(2)}!\\(3)"),
        ("{•}/{•}*/{*}•", "elements {\\(0)}*\nelements {\\(1)}*\nelements {*}\\(2)"),
        ("/•<•=•>", "rooted\nelements \\(0)\n  \\(1) = \\(2)"),
        ("a<{•}•=x•y•%%>", "elements a\n  {\\(0)}\\(1) = \"x\" \\(2) \"y\" \\(3) \"%\""),
        ("a<{u}•~b>@{•}c", "elements a\n  {u}\\(0) ~ \"b\"\nextract attribute {\\(1)}c"),
        ("@•|int", "self\nextract attribute \\(0)\nconvert int"),
        (
            "\\{t}form[1]@•\\|bool",
            "elements {jabber:x:data}x\nextract form FORM_TYPE \"t\" type form item 1 value of \\(0)\nconvert bool"
        ),
        ("\\&•\\", "elements {jabber:x:data}x\nextract form description of \\(0)"),
    ]) func allowed(query text: String, outline: String) {
        // Slots are slots, with any names in messages.
        for name in ["…", "a > b", "}\\/@", ""] {
            let found = query(text.replacing("•", with: "\u{E000}"), name: name)
            #expect(found.diagnostics == [], "\(text)")
            #expect(found.tree.description == outline)
        }
    }

    @Test(arguments: [
        "a•", "•a", "••", "!a•", "!•b", "a<b~•>", "a<b~c•>", "{a•}b", "{•a}b", "{••}b", "a@b•", "a@•b", "a<b•=c>",
        "a<•b=c>",
        "@{a•}b", "a<{••}b=c>", "\\{•}\\", "\\{a•}\\", "\\•\\", "\\a•\\", "\\[•]\\", "\\[1•]\\", "\\@a•\\", "\\@•a\\",
        "\\&••\\",
        "a@b|•", "a@b|in•", "a#•", "..•", "../..•", "a$•", "a@@•", "a<b•>", "a<b=c>•", "\\@a\\•",
    ]) func misplaced(text: String) {
        let marked = text.replacing("•", with: "\u{E000}")
        let found = query(marked, name: "it")
        let first = found.diagnostics.first
        #expect(first?.problem == .misplacedSlot, "\(text)")
        #expect(first.map { found.text(in: $0.range) } == "\\(it)")
    }

    @Test func specifiersDoNotStandAmongSlots() throws {
        let found = query("a<b=x%5d\u{E000}>")
        let first = try #require(found.diagnostics.first)
        #expect(first.problem == .specifierAmongSlots && found.text(in: first.range) == "%5d")
        #expect(query("a<b=100%%>").diagnostics == [])
        #expect(query("a<b=%d>").diagnostics.first?.problem == .specifierAmongSlots)
    }

    @Test func messagesShowInterpolatedExpressions() throws {
        let found = query("a/\u{E000}<b~c\u{E000}>", name: "name")
        let expected = """
            error: an interpolation is not allowed here
              a/\\(name)<b~c\\(name)>
                           ^~~~~~~ expected it between braces for a whole namespace, as the whole name of an element, an attribute or a form field, or in a filter after '='
            """
        #expect(found.diagnostics.first?.rendered(in: found.source) == expected)
    }

    @Test func repairsAreOfferedBesideSlots() throws {
        let found = query("\u{E000}//a", name: "n")
        #expect(found.diagnostics.first?.repair == "\\(n)/a")
        #expect(found.diagnostics.first?.range == 5..<6)
    }

    /// The grammar uses all rules of the file, and the file names the rules that it replaces as the main file does.
    @Test func theGrammarOfSlotsReplacesRules() throws {
        let main = try EBNF.project()
        #expect(Set(grammar.rules.keys).subtracting(main.rules.keys) == ["slot"])
        for (rule, text) in [
            ("query", "{\u{E000}}\u{E000}<\u{E000}=a\u{E000}>@{\u{E000}}\u{E000}"), ("query", "\\@\u{E000}\\"),
            ("namespace", "{\u{E000}}"), ("elementName", "\u{E000}"), ("attributeName", "{\u{E000}}\u{E000}"),
            ("fieldName", "\u{E000}"), ("slot", "\u{E000}"),
        ] {
            #expect(grammar.starting(at: rule).match(text).isSentence, "\(rule)")
        }
        for (rule, text) in [
            ("attributeNamespace", "a\u{E000}"), ("value", "%d"), ("regex", "\u{E000}"), ("formType", "\u{E000}"),
            ("fieldName", "a\u{E000}"),
        ] {
            #expect(!grammar.starting(at: rule).match(text).isSentence, "\(rule)")
        }
    }

    @Test func parserAndGrammarAcceptTheSame() {
        var random = SeededGenerator(salt: 11)
        var accepted = 0
        for index in 0..<4_000 {
            var text = grammar.sentence(using: &random)
            if index.isMultiple(of: 2) { text = RandomText.mutate(text, using: &random) }
            if !index.isMultiple(of: 3) {
                var scalars = Array(text.unicodeScalars)
                scalars.insert(Self.mark, at: Int.random(in: 0...scalars.count, using: &random))
                text = String(String.UnicodeScalarView(scalars))
            }
            let found = query(text)
            let isSentence = grammar.match(text).isSentence
            #expect(isSentence == found.diagnostics.isEmpty, "\(text.debugDescription), seed \(SeededGenerator.seed)")
            guard isSentence, !found.slots.isEmpty else { continue }
            accepted += 1
            let outline = found.tree.description
            for slot in found.slots.indices { #expect(outline.contains("\\(\(slot))"), "\(text.debugDescription)") }
        }
        #expect(accepted > 400, "only \(accepted), seed \(SeededGenerator.seed)")
    }

    @Test func queryTextExample() {
        var text = QueryText("items<node=")
        text.appendSlot(named: "node")
        text.append(">/item@id")
        let query = ParsedQuery(parsing: text)
        #expect(query.diagnostics.isEmpty && query.slots == [11..<18])
    }
}
