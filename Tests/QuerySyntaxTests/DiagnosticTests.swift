// The texts of mistakes: messages, drawings (7.3) and repairs. The engine's tests check that queries reach each
// problem.

import QuerySyntax
import TestSupport
import Testing

struct DiagnosticTests {
    // MARK: Messages

    /// Queries, each with the message of its first mistake, and a part of the expectation.
    private static let messages = [
        ("a*", "unexpected '*'", "expected '<', '@', '#', '$', '\\', '/' or the end"),
        ("{u}>", "unexpected '>'", "expected a name, '<'"),
        ("..x y", "unexpected ' '", "'/' or the end"),
        ("..*", "unexpected '*'", "expected '/' or the end of the query"),
        (">", "unexpected '>'", "expected a segment: a name, '*', '{namespace}name', '..' or an extraction"),
        ("a#b", "unexpected 'b'", "'|' and a conversion"),
        ("a@@b", "unexpected 'b'", "expected the end of the query"),
        ("{a", "unexpected end of the query", "expected '}'"),
        ("a<b", "unexpected end of the query", "'=' and a value, or '~' and a regular expression"),
        ("a<b=c", "unexpected end of the query", "'>' at the end of the filter"),
        ("\\a b\\", "unexpected ' '", "'@name' or '&name', or '\\' at the end"),
        ("\\[1", "unexpected end of the query", "a digit or ']'"),
        ("/", "nothing follows the '/'", "the empty query is the element itself"),
        ("a/", "the query ends with a '/'", "another segment"),
        ("a//b", "empty segment", "'*' for any"),
        ("http://a/b#c", "a namespace without braces", "before the name: '{namespace}name'"),
        ("urn:x}a", "a namespace without braces", "'{namespace}name'"),
        ("a/<b=c>", "a filter without a name", "or '*' for any"),
        ("a/$", "'$' without a name", "'/$' is the name of the element itself"),
        ("|int", "a conversion of nothing", "a conversion follows '@name', '#', '$'"),
        ("!*", "unexpected '*' after '!'", "the name that the element must not have"),
        ("!..", "'..' is not a name", "neither a namespace nor '!'"),
        ("..<a=b>", "'..' takes no filter", "expected '/'"),
        ("{}", "empty braces", "for any, '*'"),
        ("@{*}a", "an attribute cannot be in any namespace", "without '{*}'"),
        ("a<=b>", "unexpected '='", "the name of an attribute"),
        ("a<b>", "a filter without a condition", "'=' and a value"),
        ("a[@b='c']", "a condition in brackets", "'<name=value>'"),
        ("[b]", "a condition in brackets", "a filter of an attribute"),
        ("a[1]", "a position in brackets", "queries have no positions"),
        ("a/text()", "queries have no functions", "'#' is the text"),
        ("a@b='c'", "a comparison outside of a filter", "instead of the extraction"),
        ("//a", "empty segment", "no query reaches descendants"),
        ("a<b=>", "a filter with an empty value", "'~^$'"),
        ("a<b~>", "an empty regular expression", "'^.*$'"),
        ("a<b=%y>", "unexpected 'y' in a format specifier", "write '%%'"),
        ("a<b=%9999d>", "the number in a format specifier is too large", "at most 1000; write '%%'"),
        ("\\@\\", "a form field without a name", "the name of a field"),
        ("\\[]\\", "unexpected ']' in an index", "from 0"),
        ("a@b|", "a conversion without a name", "one of: bool, int, uint, double"),
        ("a@b|x", "unknown conversion 'x'", "one of: bool, int, uint, double"),
        ("a|int", "a conversion of elements", "only '@name', '#', '$'"),
        ("..|int", "a conversion of '..'", "can be converted"),
        ("a@@|int", "a conversion of all attributes", "can be converted"),
        ("\\\\|int", "a conversion of a form", "can be converted"),
        ("\\&f\\|int", "a conversion of a field's description", "can be converted"),
        ("a@b/c", "an extraction before the last segment", "only the last segment"),
        ("..@id", "an extraction at '..'", "'/' between"),
    ]

    @Test(arguments: messages) func message(of query: String, message: String, hint: String) {
        let first = ParsedQuery(parsing: query).diagnostics.first
        #expect(first?.message == message && first?.description == "\(first?.range ?? 0..<0): \(message)")
        #expect(first?.expectation?.contains(hint) == true, "\(first?.expectation ?? "nothing")")
        // The mistake is drawn under its character.
        let lines = first?.rendered(in: query).split(separator: "\n").map(String.init) ?? []
        let indent = String(repeating: " ", count: (first?.range.lowerBound ?? 0) + 2)
        #expect(lines[0] == "error: \(message)" && lines[1] == "  " + query && lines[2].hasPrefix(indent + "^"))
    }

    private static let specifier = FormatSpecifier(.decimal, flags: [.zeroPadded], width: 5, length: "l", range: 4..<8)

    /// The problems that the engine finds.
    @Test(arguments: [
        (Diagnostic.Problem.invalidRegex(message: "quantifier", offset: 0), Diagnostic.Kind.invalidRegex, nil, nil),
        (
            .invalidRegex(message: "parentheses are too deeply nested", offset: 251), .invalidRegex, nil,
            "expected fewer parentheses inside each other"
        ), (.missingArgument(specifier: specifier), .arguments, "no argument for '%05ld'", nil),
        (
            .argumentMismatch(specifier: specifier, given: "the text 'one'"), .arguments,
            "the text 'one' does not fit '%05ld'",
            "expected a whole number from -9223372036854775808 to 18446744073709551615"
        ),
        (
            .argumentMismatch(specifier: FormatSpecifier(.hexadecimal, range: 4..<6), given: "x"), .arguments,
            "x does not fit '%x'", "expected a whole number from 0 to 18446744073709551615"
        ), (.tooManyArguments(expected: 1, given: 3), .arguments, nil, "expected 1, given 3"),
        (.regexLimit, .regexLimit, nil, nil),
    ])
    func problemOfTheEngine(
        _ problem: Diagnostic.Problem, kind: Diagnostic.Kind, message: String?, expectation: String?
    ) {
        let diagnostic = Diagnostic(problem, at: 4..<8)
        #expect(diagnostic.kind == kind)
        #expect(message == nil || diagnostic.message == message)
        #expect(diagnostic.expectation == expectation || expectation == nil && kind != .invalidRegex)
    }

    /// An unclosed group may have met an angle bracket.
    @Test(arguments: ["missing closing parenthesis", "syntax error in subpattern name (missing terminator?)"])
    func unclosedGroup(message: String) {
        let diagnostic = Diagnostic(.invalidRegex(message: message, offset: 2), at: 4..<6)
        #expect(diagnostic.message.contains(message) && diagnostic.message.contains("offset 2"))
        for hint in ["'>' ends", "\\x3e", "(*atomic:…)", "(?'n'…)"] {
            #expect(diagnostic.expectation?.contains(hint) == true, "\(hint)")
        }
    }

    // MARK: Drawings

    private func drawing(of query: String) -> String {
        ParsedQuery(parsing: query).diagnostics.first?.rendered(in: query) ?? "no mistake"
    }

    /// The examples of the documentation; offsets are bytes.
    @Test func examples() {
        let drawn = """
            error: unknown conversion 'integer'
              {urn:xmpp:mam:2}fin@count|integer
                                        ^~~~~~~ expected one of: bool, int, uint, double, datetime, base64, uuid, uuidcast
              did you mean '|int'?
            """
        var printed = ""
        func print(_ text: String) { printed += text }
        do {
            let query = ParsedQuery(parsing: "{urn:xmpp:mam:2}fin@count|integer")
            for diagnostic in query.diagnostics {
                print(diagnostic.rendered(in: query.source))
            }
        }
        #expect(printed == drawn)
        let query = ParsedQuery(parsing: "{urn:xmpp:mam:2}fin@count|integer")
        let kind = query.diagnostics.first?.kind  // .unknownConversion
        let range = query.diagnostics.first?.range  // 26..<33
        let message = query.diagnostics.first?.rendered(in: query.source)
        #expect(kind == .unknownConversion && range == 26..<33 && message == drawn)
    }

    /// Columns are scalars. Line breaks and invisible characters are replaced.
    @Test func columnsAndInvisibleCharacters() {
        #expect(
            drawing(of: "{名\u{1F600}}e\u{301}b//") == """
                error: empty segment
                  {名\u{1F600}}e\u{301}b//
                          ^ expected a name, '*' for any; no query reaches descendants at any depth
                  did you mean '{名\u{1F600}}e\u{301}b'?
                """)
        #expect(
            drawing(of: "{a\n\t\r\n\u{7F}\u{85}\u{202E}\u{2028}\u{0}}b//c") == """
                error: empty segment
                  {a␊␉␍␊␡���␀}b//c
                                ^ expected a name, '*' for any; no query reaches descendants at any depth
                  did you mean '{a␊␉␍␊␡���␀}b/c'?
                """)
        #expect(drawing(of: "a\n").hasPrefix("error: unexpected '␊'\n  a␊\n   ^ expected "))
    }

    @Test func longTextsAreCut() {
        let long = String(repeating: "a/", count: 500)
        var lines = drawing(of: long + "/" + long + "b").split(separator: "\n").map(Array.init)
        #expect(lines.count == 3 && lines[1].count == 2 + QueryLimits.drawnScalars + 2)
        #expect(lines[1][2] == "…" && lines[1].last == "…")
        let caret = lines[2].firstIndex(of: "^") ?? 0
        #expect(lines[1][caret] == "/" && lines[1][caret - 1] == "/" && lines[1][caret + 1] == "a")
        lines = drawing(of: "a#|" + String(repeating: "x", count: 5_000)).split(separator: "\n").map(Array.init)
        #expect(lines[0].count == "error: unknown conversion ''".count + QueryLimits.quotedScalars + 1)
        #expect(String(lines[1]) == "  …" + String(repeating: "x", count: QueryLimits.drawnScalars) + "…")
        #expect(String(lines[2]).hasPrefix("   ^" + String(repeating: "~", count: QueryLimits.drawnScalars - 1) + " "))
    }

    @Test func diagnosticsOfOtherTextsDoNoHarm() {
        for range in [0..<0, 5..<9, 1..<2, 2..<100, 0..<1] {
            for query in ["", "ab", "名\u{1F600}"] {
                let lines = Diagnostic(.regexLimit, at: range).rendered(in: query).split(separator: "\n")
                #expect(lines.count == 3 && lines.last?.contains("^") == true, "\(range) of \(query)")
            }
        }
    }

    // MARK: Repairs

    private static let repairs: [(String, String?)] = [
        ("foo/", "foo"), ("a//b", "a/b"), ("//a", "a"), ("a///b", "a/b"), ("a//", "a"), ("foo/$", "foo/*$"),
        ("$", "*$"),
        ("foo/<a=b>", "foo<a=b>"), ("<a=b>@id", "/<a=b>@id"), ("../<a=b>@id", "../*<a=b>@id"),
        ("x<a>", "<a~^.*$>"), ("x<a=>", "<a~^$>"), ("x<a~>", "<a~^.*$>"), ("x<{u}a>", "<{u}a~^.*$>"),
        ("x<k=100%>", "<k=100%%>"), ("x<k=%yes>", "<k=%%yes>"), ("{}x", "{*}"), ("\\{}\\", "{*}"),
        ("@{*}a", "@a"), ("x<{*}a=b>", "x<a=b>"), ("a|int", "a#|int"), ("a|integer", "a#|int"), ("a|", "a"),
        ("..|int", "../#|int"), ("a@b|", "a@b"), ("..@id", "../@id"), ("..#", "../#"), ("a@id/", "a@id"),
        ("a#|integer", "|int"), ("$$", "*$"), ("a/$$$|int", "a/*$|int"), ("a$$", "a$"), ("a###", "a#"),
        ("/$$|int", "/$|int"),
        ("../##", "../#"), ("urn:x}a", "{urn:x}a"), ("a/http://b/c#d}e@f", "a/{http://b/c#d}e@f"),
        ("/@<type=error>@id", "/<type=error>@id"), ("a@<b~c>", "a<b~c>"),
        ("a<b~c{,3}>/d", "<b~c{0,3}>"), ("a<b~c{ 1, 3 }d{,2}>@e", "<b~c{1,3}d{0,2}>"),
        ("a<b~[{,3}]\\x{ 41 }c{ , 3}>", "<b~[{,3}]\\x{41}c{0,3}>"),
        ("a<b~\\N{,3}>", "<b~\\N{0,3}>"), ("a<b~\\N{ U+41 }>", "<b~\\N{U+41}>"),
        ("a<b~c{,65535}>", "<b~c{0,65535}>"),
        ("a<b~(?x)c{,3}#{ 1 }>", "<b~(?x)c{0,3}#{ 1 }>"), ("a<b~(?C'{,3}')c{,3}>", "<b~(?C'{,3}')c{0,3}>"),
        // PCRE2 refuses these bounds in any spelling.
        ("a<b~c{,65536}>", nil), ("a<b~c{,3}d{ 99999999999999999999 }>", nil), ("a<b~c{3 ,2}>", nil),
        ("a<@b=c>", "a<b=c>"), ("/<@b~c>@d", "/<b~c>@d"), ("@*", "@@"), ("a/b@*", "a/b@@"),
        // Constructs of XPath. Some have no counterpart, or the parser cannot find their ends.
        ("a[@b='c']", "a<b=c>"), ("a[@b=\"c d\"]/e#", "a<b=c d>/e#"), ("a[ @b = 'c' ]", "a<b=c>"),
        ("a[@b=7]", "a<b=7>"), ("a[@b]", "a<b~^.*$>"), ("*[@xml:lang='de']", "*<xml:lang=de>"),
        ("{u}a<d=e>[@b=='c']", "{u}a<d=e><b=c>"), ("/a[@b='c/d']@e", "/a<b=c/d>@e"),
        ("text()", "/#"), ("a/text()", "a#"), ("a/../text()|int", "a/../#|int"), ("/text()", "/#"),
        ("name()", "/$"), ("a/local-name()", "a$"),
        ("a<b!=c>", "<b~^(?!c$)>"), ("a<b!='c'>", nil), ("a<b!=c.d>", nil), ("a<b!=>", nil), ("/a|/b", nil),
        (".//a", nil), ("a@b='c'", "a<b=c>"), ("a/@b = 'c'", nil), ("a/@b='c'", "a<b=c>"), ("@b='c'", "/<b=c>"),
        ("/@b==c", "/<b=c>"), ("a<d~e>@b=\"c\"", "a<d~e><b=c>"),
        ("//a", "a"), ("//a/b", "a/b"),
        // The construct has no counterpart, or the parser cannot find its end.
        ("a[1]", nil), ("a[b]", nil), ("a[@b='c' and @d]", nil), ("a[@b='c", nil), ("a[@b='>']", nil),
        ("a[@b='5%']", nil), ("a[@b='']", nil), ("[@b]", nil), ("..[@b]", nil), ("a[not(@b)]", nil), ("a[", nil),
        ("count(a)", nil), ("a/text()/b", nil), ("text(a)", nil), ("a@b/text()", nil), ("text(", nil),
        ("../@b='c'", nil), ("a@b!='c'", nil), ("a@b='c'/d", nil), ("a@b=", nil), ("a<@b>", nil), ("a<@>", nil),
    ]

    /// Queries whose mistakes have no obvious repair.
    private static let withoutRepair = [
        "/", "//", "a*", "!", "!*", "..<a=b>", "a@", "<a=b>|int", "x<k=%*d>", "x<k=%1$@>", "a@b/c", "\\\\|int",
        "a@@|int",
        "a#|frobnicate", "a|frobnicate", "a<b=c", "|int", "$a", "$$a", "a$$a", "a##$", "a@@@", "$/a", "a$$/b",
        "a$#", "a@b#", "@{*}{*}a", "http://a/b#c", "http://a{b}", "!a}", "a/@<b=c>", "a@<b", "..@<b=c>", "@<b=c>",
        "a@<<b~c>", ".😀@<<a~b>", "a@<b=>", "a@<=b>",
    ]

    /// Names that are similar to a conversion.
    private static let conversions = [
        ("integer", "int"), ("Int", "int"), ("INT", "int"), ("itn", "int"), ("boolean", "bool"), ("bol", "bool"),
        ("Bool", "bool"), ("float", "double"), ("duoble", "double"), ("date", "datetime"), ("dateTime", "datetime"),
        ("timestamp", "datetime"), ("unsigned", "uint"), ("unit", "uint"), ("base-64", "base64"),
        ("bas64", "base64"),
        ("data", "base64"), ("guid", "uuid"), ("uid", "uuid"), ("uuid4", "uuid"), ("uuidcat", "uuidcast"),
        ("int ", "int"),
    ]

    @Test func repairsOfFirstMistakes() {
        let repairs =
            Self.repairs + Self.withoutRepair.map { ($0, nil) } + Self.conversions.map { ("a#|" + $0, "|" + $1) }
        for (query, repair) in repairs {
            let first = ParsedQuery(parsing: query).diagnostics.first
            #expect(first != nil && first?.repair == repair, "\(query)")
        }
        for (query, expectation) in [
            ("a<b~c{ 1}>", "expected bounds without spaces, the lower one first; write '\\{' for a brace that is text"),
            ("a<b~\\p{ L }>", "expected no spaces at the ends of these braces"),
            ("a<b~c{,99999}>", "expected bounds up to 65535, the most that PCRE2 repeats"),
        ] {
            #expect(ParsedQuery(parsing: query).diagnostics.first?.expectation == expectation)
        }
        // Repairs are not offered for long texts, and only short names are compared.
        for count in [QueryLimits.quotedScalars, QueryLimits.quotedScalars + 1] {
            let query = String(repeating: "a", count: count - 1) + "/"
            let isOffered = ParsedQuery(parsing: query).diagnostics.first?.repair != nil
            #expect(isOffered == (count <= QueryLimits.quotedScalars))
        }
        let name = "integer" + String(repeating: " ", count: QueryLimits.comparedConversionName)
        #expect(ParsedQuery(parsing: "a#|\(name)").diagnostics.first?.repair == nil)
    }

    @Test func oneTextShowsAllRepairs() throws {
        let long = "a<b=\(String(repeating: "x", count: 200))>"
        for (query, repair) in [
            ("//body/text()", "body#"), ("//a[@b='c']/text()", "a<b=c>#"), ("<a=b>/", "/<a=b>"), ("foo//b/", "foo/b"),
            // One mistake more than the limit.
            ("a//b//c//d//e", "a/b/c/d/e"), ("a//b//c//d//e//f", nil),
            // A repair may be shown although the query is long.
            ("\(long)@c|integer", "|int"), ("\(long)//c/", nil), ("a//\\(name)/b", "a/\\(name)/b"),
            // The last mistake has no repair.
            ("//a[1]", nil), ("//a/count(b)", nil),
        ] as [(String, String?)] {
            let first = try #require(ParsedQuery(parsing: query).diagnostics.first)
            let text = first.rendered(in: query)
            #expect(text.firstMatch(of: /did you mean '(.*)'\?/).map { String($0.1) } == repair, "\(text)")
            // Another query does no harm.
            #expect(first.rendered(in: "").hasPrefix("error: "))
        }
    }

    /// A second repair of the same slashes would bring the next mistake, and could not be applied beside the first.
    @Test func aRunOfSlashesIsRepairedOnce() {
        for (query, repairs) in [
            ("a//", ["a", nil]), ("a///", ["a", nil, nil]), ("//", [nil, nil]), ("///a", ["a", nil]),
            ("a///b//c/", ["a/b//c/", nil, "a///b/c/", "a///b//c"]), ("a@id/", ["a@id", nil]),
            ("a#|integer/", ["a#|integer", "|int", nil]), ("a@id//", [nil, "a@id", nil]),
        ] {
            #expect(ParsedQuery(parsing: query).diagnostics.map(\.repair) == repairs, "\(query)")
        }
    }

    /// A repair takes its mistake away and does not bring one to the left. All repairs of a query can be applied
    /// together.
    @Test func repairsHelp() {
        var random = SeededGenerator(salt: 21)
        var (tried, pairs) = (0, 0)
        for _ in 0..<20_000 {
            let query = RandomText.make(upTo: 8, using: &random)
            let comment: Comment = "\(query.debugDescription), seed \(SeededGenerator.seed)"
            let diagnostics = ParsedQuery(parsing: query).diagnostics
            let fixes = diagnostics.compactMap { $0.fix?.range }.sorted {
                ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound)
            }
            for (first, second) in zip(fixes, fixes.dropFirst()) {
                pairs += 1
                #expect(first.upperBound <= second.lowerBound && first != second, comment)
            }
            guard let diagnostic = diagnostics.first, let fix = diagnostic.fix else { continue }
            tried += 1
            var bytes = Array(query.utf8)
            bytes.replaceSubrange(fix.range, with: fix.replacement.utf8)
            let repaired = String(decoding: bytes, as: UTF8.self)
            #expect(repaired.utf8.contains(fix.shown.utf8) || fix.shown == "{*}", comment)
            let next = ParsedQuery(parsing: repaired).diagnostics.first
            let moved = next.map { $0.range.lowerBound - diagnostic.range.lowerBound } ?? .max
            #expect(moved > 0 || next?.problem != diagnostic.problem, comment)
        }
        #expect(tried > 100 && pairs > 10, "seed \(SeededGenerator.seed)")
    }
}
