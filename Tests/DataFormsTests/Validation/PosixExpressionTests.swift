// POSIX extended regular expressions: matches, rejected patterns, and bounded time.

import StanzaPatterns
import TestSupport
import Testing

@testable import DataForms

@Suite struct PosixExpressionTests {
    private func outcome(_ pattern: String, _ value: String) throws -> StanzaPatterns.Regex.Outcome {
        let regex = try StanzaPatterns.Regex.validating(pattern)
        return Array(value.utf8).withUnsafeBufferPointer { regex.match($0) }
    }

    /// Patterns, each with matching texts and other texts.
    private static let examples: [(String, [String], [String])] = [
        ("([0-9]{3})-([0-9]{2})-([0-9]{4})", ["123-12-1234"], ["123-12-12345", "x123-12-1234", "123-12-1234\n", ""]),
        ("a|ab", ["a", "ab"], ["abb", ""]), ("(a|ab)(c|bcd)", ["abcd", "ac", "abc"], ["abcdc"]), ("", [""], ["a"]),
        ("()", [""], ["a"]),
        ("a*b+c?", ["b", "aabbc"], ["a", "ac"]), ("a{2}", ["aa"], ["a", "aaa"]), ("a{2,}", ["aaaa"], ["a"]),
        ("a{1,2}", ["a", "aa"], ["", "aaa"]), ("a{0}", [""], ["a"]), ("a\\{,2}", ["a{,2}"], ["aa"]),
        ("[{,2}]", ["{", ","], ["a"]), ("a{b}", ["a{b}"], ["ab"]),
        ("a{b", ["a{b"], ["ab"]), ("}", ["}"], []),
        (".", ["a", "é", "😀", "\n"], ["", "ab", "e\u{301}"]), ("^a$", ["a"], ["ba"]), ("a^b", [], ["ab", "a^b"]),
        ("\\.\\*\\(", [".*("], ["a"]), ("a\\n\\r\\t\\\\", ["a\n\r\t\\"], ["anrt\\"]), ("\\é\\]", ["é]"], ["\\"]),
        ("\\d\\w\\s\\D\\W\\S", ["1é a!b"], ["aaaaaa"]),
        ("[abc]", ["a", "c"], ["d", ""]), ("[^abc]", ["d", "\n"], ["a"]), ("[a-c]", ["b"], ["-", "d"]),
        ("[a-]", ["a", "-"], ["b"]),
        ("[-a]", ["-"], ["b"]), ("[]a]", ["]", "a"], ["b"]), ("[^]a]", ["b"], ["]"]), ("[a^]", ["^"], ["b"]),
        ("[\\d]", ["\\", "d"], ["1"]),
        ("[\\]", ["\\"], []), ("[[:digit:]_]", ["5", "_"], ["a", ":"]), ("[[:alpha:]]", ["a", "é"], ["1"]),
        ("[^[:space:]]", ["a"], [" "]),
        ("[[.-.]a]", ["-", "a"], ["."]), ("[[=a=]b]", ["a", "b"], ["="]), ("[[.a.]-c]", ["b"], ["d"]),
        ("[[]", ["["], ["]"]), ("[a[]", ["["], []),
        ("[*.]", ["*", "."], ["a"]), ("[+--]", ["+", ",", "-"], ["."]), ("[%--]", ["&", "-"], ["."]),
        ("[а-я]+", ["привет"], ["hello"]),
        ("#x y", ["#x y"], ["xy"]), ("a/b~c`d'e\"f,g:h;i<j>k=l!m@n&o_p", ["a/b~c`d'e\"f,g:h;i<j>k=l!m@n&o_p"], []),
    ]

    @Test func meaning() throws {
        for (pattern, matching, failing) in Self.examples {
            for value in matching { #expect(try outcome(pattern, value) == .match, "\(pattern) on \(value)") }
            for value in failing { #expect(try outcome(pattern, value) != .match, "\(pattern) on \(value)") }
        }
    }

    @Test func refusals() {
        let ambiguous =
            "'{' before a comma or a space means different things to different programs: write '{0,' for a repetition, "
            + "or '\\{' for the character"
        let examples: [(String, String)] = [
            ("(", "a '(' is not closed"), (")", "a ')' closes nothing"), ("a)", "a ')' closes nothing"),
            ("[", "a '[' is not closed"),
            ("[]", "a '[' is not closed"), ("[a-", "a '[' is not closed"),
            ("*a", "'*' has nothing to repeat"), ("a**", "'*' has nothing to repeat"),
            ("a+?", "'?' has nothing to repeat"), ("a++", "'+' has nothing to repeat"),
            ("(?:a)", "'?' has nothing to repeat"), ("(*UTF)", "'*' has nothing to repeat"),
            ("|*", "'*' has nothing to repeat"), ("^*", "'*' has nothing to repeat"),
            ("a{,2}", ambiguous), ("a{,}", ambiguous), ("a{ 1}", ambiguous), ("a{ ,2}", ambiguous),
            ("a{\t2}", ambiguous),
            ("a{1 ,2}", "a '{' is not closed"), ("a{1, 2}", "a repetition is a number up to 1023"),
            ("{1}", "'{' has nothing to repeat"), ("a{2,1}", "the bounds {2,1} are reversed"),
            ("a{1", "a '{' is not closed"), ("a{1,x}", "a repetition is a number up to 1023"),
            ("a{1024}", "a repetition is a number up to 1023"),
            ("a{99999999999999999999}", "a repetition is a number up to 1023"),
            ("[c-a]", "the range c-a is reversed"), ("[[:nope:]]", "unknown character class '[:nope:]'"),
            ("[[:alpha]]", "unknown character class '[:alpha:]'"),
            ("[[.ab.]]", "only single characters are allowed between '[.' and '.]'"),
            ("[a-[:digit:]]", "only single characters are allowed between '[:' and ':]'"),
            ("a\\", "a backslash at the end escapes nothing"),
            ("\\a", "'\\a' means different things to different programs: write 'a' for the letter"),
            ("\\Q.\\E", "'\\Q' means different things"), ("\\bword\\b", "'\\b' means different things"),
            ("(a)\\1", "'\\1' means different things to different programs: write the group again"),
            (String(repeating: "(", count: 33), "groups are nested more than 32 deep"),
            (String(repeating: "a", count: 1025), "it is longer than 1024 bytes"),
        ]
        for (pattern, message) in examples {
            do throws(PosixExpression.Fault) {
                _ = try StanzaPatterns.Regex.validating(pattern)
                Issue.record("\(pattern) was compiled")
            } catch {
                #expect(error.message.hasPrefix(message), "\(pattern): \(error.message)")
            }
        }
    }

    /// Exponential patterns end at a limit. Repeated repetitions grow without bound; PCRE2 decides on them.
    @Test func runawaysEndSoon() throws {
        let value = String(repeating: "a", count: 4000) + "!"
        for pattern in ["(a+)+", "(a|a)*", "(a*)*b", "((a+)+)+c", "(.*)*x"] {
            #expect(try outcome(pattern, value) != .match, "\(pattern)")
        }
        let huge = (0..<6).reduce("a") { pattern, _ in "(\(pattern)){1000}" }
        #expect(throws: PosixExpression.Fault.self) { try StanzaPatterns.Regex.validating(huge) }
        // The limits suffice for usual patterns.
        #expect(try outcome("[a!]*", value) == .match)
        #expect(try outcome("([a-z]+!?)*", value) == .match)
    }
}
