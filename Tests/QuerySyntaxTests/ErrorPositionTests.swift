// Which mistake is reported first, and where (7.2). Where a syntax error ends does not matter; it is one character.

import QuerySyntax
import Testing

struct ErrorPositionTests {
    @Test func syntaxErrorsBeginAtTheFirstCharacterThatCannotContinue() {
        for (query, offset) in syntaxErrors {
            let first = ParsedQuery(parsing: query).diagnostics.first
            #expect(first?.kind == .syntax, "\(query)")
            #expect(first?.range.lowerBound == offset, "\(query)")
            #expect((first?.range.count ?? 9) <= 4, "one character: \(query)")
        }
    }

    private let syntaxErrors: [(String, Int)] = [
        // Paths.
        ("/", 1), ("a/", 2), ("a//b", 2), ("//a", 1), ("//", 1), ("../", 3), ("a/b/", 4), (" a", 0), ("a b", 1),
        ("$", 0), ("foo/$", 4), ("a/$/b", 2), ("|int", 0), ("a/|int", 2), ("/|int", 1), ("../|int", 3), (">", 0),
        ("a>", 1), ("]", 0), ("a[1]", 1), ("\u{D7}", 0), ("a\u{3000}", 1), ("\u{E9}\u{F0000}", 2), ("a\n", 1),
        // Names.
        ("!*", 1), ("a/!", 3), ("!", 1), ("!!a", 1), ("!{u}a", 1), ("!..", 3), ("!../a", 3), ("{ns}..", 6),
        ("{ns}..@id", 6), ("a*", 1), ("*a", 1), ("**", 1), ("{u}*a", 4), ("a{u}b", 1), ("{u}{v}", 3),
        // Without a name.
        ("..<a=b>", 2), ("../<a=b>@id", 8), ("../<a=b>", 8), ("<a=b>", 5), ("foo/<a=b>", 9), ("<a=b>@id", 5),
        ("<a=b>#", 5), ("<a=b>$", 5), ("<a=b>/x", 5), ("<a=b>|int", 5), ("<a=b><c=d>x", 10), ("..*", 2),
        // Braces.
        ("{}", 1), ("{}a", 1), ("a/{}", 3), ("{abc", 4), ("{", 1), ("a<{*}a=b>", 4), ("<{*}a=b>", 3), ("@{*}a", 3),
        ("@{}a", 2), ("a<{}a=b>", 3), ("@{u}", 4), ("@{u}/a", 4), ("<{u}=b>", 4), ("@{u", 3), ("a<{u=b>", 7),
        // Filters.
        ("a<>", 2), ("a<=b>", 2), ("a<a>", 3), ("a<a=>", 4), ("a<a~>", 4), ("<>", 1), ("<=b>", 1), ("<a>", 2),
        ("<a=>", 3), ("<a~>", 3), ("<a=b", 4), ("<a~b", 4), ("<a", 2), ("<", 1), ("a<b c=d>", 3), ("a<*=b>", 2),
        ("a<b!=c>", 3), ("a<b=", 4), ("a<b~", 4), ("a<b=%d", 6), ("a<b=c>>", 6),
        // Specifiers.
        ("a<k=100%>", 8), ("a<k=%y>", 5), ("a<k=%*d>", 5), ("a<k=%1$@>", 6), ("a<k=%n>", 5), ("a<k=% >", 6),
        ("a<k=%5%>", 6), ("a<k=%1001d>", 8), ("a<k=%2000d>", 8), ("a<k=%.1001d>", 9), ("a<k=%010000d>", 10),
        ("a<k=%hhhd>", 7), ("a<k=%lhd>", 6), ("a<k=%LLd>", 6), ("a<k=%.5.5d>", 7), ("a<k=%5-d>", 6), ("a<k=%", 5),
        ("a<k=%é>", 5), ("a<k=%%%>", 7), ("a<k=%D>", 5), ("a<k=%p>", 5),
        // Extractions and conversions.
        ("a@", 2), ("@", 1), ("a@/b", 2), ("a@@x", 3), ("a@@@", 3), ("a#b", 2), ("a#b/c", 2), ("a##", 2), ("a$b", 2),
        ("a@b|", 4), ("a#|", 3), ("a@*", 2), ("a@b@c", 3), ("a@b<c=d>", 3),
        // Data forms.
        ("\\form[0]x\\", 8), ("\\[]\\", 2), ("\\@\\", 2), ("\\&\\", 2), ("\\{a\\", 3), ("\\{}\\", 2), ("\\", 1),
        ("\\form", 5), ("\\@a", 3), ("\\{a", 3), ("\\[0", 3), ("\\[0\\", 3), ("\\[-1]\\", 2), ("\\[a]\\", 2),
        ("\\\\x", 2),
        ("\\{a}{b}\\", 4), ("\\[0][1]\\", 4), ("\\**\\", 2), ("\\*a\\", 2), ("\\!a\\", 1), ("\\form@", 6), ("\\&", 2),
        ("\\ \\", 1), ("a\\@f\\|", 6),
    ]

    @Test func otherErrorsCoverTheMistake() {
        for (query, kind, range) in otherErrors {
            let first = ParsedQuery(parsing: query).diagnostics.first
            #expect(first?.kind == kind, "\(query)")
            #expect(first?.range == range, "\(query)")
        }
    }

    private let otherErrors: [(String, Diagnostic.Kind, SourceRange)] = [
        ("a@b/c", .misplacedExtraction, 1..<3), ("..@id", .misplacedExtraction, 2..<5),
        ("@id/", .misplacedExtraction, 0..<3),
        ("#/foo", .misplacedExtraction, 0..<1), ("a\\\\/b", .misplacedExtraction, 1..<3),
        ("a$/b", .misplacedExtraction, 1..<2),
        ("foo/@id/bar", .misplacedExtraction, 4..<7), ("..#", .misplacedExtraction, 2..<3),
        ("..$", .misplacedExtraction, 2..<3),
        ("..@@", .misplacedExtraction, 2..<4), ("..\\\\", .misplacedExtraction, 2..<4),
        ("/..@id", .misplacedExtraction, 3..<6),
        ("..@id|x", .misplacedExtraction, 2..<5), ("..@id/", .misplacedExtraction, 2..<5),
        // Incomplete ones, too, as far as they go.
        ("..@", .misplacedExtraction, 2..<3), ("/..@/a", .misplacedExtraction, 3..<4),
        ("..@<a=b>", .misplacedExtraction, 2..<3), ("a/..\\form", .misplacedExtraction, 4..<9),
        ("..\\a b\\|x", .misplacedExtraction, 2..<4), ("..@{}a", .misplacedExtraction, 2..<4),
        ("/@id/a", .misplacedExtraction, 1..<4),
        ("../@id/a", .misplacedExtraction, 3..<6), ("a@b|x/c", .misplacedExtraction, 1..<3),
        ("a@b|int/c", .misplacedExtraction, 1..<3),
        ("a@b|/c", .misplacedExtraction, 1..<3), ("a\\\\|int/b", .misplacedExtraction, 1..<3),
        ("a@@//b", .misplacedExtraction, 1..<3),
        ("a|int", .misplacedConversion, 1..<5), ("a|", .misplacedConversion, 1..<2),
        ("\\\\|int", .misplacedConversion, 2..<6),
        ("a|integer", .misplacedConversion, 1..<9), ("a|int/b", .misplacedConversion, 1..<5),
        ("..|int", .misplacedConversion, 2..<6),
        ("/<a=b>|int", .misplacedConversion, 6..<10), ("a@@|int", .misplacedConversion, 3..<7),
        ("\\&f\\|int", .misplacedConversion, 4..<8),
        ("a\\[0]\\|x", .misplacedConversion, 6..<8), ("a||", .misplacedConversion, 1..<3),
        ("a@b|int|uint", .unknownConversion, 4..<12), ("a@b|Int", .unknownConversion, 4..<7),
        ("a@b|int ", .unknownConversion, 4..<8),
        ("a@b||", .unknownConversion, 4..<5), ("\\@f\\|x", .unknownConversion, 5..<6),
        ("stra\u{DF}e@\u{F6}|integer", .unknownConversion, 11..<18),
        ("{urn:xmpp:mam:2}fin@count|integer", .unknownConversion, 26..<33),
    ]

    /// The suites know neither types of results nor `resultType`.
    @Test func theKindsAreThoseOfTheSuites() {
        #expect(
            Diagnostic.Kind.allCases.map(\.rawValue) == [
                "syntax", "unknownConversion", "misplacedConversion", "misplacedExtraction", "invalidRegex",
                "arguments", "regexLimit", "resultType",
            ]
        )
    }
}
