// Slots: the places that allow them, and the errors elsewhere.

import Foundation
import QuerySyntax
import QueryTools
import TestSupport
import Testing

struct SlotTests {
    private static let mark: Unicode.Scalar = "\u{E000}"

    /// A query whose slots are marked with `•` or U+E000.
    private func query(_ marked: String, name: String = "…") -> ParsedQuery {
        var text = QueryText()
        for scalar in marked.unicodeScalars {
            if scalar == Self.mark || scalar == "•" {
                text.appendSlot(named: name)
            } else {
                text.append(String(scalar))
            }
        }
        return ParsedQuery(parsing: text)
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
        ), ("\\&•\\", "elements {jabber:x:data}x\nextract form description of \\(0)"),
    ]) func allowed(query text: String, outline: String) {
        // Slots are slots, with any names in messages.
        for name in ["…", "a > b", "}\\/@", ""] {
            let found = query(text, name: name)
            #expect(found.diagnostics == [] && found.tree.description == outline)
        }
    }

    @Test(arguments: [
        "a•", "•a", "••", "!a•", "!•b", "a<b~•>", "a<b~c•>", "{a•}b", "{•a}b", "{••}b", "a@b•", "a@•b", "a<b•=c>",
        "a<•b=c>", "@{a•}b", "a<{••}b=c>", "\\{•}\\", "\\{a•}\\", "\\•\\", "\\a•\\", "\\[•]\\", "\\[1•]\\", "\\@a•\\",
        "\\@•a\\", "\\&••\\", "a@b|•", "a@b|in•", "a#•", "..•", "../..•", "a$•", "a@@•", "a<b•>", "a<b=c>•", "\\@a\\•",
    ]) func misplaced(text: String) {
        let found = query(text, name: "it")
        #expect(found.diagnostics.first?.problem == .misplacedSlot)
        #expect(found.diagnostics.first.map { found.text(in: $0.range) } == "\\(it)")
    }

    /// The same text may be a good query with specifiers, and a wrong one with slots alone.
    @Test func specifiersAmongSlots() throws {
        #expect(ParsedQuery(parsing: "a<b=%@>").diagnostics.isEmpty && query("a<b=100%%>").diagnostics.isEmpty)
        for (text, specifier) in [("a<b=x%5d•>", "%5d"), ("a<b=%@>", "%@")] {
            let found = query(text)
            let first = try #require(found.diagnostics.first)
            #expect(first.problem == .specifierAmongSlots && found.text(in: first.range) == specifier)
        }
    }

    @Test func messagesShowInterpolatedExpressions() {
        let found = query("a/•<b~c•>", name: "name")
        let expected = """
            error: an interpolation is not allowed here
              a/\\(name)<b~c\\(name)>
                           ^~~~~~~ expected it between braces for a whole namespace, as the whole name of an element, an attribute or a form field, or in a filter after '='
            """
        #expect(found.diagnostics.first?.rendered(in: found.source) == expected)
        let repaired = query("•//a", name: "n")
        #expect(repaired.diagnostics.first?.repair == "\\(n)/a" && repaired.diagnostics.first?.range == 5..<6)
    }

    /// One character of the grammar represents a slot.
    @Test func parserAndGrammarAcceptTheSame() throws {
        let file = packageFolder.appending(path: "Grammar/stanza-query-slots.ebnf")
        let grammar = try EBNF.project().overridden(by: String(contentsOf: file, encoding: .utf8))
        #expect(Set(grammar.rules.keys).subtracting(try EBNF.project().rules.keys) == ["slot"])
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
