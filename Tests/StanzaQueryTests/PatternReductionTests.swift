// Which patterns need no regular expression, and that the comparisons in their place agree with PCRE2.

import QueryTools
import StanzaPatterns
import TestSupport
import Testing

@testable import StanzaQuery

@Suite struct PatternReductionTests {
    /// The comparison of a filter with a pattern; `nil` for a regular expression.
    private static func reduced(_ pattern: String) -> String? {
        guard let query = try? Query("/<k~\(pattern)>" as String) else { return nil }
        let instruction = QueryStatistics(of: query).steps[0].instruction
        return instruction.hasPrefix("filter k ~ /") ? nil : String(instruction.dropFirst("filter k ".count))
    }

    @Test(arguments: [
        (".*", "exists"), ("^.*", "exists"), (".*$", "exists"), ("^.*$", "exists"), ("^", "exists"),
        ("^$", #"= """#), ("^é名 a$", #"= "é名 a""#), ("^a\\.b$", #"= "a.b""#), ("^\\$$", #"= "$""#),
        ("^a-b/c:d#e&f,g$", #"= "a-b/c:d#e&f,g""#), ("^\\^", #"begins with "^""#), ("^a\\$", #"begins with "a$""#),
        ("a$", #"ends with "a""#), ("$", #"ends with """#), ("a\\$", #"contains "a$""#), ("a\\|b", #"contains "a|b""#),
        ("^(a|b|c)$", #"= "a" | "b" | "c""#), ("^s-(?:in|out)$", #"= "s-in" | "s-out""#),
        ("^\\((?:a|)$", #"= "(a" | "(""#), ("^(a\\|b)$", #"= "a|b""#), ("^(a)$", #"= "a""#), ("^(|a)$", #"= "" | "a""#),
        ("^()$", #"= """#), ("^(?:)$", #"= """#), ("^(a\\.b|c\\)d)$", #"= "a.b" | "c)d""#),
    ])
    func reducedPatterns(pattern: String, comparison: String) { #expect(Self.reduced(pattern) == comparison) }

    /// A few of them could be reduced; the test requires only that none is reduced wrongly.
    @Test(arguments: [
        "a.b", "[ab]", "a*", "a+", "a?", "a{2}", "a|b", "^a|b$", "(a|b)", "^(a|b)", "(a|b)$", "^(a|b)c$", "^(a|(b))$",
        "a(b|c)$", "^a(b|c)", "^a(b|c)d$", "^a(b|c)\\)$", "^a(b)(c)$", "^a\\(b|c)$", "^a.(b|c)$", "^(?i)a$", "^(?i:a)$",
        "^(?=a)$", "^(?!a)$", "^(?'n'a)$", "^(?#c)a$", "(*UTF)a", "^(a|b*)$", "\\d", "\\w$", "^\\s", "\\x3e",
        "\\Qa.b\\E", "^\\Aa\\z$", "\\n", "^^a", "a$$", "$a", "a^", "^(a|b)(c|d)$", "^.$", "..*", "^.*a$", "^.*.*$",
        "\\é", "a\0b", "\\", "^(a", "a)",
    ])
    func patternsForPCRE2(pattern: String) { #expect(Self.reduced(pattern) == nil) }

    /// The longest forms of all kinds are legal. The error of longer ones is PCRE2's.
    @Test func longPatternsAreForPCRE2() throws {
        let limit = PatternReduction.maximumLength
        for piece in ["a", "\\.", "\u{FFFF}", "|"] {
            let text = String(repeating: piece, count: (limit - 4) / piece.utf8.count)
            let pattern = piece == "|" ? "^(\(text))$" : "^\(text)$"
            #expect(Self.reduced(pattern) != nil)
            _ = try Regex.compiled(pattern)
        }
        #expect(Self.reduced(String(repeating: "a", count: limit + 1)) == nil)
        #expect(
            queryError { _ = try Query("/<k~\(String(repeating: "a", count: 100_000))>" as String) }?.kind
                == .invalidRegex)
    }

    /// The list that a query compares with needs a longer prefix for its length than the texts in it.
    @Test(arguments: [31, 32, 127, 128, 1_000]) func listsOfAnyLength(count: Int) throws {
        let (text, long) = (String(repeating: "a", count: count), String(repeating: "é", count: count))
        let query = try Query(String("/<k~^x(\(text)|\\.|\(long)|)$>"))
        for value in ["x" + text, "x.", "x" + long, "x"] { #expect(try element("<r k='\(value)'/>").check(query)) }
        for value in ["", text, "x" + text + "a", "x\\.", "x|"] {
            #expect(try !element("<r k='\(value)'/>").check(query))
        }
    }

    private static let literalPieces = [
        "a", "b", "c", "é", "e\u{301}", "名", "-", "/", ":", "#", " ", "\n", "\\.", "\\$", "\\^", "\\|", "\\(", "\\)",
        "\\\\", "\\-",
        "\\[", "\\]", "\\{", "\\}", "\\*", "\\+", "\\?", "\\#", "\\/", "\\ ", "\\<", "\\_", "\\@", "_", "&", ",", "<",
        "]", "}", "\\\"",
    ]
    private static let operatorPieces = [
        "^", "$", ".*", ".", "|", "(", ")", "(?:", "*", "[", "\\", "?", "{", "\\d", "\\Q", "\\E", "(?i)", "\\b", "a{2}",
    ]

    /// A pattern that is nearly always of a kind that could be reduced.
    private func pattern(_ random: inout SeededGenerator) -> String {
        func literal(_ random: inout SeededGenerator) -> String {
            (0..<Int.random(in: 0...3, using: &random)).map { _ in
                random.chance(4) ? random.pick(Self.operatorPieces) : random.pick(Self.literalPieces)
            }
            .joined()
        }
        var body = literal(&random)
        if random.chance(35) {
            let alternatives = (0..<Int.random(in: 1...3, using: &random)).map { _ in literal(&random) }
            body = random.pick(["(", "(?:"]) + alternatives.joined(separator: "|") + ")"
        }
        return (random.chance(60) ? "^" : "") + body + (random.chance(60) ? "$" : "")
    }

    /// A value near the pattern: its literal characters, with some change.
    private func value(_ pattern: String, _ random: inout SeededGenerator) -> String {
        var scalars = Array(pattern.unicodeScalars).filter {
            !"\\^$()?:".unicodeScalars.contains($0) || random.chance(30)
        }
        if random.chance(50), let bar = scalars.firstIndex(of: "|") {
            scalars = Array(random.chance(50) ? scalars[..<bar] : scalars[(bar + 1)...])
        }
        if random.chance(30) { scalars.insert(random.pick(["a", "\n", "é", "$"]), at: 0) }
        if random.chance(30) { scalars.append(random.pick(["a", "\n", "é", "\u{301}", "$"])) }
        if random.chance(10), !scalars.isEmpty { scalars.removeLast() }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Filters with reduced patterns, long values included.
    @Test func filtersAgreeWithPCRE2() throws {
        let total = SeededGenerator.cases(default: 6_000)
        var found = 0
        for salt in 0..<total {
            var random = SeededGenerator(salt: UInt64(salt) &+ 0xF00D)
            let pattern = pattern(&random).replacing(">", with: "\\x3e")
            guard !pattern.isEmpty, let query = try? Query(String("/<k~\(pattern)>")) else { continue }
            let regex = try withBytes(pattern) { try Regex($0) }
            var value = value(pattern, &random)
            if random.chance(20) { value += String(repeating: "a", count: 4096) }
            let element = MutableElement("r", attributes: ["k": value])
            let expected = withBytes(value) { regex.match($0) }
            let note: Comment = "\(pattern.debugDescription) on \(value.debugDescription), seed \(SeededGenerator.seed)"
            do {
                let isThere = try element.check(query)
                #expect(isThere == (expected == .match) && expected != .limit, note)
                if isThere { found += 1 }
            } catch {
                #expect(expected == .limit && error.kind == .regexLimit, note)
            }
        }
        #expect(found * 10 > total, "\(found) of \(total) filters held")
    }

    /// Equality that ignores case folds as patterns do, as far as PCRE2's tables go.
    @Test func caseFoldsAsInPatterns() throws {
        let unassigned = try Regex.compiled("^\\p{Cn}$", isCompiledFurther: false)
        func matches(_ regex: Regex, _ text: String) -> Bool { text.withBytes { regex.match($0) } == .match }
        var compared = 0
        for scalar in (0x80...0x1FFFF).lazy.compactMap(Unicode.Scalar.init) where scalar.properties.isCased {
            let one = String(scalar)
            if matches(unassigned, one) { continue }
            let pattern = "^\\x{\(String(scalar.value, radix: 16))}$"
            let regex = try Regex.compiled(pattern, isCaseless: true, isCompiledFurther: false)
            let properties = scalar.properties
            let mappings = [properties.uppercaseMapping, properties.lowercaseMapping, properties.titlecaseMapping]
            let others = mappings.filter { $0.unicodeScalars.count == 1 && !matches(unassigned, $0) }
            for other in others + ["i", "I", "k", "s", "\u{390}", "\u{3B0}", "\u{FB06}"] {
                let areEqual = one.withBytes { one in other.withBytes { CaselessComparison.areEqual(one, $0) } }
                // Newer versions of Unicode have these pairs, too.
                if !["\u{1FD3}", "\u{1FE3}", "\u{FB05}"].contains(one) {
                    #expect(areEqual == matches(regex, other), "\(one) and \(other)")
                }
                compared += 1
            }
        }
        #expect(compared > 10_000)
    }
}
