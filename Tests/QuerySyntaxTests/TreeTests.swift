// The meaning of queries as trees, section by section of the language; and the place of each part in the text.

import QuerySyntax
import QueryTools
import Testing

struct TreeTests {
    /// Queries, each with the lines of its outline.
    private static let trees = [
        // 2, 3.5: paths and the parent.
        ("", ""), ("a/b", "elements a; elements b"), ("/a/../b", "rooted; elements a; ascend; elements b"),
        // 3.1 to 3.4: names and namespaces.
        ("{urn:x}a", "elements {urn:x}a"), ("{urn:x}", "elements {urn:x}*"),
        ("{a/b<c>|@#$\\}x", "elements {a/b<c>|@#$\\}x"),
        ("*", "elements *"), ("{*}*", "elements {*}*"), ("{*}", "elements {*}*"), ("{**}a", "elements {**}a"),
        ("!a", "elements !a"), ("{u}!a", "elements {u}!a"), ("!...", "elements !..."), ("...", "elements ..."),
        ("..a", "elements ..a"), (".", "elements ."), ("{u}...", "elements {u}..."), ("1a", "elements 1a"),
        ("stream:error/straße", "elements stream:error; elements straße"),
        // 3.6: without a name.
        ("@id", "self; extract attribute id"), ("a/@@", "elements a; self; extract attributes"),
        ("a/#", "elements a; elements *; extract text"), ("/@id", "rooted; elements {*}*; extract attribute id"),
        ("/#", "rooted; elements {*}*; extract text"), ("/$", "rooted; elements {*}*; extract name"),
        ("/<a=b>/c", "rooted; elements {*}*;   a = \"b\"; elements c"),
        ("/<a=b>$|int", "rooted; elements {*}*;   a = \"b\"; extract name; convert int"),
        ("../@type", "ascend; self; extract attribute type"), ("../#", "ascend; self; extract text"),
        ("/../$", "rooted; ascend; self; extract name"), ("../@@", "ascend; self; extract attributes"),
        // 3.7: filters.
        ("a<b=c><d~e>", "elements a;   b = \"c\";   d ~ \"e\""),
        ("a<b=<c/d{e}\\>", "elements a;   b = \"<c/d{e}\\\\\""),
        ("a<b==>", "elements a;   b = \"=\""), ("a<b~~%@>", "elements a;   b ~ \"~%@\""),
        ("a<xml:lang=de>", "elements a;   xml:lang = \"de\""), ("a<{*x}b= >", "elements a;   {*x}b = \" \""),
        ("{u}<b~^(x|y)$>/c", "elements {u}*;   b ~ \"^(x|y)$\"; elements c"),
        // 4: extractions and conversions.
        ("a@{u}b|bool", "elements a; extract attribute {u}b; convert bool"), ("a@@", "elements a; extract attributes"),
        ("a#|int", "elements a; extract text; convert int"), ("a$|uint", "elements a; extract name; convert uint"),
        ("@b|double", "self; extract attribute b; convert double"),
        ("#|base64", "elements *; extract text; convert base64"),
        ("a#|uuid", "elements a; extract text; convert uuid"), ("a$", "elements a; extract name"),
        ("\\@f\\|uuidcast", "\(form); extract form value of \"f\"; convert uuidcast"),
        // 5: data forms.
        ("\\\\", "\(form); extract form"), ("a\\\\", "elements a; extract form"),
        ("a/\\\\", "elements a; \(form); extract form"), ("/\\\\", "rooted; \(form); extract form"),
        ("/<a=b>\\\\", "rooted; \(form);   a = \"b\"; extract form"),
        ("../<a=b><c~d>\\\\", "ascend; \(form);   a = \"b\";   c ~ \"d\"; extract form"),
        ("a\\{*}*\\", "elements a; extract form"), ("a\\..\\", "elements a; extract form type .."),
        ("a\\[007]\\", "elements a; extract form item 7"),
        ("\\[99999999999999999999]\\", "\(form); extract form item \(Int.max)"),
        ("a\\@b c/d|e>\\", "elements a; extract form value of \"b c/d|e>\""),
        ("a\\{u/}form[12]&f\\", "elements a; extract form FORM_TYPE \"u/\" type form item 12 description of \"f\""),
        // 6.1: specifiers.
        ("a<b=x%dy%s%uz>", "elements a;   b = \"x\" %d \"y\" %s %u \"z\""),
        ("a<b=100%%>", "elements a;   b = \"100%\""),
        ("a<b=%%%%d>", "elements a;   b = \"%%d\""), ("a<b=%-+0# 10.3lldx>", "elements a;   b = %-+0# 10.3lld \"x\""),
        ("a<b=%5.f>", "elements a;   b = %5.0f"), ("a<b=%.0012g>", "elements a;   b = %.12g"),
        ("a<b=%1000.1000x>", "elements a;   b = %1000.1000x"),
        ("a<b=%hhi%hX%lo%qc%ju%td%zd%Le%@>", "elements a;   b = %hhi %hX %lo %qc %ju %td %zd %Le %@"),
        // Joining marks and other invisible characters do not make two trees look the same. Other backslashes stay.
        ("e\u{301}", #"elements e\u{301}"#), ("!a\u{200D}", #"elements !a\u{200D}"#),
        ("{u\u{A0}}a", #"elements {u\u{A0}}a"#), ("a<b\u{FE0F}=c>", #"elements a;   b\u{FE0F} = "c""#),
        ("a<b=\u{200B}\n\"'\\>", #"elements a;   b = "\u{200B}\n\"'\\""#),
        ("@{u\u{202E}}k", #"self; extract attribute {u\u{202E}}k"#), ("{\\\u{200B}}a", #"elements {\\\u{200B}}a"#),
        (#"{\u{200B}a"#, #"elements {\\u{200B}a"#), (#"{\d\\}a"#, #"elements {\d\\}a"#),
        ("a\u{E9}\u{4E00}\u{1F600}", "elements a\u{E9}\u{4E00}\u{1F600}"),
    ]

    private static let form = "elements {jabber:x:data}x"

    @Test(arguments: trees) func tree(of query: String, outline: String) {
        let parsed = ParsedQuery(parsing: query)
        #expect(parsed.diagnostics.isEmpty)
        let lines = parsed.tree.description.split(separator: "\n").joined(separator: "; ")
        #expect(Array(lines.unicodeScalars) == Array(outline.unicodeScalars), "\(lines)")
    }

    /// The tree has the range of each part, and the outline that of each line.
    @Test func ranges() {
        let query = ParsedQuery(parsing: "/<ä=1>/{u}!b<{n}c=x%5d%@><d~[/]>/../e@id|int")
        func texts(_ range: (QueryNode) -> SourceRange?) -> [String] {
            query.tree.nodes.compactMap(range).map(query.text)
        }
        #expect(texts { $0.isStep ? $0.range : nil } == ["<ä=1>", "{u}!b<{n}c=x%5d%@><d~[/]>", "..", "e"])
        #expect(
            query.tree.nodes[3...7].map { query.text(in: $0.range) } == ["<{n}c=x%5d%@>", "x", "%5d", "%@", "<d~[/]>"])
        #expect(
            texts { if case .filter(let filter) = $0.content { filter.name.range } else { nil } } == ["ä", "{n}c", "d"])
        #expect(
            texts { if case .filter(let filter) = $0.content { filter.value.range } else { nil } } == [
                "1", "x%5d%@", "[/]",
            ])
        #expect(
            texts { if case .part(.specifier(let part)) = $0.content { part.range } else { nil } } == ["%5d", "%@"])
        #expect(query.text(in: 43..<99) == "nt" && query.text(in: 77..<99) == "")
        let outline = ParsedQuery(parsing: "/ä<k=1>/../{u}b/@id|int").tree.outline
        #expect(outline.map(\.depth) == [0, 0, 1, 0, 0, 0, 0, 0])
        #expect(
            outline.map { $0.range.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "\($0.text)" }
                == ["0-1", "1-8", "3-8", "9-11", "12-16", "self", "17-20", "21-24"])
        for (text, segments, extraction, conversion) in [
            ("@id", [""], "@id", nil), ("a/#|uuid", ["a", ""], "#", "uuid"),
            ("../<a=b>\\\\", ["..", "<a=b>"], "\\\\", nil),
            ("ü\\{f}t[0]@v\\|bool", ["ü"], "\\{f}t[0]@v\\", "bool"), ("/$", [""], "$", nil),
        ] {
            let query = ParsedQuery(parsing: text)
            #expect(query.tree.nodes.filter(\.isStep).map { query.text(in: $0.range) } == segments, "\(text)")
            #expect(query.tree.extractionRange.map(query.text) == extraction, "\(text)")
            #expect(query.tree.conversionRange.map(query.text) == conversion, "\(text)")
        }
    }
}
