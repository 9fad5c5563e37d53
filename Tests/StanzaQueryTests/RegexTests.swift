// Regular expressions: their options (3.7), each of their limits (3.8), and use from many threads.

import Foundation
import Testing

@testable import StanzaQuery

@Suite struct RegexTests {
    private func match(_ pattern: String, _ value: String, isCaseless: Bool = false) throws -> Regex.Outcome {
        let regex = try withBytes(pattern) { try Regex($0, isCaseless: isCaseless) }
        return withBytes(value) { regex.match($0) }
    }

    // MARK: Meaning (3.7)

    @Test func meaning() throws {
        let matching = [
            ("b", "abc"), ("^a.c$", "a\nc"), ("a.c", "a\r\nc".replacing("\r\n", with: "\n")), ("^.$", "é"),
            ("^.$", "😀"),
            ("^..$", "e\u{301}"), ("a$", "ba"), ("\\w", "a"), ("\\d", "7"), ("\\s", "\t"), ("\\x3e", ">"),
            ("^(*atomic:a+)b", "aab"), ("(?'n'a)\\k'n'", "aa"), ("(?i)É", "é"), ("[é]", "é"), ("\\x{1F600}", "😀"),
            ("^\\N+$", "a"), ("^\\R$", "\r\n"), ("^\\X$", "e\u{301}"), ("\\p{Lu}", "É"), ("(?s).", "\n"),
            ("^(?!.*x)", "abc"),
            ("(?<=a)b", "ab"), ("^(a|ab)(c|bcd)$", "abcd"), ("^(\\((?:[^()]|(?1))*\\))$", "(a(b)c)"), ("", ""),
            ("", "a"),
        ]
        for (pattern, value) in matching {
            #expect(try match(pattern, value) == .match, "\(pattern) on \(value.debugDescription)")
        }
        let failing = [
            ("B", "abc"), ("a$", "a\n"), ("^b", "a\nb"), ("^.$", "e\u{301}"), ("\\w", "é"), ("\\d", "٣"),
            ("\\s", "\u{A0}"),
            ("é", "e\u{301}"), ("\\bé", "é"), ("a", ""), ("(?-s)a.b", "a\nb"), ("[[:alpha:]]", "é"),
        ]
        for (pattern, value) in failing {
            #expect(try match(pattern, value) == .noMatch, "\(pattern) on \(value.debugDescription)")
        }
    }

    @Test func caselessMatching() throws {
        for (pattern, value) in [("abc", "xABCx"), ("É", "é"), ("k", "\u{212A}"), ("s", "ſ"), ("ß", "ẞ"), ("Σ", "ς")] {
            #expect(try match(pattern, value, isCaseless: true) == .match, "\(pattern) on \(value)")
            #expect(try match(pattern, value) == .noMatch, "\(pattern) on \(value)")
        }
        #expect(try match("ss", "ß", isCaseless: true) == .noMatch)
        #expect(try match("(?-i)a", "A", isCaseless: true) == .noMatch)
    }

    @Test func wholeLiterals() throws {
        func match(_ literal: String, _ value: String) throws -> Regex.Outcome {
            let regex = try withBytes(literal) { try Regex($0, syntax: .wholeLiteral, isCaseless: true) }
            #expect(regex.isAnchored)
            return withBytes(value) { regex.match($0) }
        }
        #expect(try match("a.*(", "A.*(") == .match)
        #expect(try match("a", "ab") == .noMatch)
        #expect(try match("a", "ba") == .noMatch)
        #expect(try match("a", "A\n") == .noMatch)
        #expect(try match("", "") == .match)
        #expect(try match("", "a") == .noMatch)
        #expect(try match("\\Qa", "\\qA") == .match)
        let long = String(repeating: "x", count: 20_000)
        #expect(try match(long, long.uppercased()) == .match)
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

    @Test func limitsSetInThePatternCannotRaiseThem() throws {
        let value = String(repeating: "a", count: 60)
        #expect(try match("(*LIMIT_MATCH=4000000000)^(a+)+$", value + "b") == .limit)
    }

    @Test func anchoring() throws {
        func isAnchored(_ pattern: String) throws -> Bool { try withBytes(pattern) { try Regex($0).isAnchored } }
        for pattern in ["^a", "\\Aa", "^(a|b)", ".*", "^a|^b", "(?:^a)", "^"] {
            #expect(try isAnchored(pattern), "\(pattern)")
        }
        for pattern in ["a", "a$", "^a|b", "$", "[a]", "(a)|b"] { #expect(try !isAnchored(pattern), "\(pattern)") }
    }

    // MARK: Limits (3.8)

    @Test func theMatchLimit() throws {
        let value = String(repeating: "a", count: 40) + "b"
        for pattern in ["^(a+)+$", "^(a|aa)+$", "^(a*)*$", "(a+)+$", "^(?:a?){40}a{40}$"] {
            let outcome = try match(pattern, value)
            #expect(outcome == .limit || pattern.hasPrefix("^(?:a?)"), "\(pattern)")
        }
    }

    @Test func theHeapLimit() throws {
        // What JIT does on its stack, the interpreter does on the heap.
        let value = String(repeating: "ab", count: 2_000_000)
        #expect(try match("^(?:(a)|b)*c", value) == .limit)
    }

    @Test func runawaysEndSoon() throws {
        let clock = ContinuousClock()
        for pattern in ["^(a+)+$", "(a+)+$", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*)*\\d", "(a|a)*c"] {
            let value = String(repeating: pattern.contains("x+") ? "x" : "a", count: 4000)
            let duration = try clock.measure { _ = try match(pattern, value + "!") }
            #expect(duration < .seconds(5), "\(pattern) took \(duration)")
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

    @Test func longValuesInQueries() throws {
        let value = String(repeating: "a", count: 4097)
        let root = try MutableElement("r", attributes: ["k": value, "j": "1"])
        // Literals that stand for patterns that are not anchored have the limit, too.
        for pattern in ["a", "b", "a$", "$", "[a]"] {
            let error = queryError(pattern) { _ = try root.check(Query("/<j=1><k~\(pattern)>")) }
            #expect(error?.kind == .regexLimit, "\(pattern)")
            #expect(error?.range == 9..<(9 + pattern.utf8.count), "\(pattern)")
        }
        for pattern in ["^a", "^.*$", "^a+$", ".*", "^", "^(a+|b)$"] {
            #expect(try root.check(Query("/<k~\(pattern)>")), "\(pattern)")
        }
        for pattern in ["^a$", "^b", "^(a|b)$"] { #expect(try !root.check(Query("/<k~\(pattern)>")), "\(pattern)") }
        #expect(try root.check(Query("/<k=\(value.uppercased())>", options: .caseInsensitiveFilters)))
        #expect(try root.check(Query("/<k=%@>", options: .caseInsensitiveFilters), value.uppercased()))
        let error = queryError { _ = try root.check(Query("/<k~a>", options: .caseInsensitiveFilters)) }
        #expect(error?.kind == .regexLimit)
    }

    /// A long value takes more than JIT's 32 KiB of stack, and no more than the interpreter may have.
    @Test func jitStackIsNoLimit() throws {
        for count in [1_000, 5_000, 20_000] {
            let value = String(repeating: "ab", count: count)
            #expect(try match("^(?:(a)|(b))*$", value) == .match, "\(count)")
            #expect(try match("^(?:(a)|(b))*$", value + "\n") == .noMatch, "\(count)")
            // What follows a big match works as before.
            #expect(try match("^[a]", "a") == .match)
        }
    }

    @Test func errorsOfTheLimit() throws {
        let root = try element("<r><a k='\(String(repeating: "a", count: 60))!'/></r>")
        let error = try #require(queryError { _ = try root.find("a<k~^(a+)+$>") })
        #expect(error.kind == .regexLimit)
        #expect(error.range == 4..<11)
        #expect(queryError { _ = try root.check("a<k~^(a+)+$>") }?.kind == .regexLimit)
        #expect(queryError { _ = try root.findFirst("a<k~^(a+)+$>") }?.kind == .regexLimit)
    }

    // MARK: Threads

    @Test func manyThreadsAtOnce() async throws {
        let query = try Query("a<k~^[a-z]+([0-9]+)$>@k")
        let runaway = try Query("a<k~^(x+)+$>")
        let root = try element(
            "<r>" + (0..<50).map { "<a k='v\($0)'/><a k='V\($0)'/>" }.joined()
                + "<a k='\(String(repeating: "x", count: 60))!'/></r>")
        let expected = (0..<50).map { "v\($0)" }
        let failures = await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var failures = 0
                    for round in 0..<60 {
                        let found = (try? root.find(query).compactMap(\.string)) ?? []
                        if found != expected { failures += 1 }
                        if (task + round) % 20 == 0 {
                            do {
                                _ = try root.find(runaway)
                                failures += 1
                            } catch {
                                if (error as? QueryError)?.kind != .regexLimit { failures += 1 }
                            }
                        }
                    }
                    return failures
                }
            }
            return await group.reduce(0, +)
        }
        #expect(failures == 0)
    }
}
