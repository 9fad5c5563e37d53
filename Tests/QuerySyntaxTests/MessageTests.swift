// Every problem has a text, and the texts of the engine's problems have the required content. EveryProblemTests, in the
// engine's tests, checks that queries reach each of them.

import QuerySyntax
import TestSupport
import Testing

struct MessageTests {
    private let specifier = FormatSpecifier(.decimal, flags: [.zeroPadded], width: 5, length: "l", range: 4..<8)

    @Test func anUnclosedGroupMayHaveMetAnAngleBracket() {
        for message in ["missing closing parenthesis", "syntax error in subpattern name (missing terminator?)"] {
            let diagnostic = Diagnostic(.invalidRegex(message: message, offset: 2), at: 4..<6)
            #expect(diagnostic.kind == .invalidRegex)
            #expect(diagnostic.message.contains(message) && diagnostic.message.contains("offset 2"))
            for hint in ["'>' ends", "\\x3e", "(*atomic:…)", "(?'n'…)"] {
                #expect(diagnostic.expectation?.contains(hint) == true, "\(hint)")
            }
        }
        let other = Diagnostic(
            .invalidRegex(message: "quantifier does not follow a repeatable item", offset: 0), at: 4..<6)
        #expect(other.expectation == nil)
    }

    @Test func aPatternWithTooManyLevelsHasARepair() {
        let diagnostic = Diagnostic(
            .invalidRegex(message: "parentheses are too deeply nested", offset: 251), at: 4..<600)
        #expect(diagnostic.expectation == "expected fewer parentheses inside each other")
    }

    @Test func problemsWithArgumentsNameTheSpecifier() {
        let missing = Diagnostic(.missingArgument(specifier: specifier), at: 4..<8)
        #expect(missing.kind == .arguments && missing.message == "no argument for '%05ld'")
        let mismatch = Diagnostic(.argumentMismatch(specifier: specifier, given: "the text 'one'"), at: 4..<8)
        #expect(mismatch.kind == .arguments && mismatch.message == "the text 'one' does not fit '%05ld'")
        #expect(mismatch.expectation == "expected a whole number from -9223372036854775808 to 18446744073709551615")
        let unsigned = FormatSpecifier(.hexadecimal, range: 4..<6)
        #expect(
            Diagnostic(.argumentMismatch(specifier: unsigned, given: "x"), at: 4..<6).expectation
                == "expected a whole number from 0 to 18446744073709551615")
        let many = Diagnostic(.tooManyArguments(expected: 1, given: 3), at: 0..<9)
        #expect(many.kind == .arguments && many.expectation == "expected 1, given 3")
        #expect(Diagnostic(.regexLimit, at: 0..<1).kind == .regexLimit)
    }

    @Test func everyProblemOfTheParserNamesTheMistakeAndTheRepair() {
        for (query, message, hint) in [
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
        ] {
            let first = ParsedQuery(parsing: query).diagnostics.first
            #expect(first?.message == message, "\(query)")
            #expect(first?.expectation?.contains(hint) == true, "\(query): \(first?.expectation ?? "nothing")")
        }
    }

    @Test func everySpecifierNamesItsArguments() {
        for conversion in FormatSpecifier.Conversion.allCases {
            let specifier = FormatSpecifier(conversion, precision: 0, range: 0..<4)
            let diagnostic = Diagnostic(.argumentMismatch(specifier: specifier, given: "x"), at: specifier.range)
            #expect(diagnostic.message == "x does not fit '%.0\(conversion.rawValue)'")
            #expect(diagnostic.expectation?.hasPrefix("expected ") == true)
        }
    }

    @Test func everyMessageIsOneLine() {
        var random = SeededGenerator(salt: 31)
        for _ in 0..<3_000 {
            for diagnostic in ParsedQuery(parsing: RandomText.make(upTo: 12, using: &random)).diagnostics {
                let text = diagnostic.message + (diagnostic.expectation ?? "")
                #expect(!text.unicodeScalars.contains { $0.value < 0x20 }, "\(diagnostic.problem)")
                #expect(!diagnostic.message.isEmpty)
            }
        }
    }

    @Test func descriptionsHaveThePlace() {
        #expect("\(Diagnostic(.loneSlash, at: 1..<1))" == "1..<1: nothing follows the '/'")
    }
}
