// Regular expressions: their options (language rule 3.7) and each of their limits (3.8).

import TestSupport
import Testing

@testable import StanzaPatterns

@Suite struct RegexTests {
    private func match(_ pattern: String, _ value: String, isCaseless: Bool = false) throws -> Regex.Outcome {
        let regex = try withBytes(pattern) { try Regex($0, isCaseless: isCaseless) }
        return withBytes(value) { regex.match($0) }
    }

    // MARK: Meaning (3.7)

    /// The suites have the meaning of patterns. This is what depends on options.
    @Test(arguments: [
        ("b", "abc", true), ("B", "abc", false), ("^a.c$", "a\nc", true), ("^.$", "é", true),
        ("^.$", "e\u{301}", false),
        ("a$", "a\n", false), ("^b", "a\nb", false), ("\\w", "é", false), ("\\d", "٣", false), ("\\s", "\u{A0}", false),
        ("\\bé", "é", false), ("[[:alpha:]]", "é", false), ("(?-s)a.b", "a\nb", false), ("(?i)É", "é", true),
        ("\\x{1F600}", "😀", true), ("^\\R$", "\r\n", true), ("\\p{Lu}", "É", true), ("", "", true), ("", "a", true),
        ("a", "", false), ("^(\\((?:[^()]|(?1))*\\))$", "(a(b)c)", true),
    ])
    func meaning(pattern: String, value: String, isMatch: Bool) throws {
        #expect(try match(pattern, value) == (isMatch ? .match : .noMatch))
    }

    @Test func caselessMatching() throws {
        for (pattern, value) in [("abc", "xABCx"), ("É", "é"), ("k", "\u{212A}"), ("s", "ſ"), ("ß", "ẞ"), ("Σ", "ς")] {
            #expect(try match(pattern, value, isCaseless: true) == .match, "\(pattern) on \(value)")
            #expect(try match(pattern, value) == .noMatch, "\(pattern) on \(value)")
        }
        #expect(try match("ss", "ß", isCaseless: true) == .noMatch)
        #expect(try match("(?-i)a", "A", isCaseless: true) == .noMatch)
    }

    @Test func refusedPatterns() throws {
        let patterns: [(String, Int)] = [
            ("(", 1), ("[", 1), ("a)", 1), ("*", 0), ("\\C", 2), ("(?<n", 4), ("(?>a", 4), ("\\", 1), ("(*UCP)a", 6),
            ("\\k'x'", 5),
            ("(?P<a>.)(?P<a>.)", 13), ("a{2,1}", 6), ("\\x{110000}", 9), ("\\p{Nothing}", 11), ("(?<=a+)b", 0),
        ]
        for (pattern, offset) in patterns {
            do {
                _ = try withBytes(pattern) { try Regex($0) }
                Issue.record("\(pattern) was compiled")
            } catch let error as Regex.CompileError {
                #expect(!error.message.isEmpty, "\(pattern)")
                #expect(error.offset <= pattern.utf8.count, "\(pattern)")
                // Versions of PCRE2 differ by a character or so.
                #expect(abs(error.offset - offset) <= 2, "\(pattern): \(error)")
            }
        }
    }

    @Test func anchoring() throws {
        func isAnchored(_ pattern: String) throws -> Bool { try withBytes(pattern) { try Regex($0).isAnchored } }
        for pattern in ["^a", "\\Aa", "^(a|b)", ".*", "^a|^b", "(?:^a)", "^"] {
            #expect(try isAnchored(pattern), "\(pattern)")
        }
        for pattern in ["a", "a$", "^a|b", "$", "[a]", "(a)|b"] { #expect(try !isAnchored(pattern), "\(pattern)") }
    }

    // MARK: Limits (3.8)

    /// Limits set in the pattern cannot raise them.
    @Test(arguments: [
        "^(a+)+$", "^(a|aa)+$", "^(a*)*$", "(a+)+$", "(*LIMIT_MATCH=4000000000)^(a+)+$", "^(([a-z])+.)+[A-Z]([a-z])+$",
        "^(a|a)*[cd]", "^(.*)*\\d",
    ])
    func theMatchLimit(pattern: String) throws {
        var outcome = Regex.Outcome.match
        let time = try processorTime { outcome = try match(pattern, String(repeating: "a", count: 4_000) + "!") }
        #expect(outcome == .limit && time < 5)
    }

    @Test func theHeapLimit() throws {
        // The interpreter uses the heap where JIT uses its stack.
        let value = String(repeating: "ab", count: 2_000_000)
        #expect(try match("^(?:(a)|b)*c", value) == .limit)
        // Few enough steps for the other limit.
        #expect(RegexLimits.heapKiB == 65_536)
        let regex = try withBytes("^(?:(a)|b)*c") { try Regex($0, isCompiledFurther: false) }
        let (noMatch, heapLimit) = (Int32(-1), Int32(-63))
        #expect(withBytes(String(value.prefix(60_000))) { regex.result(on: $0) } == noMatch)
        #expect(withBytes(String(value.prefix(450_000))) { regex.result(on: $0) } == heapLimit)
        #expect(withBytes(String(value.prefix(450_000))) { regex.match($0) } == .limit)
    }

    /// The interpreter returns the memory of a long value to the system. Machine code uses little memory.
    @Test func theInterpretersMemoryIsNotKept() throws {
        let interpreted = try withBytes("^(?:(a)|b)*c") { try Regex($0, isCompiledFurther: false) }
        let compiled = try withBytes("^(?:(a)|b)*c") { try Regex($0) }
        #expect(withBytes("abc") { compiled.match($0) } == .match)
        for (result, isKept) in [(Int32(1), true), (-1, true), (-47, false), (-63, false)] {
            for length in [0, RegexLimits.keptValue] {
                #expect(interpreted.keepsScratch(of: length, false, result) == isKept)
                #expect(!interpreted.keepsScratch(of: length, true, result))
            }
            #expect(!interpreted.keepsScratch(of: RegexLimits.keptValue + 1, false, result))
            let hasMachineCode = compiled.machineCodeSize > 0
            #expect(compiled.keepsScratch(of: 1 << 20, false, result) == (isKept && hasMachineCode))
        }
    }

    /// As on systems that refuse it, and for patterns that ask for none.
    @Test func matchesAreTheSameWithoutMachineCode() throws {
        for (pattern, value) in [("^(?:(a)|b)*c", "ababc"), ("^(a+)+$", "aaab"), ("é.$", "née"), ("(?i)É", "xé")] {
            let compiled = try withBytes(pattern) { try Regex($0) }
            let expected = withBytes(value) { compiled.match($0) }
            let interpreted = try withBytes(pattern) { try Regex($0, isCompiledFurther: false) }
            let refusing = try withBytes("(*NO_JIT)" + pattern) { try Regex($0) }
            for regex in [interpreted, refusing] {
                #expect(withBytes(value) { regex.match($0) } == expected, "\(pattern) on \(value)")
                #expect(regex.machineCodeSize == 0)
                #expect(!regex.keepsScratch(of: RegexLimits.keptValue + 1, false, 1), "\(pattern)")
            }
        }
    }

    @Test func longValuesOfUnanchoredPatterns() throws {
        let limit = RegexLimits.unanchoredValue
        #expect(limit == 4096)
        let longest = String(repeating: "a", count: limit)
        for pattern in ["[a]", "b$|a$", "a[^b]", "\\w"] {
            #expect(try match(pattern, longest) == .match, "\(pattern)")
            #expect(try match(pattern, longest + "a") == .limit, "\(pattern)")
            // Bytes count, not characters.
            #expect(try match(pattern, String(repeating: "é", count: limit / 2) + "a") == .limit, "\(pattern)")
        }
        for pattern in ["^[a]", "^.*b?$", ".*a", "\\A\\w"] {
            #expect(try match(pattern, longest + "a") == .match, "\(pattern)")
        }
        #expect(try match("^[b]", longest + "a") == .noMatch)
    }

    /// A long value takes more than JIT's 32 KiB of stack, and no more than the interpreter may have.
    @Test func jitStackIsNotALimit() throws {
        for count in [1_000, 5_000, 20_000] {
            let value = String(repeating: "ab", count: count)
            #expect(try match("^(?:(a)|(b))*$", value) == .match, "\(count)")
            #expect(try match("^(?:(a)|(b))*$", value + "\n") == .noMatch, "\(count)")
            // A match after a big one works as before.
            #expect(try match("^[a]", "a") == .match)
        }
    }
}
