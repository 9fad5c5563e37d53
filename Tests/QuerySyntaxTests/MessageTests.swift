// Every problem has words, and those of the engine's problems say what they must.

import QuerySyntax
import Testing

struct MessageTests {
    private let specifier = FormatSpecifier(.decimal, flags: [.zeroPadded], width: 5, length: .long, range: 4..<8)

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

    @Test func problemsWithArgumentsNameTheSpecifier() {
        let missing = Diagnostic(.missingArgument(specifier: specifier), at: 4..<8)
        #expect(missing.kind == .arguments && missing.message == "no argument for '%05ld'")
        let mismatch = Diagnostic(.argumentMismatch(specifier: specifier, given: "the text 'one'"), at: 4..<8)
        #expect(mismatch.kind == .arguments && mismatch.message == "the text 'one' does not fit '%05ld'")
        #expect(mismatch.expectation == "expected a whole number")
        let many = Diagnostic(.tooManyArguments(expected: 1, given: 3), at: 0..<9)
        #expect(many.kind == .arguments && many.expectation == "expected 1, given 3")
        #expect(Diagnostic(.regexLimit, at: 0..<1).kind == .regexLimit)
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
