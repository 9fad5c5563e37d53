// Which patterns need no regular expression, and that the comparisons in their place agree with PCRE2.

import StanzaPatterns
import TestSupport
import Testing

@testable import StanzaQuery

@Suite struct PatternReductionTests {
    private static func reduced(_ pattern: String) -> (condition: Step.Condition, texts: [[UInt8]])? {
        withBytes(pattern) { pattern in
            PatternReduction(pattern).map { reduction in
                let list = reduction.list.map(bytes)
                return switch reduction.condition {
                case .exists: (.exists, [])
                case .isOneOf: (.isOneOf, list.dropFirst().map { list[0] + $0 })
                case let condition: (condition, [bytes(reduction.literal)])
                }
            }
        }
    }

    private static func bytes(_ text: Unescaped) -> [UInt8] {
        var bytes: [UInt8] = []
        text.forEach { bytes.append($0) }
        return bytes
    }

    @Test func reducedPatterns() {
        let table: [(String, Step.Condition, [String])] = [
            (".*", .exists, []), ("^.*", .exists, []), (".*$", .exists, []), ("^.*$", .exists, []), ("^", .exists, []),
            ("^a$", .equals, ["a"]), ("^$", .equals, [""]), ("^a b$", .equals, ["a b"]),
            ("^é名$", .equals, ["é名"]), ("^a\\.b$", .equals, ["a.b"]),
            ("^\\\\$", .equals, ["\\"]), ("^\\$$", .equals, ["$"]),
            ("^a-b/c:d#e&f,g$", .equals, ["a-b/c:d#e&f,g"]), ("^urn:xmpp:mam:2$", .equals, ["urn:xmpp:mam:2"]),
            ("^a", .hasPrefix, ["a"]), ("^\\^", .hasPrefix, ["^"]), ("^a\\$", .hasPrefix, ["a$"]),
            ("a$", .hasSuffix, ["a"]), ("$", .hasSuffix, [""]), ("\\\\$", .hasSuffix, ["\\"]),
            ("a", .contains, ["a"]), ("a\\$", .contains, ["a$"]), ("a\\|b", .contains, ["a|b"]),
            ("^(a|b|c)$", .isOneOf, ["a", "b", "c"]), ("^(?:a|b)$", .isOneOf, ["a", "b"]),
            ("^session-(initiate|accept)$", .isOneOf, ["session-initiate", "session-accept"]),
            ("^\\((?:a|)$", .isOneOf, ["(a", "("]), ("^(a\\|b)$", .isOneOf, ["a|b"]),
            ("^(a)$", .isOneOf, ["a"]), ("^(|a)$", .isOneOf, ["", "a"]), ("^()$", .isOneOf, [""]),
            ("^(?:)$", .isOneOf, [""]), ("^(a\\.b|c\\)d)$", .isOneOf, ["a.b", "c)d"]),
        ]
        for (pattern, condition, texts) in table {
            let reduced = Self.reduced(pattern)
            #expect(reduced?.condition == condition && reduced?.texts == texts.map { Array($0.utf8) }, "\(pattern)")
        }
    }

    @Test func patternsForPCRE2() {
        let patterns = [
            "a.b", "[ab]", "a*", "a+", "a?", "a{2}", "a|b", "^a|b$", "(a|b)", "^(a|b)", "(a|b)$", "^(a|b)c$",
            "^(a|(b))$", "a(b|c)$", "^a(b|c)", "^a(b|c)d$", "^a(b|c)\\)$", "^a(b)(c)$", "^a\\(b|c)$", "^a.(b|c)$",
            "^(?i)a$", "^(?i:a)$", "^(?=a)$", "^(?!a)$", "^(?>a)$", "^(?'n'a)$", "^(?#c)a$", "(*UTF)a", "^(a|b*)$",
            "\\d", "\\w$", "^\\s", "\\x3e", "\\Qa.b\\E", "^\\Aa\\z$", "\\n", "^^a", "a$$", "$a", "a^", "^(a|b)(c|d)$",
            "^.$", "..*", "^.*a$", "^.*.*$", "\\é", "a\0b", "\\", "^(a", "a)",
        ]
        for pattern in patterns {
            // The compiler could reduce a few of them; the test requires only that it reduces none wrongly.
            if let reduced = Self.reduced(pattern) { Issue.record("\(pattern) became \(reduced)") }
        }
    }

    @Test func longPatternsAreForPCRE2() throws {
        let limit = PatternReduction.maximumLength
        // The longest forms of all kinds are legal.
        for piece in ["a", "\\.", "\u{FFFF}", "|"] {
            let text = String(repeating: piece, count: (limit - 4) / piece.utf8.count)
            let pattern = piece == "|" ? "^(\(text))$" : "^\(text)$"
            #expect(Self.reduced(pattern) != nil)
            _ = try Regex.compiled(pattern)
        }
        #expect(Self.reduced(String(repeating: "a", count: limit + 1)) == nil)
        // Its error is PCRE2's.
        let error = queryError { _ = try Query(String("/<k~\(String(repeating: "a", count: 100_000))>")) }
        #expect(error?.kind == .invalidRegex)
    }

    /// The list that a query compares with needs a longer prefix for its length than the texts in it.
    @Test(arguments: [30, 31, 32, 33, 127, 128, 1_000]) func listsOfAnyLength(count: Int) throws {
        let (text, long) = (String(repeating: "a", count: count), String(repeating: "é", count: count))
        let query = try Query(String("/<k~^x(\(text)|\\.|\(long)|)$>"))
        for value in ["x" + text, "x.", "x" + long, "x"] { #expect(try element("<r k='\(value)'/>").check(query)) }
        for value in ["", text, "x" + text + "a", "x\\.", "x|"] {
            #expect(try !element("<r k='\(value)'/>").check(query))
        }
    }

    @Test func everythingMatchesAnchored() throws {
        for pattern in [".*", "^.*", ".*$", "^.*$", "^"] {
            #expect(Self.reduced(pattern)?.condition == .exists)
            #expect(try Regex.compiled(pattern).isAnchored && Regex.compiled(pattern, isCaseless: true).isAnchored)
        }
    }

    /// Tests a value with a reduction in the plainest way.
    private static func matches(_ reduced: (condition: Step.Condition, texts: [[UInt8]]), _ value: [UInt8]) -> Bool {
        reduced.condition == .exists
            || reduced.texts.contains { text in
                switch reduced.condition {
                case .equals, .isOneOf: value == text
                case .hasPrefix: value.starts(with: text)
                case .hasSuffix: value.reversed().starts(with: text.reversed())
                case .contains: text.isEmpty || value.indices.contains { value[$0...].starts(with: text) }
                case .exists, .matches: false
                }
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

    @Test func reductionsAgreeWithPCRE2() throws {
        var reduced = 0
        var matched = 0
        let total = SeededGenerator.cases(default: 20_000)
        for salt in 0..<total {
            var random = SeededGenerator(salt: UInt64(salt) &+ 0xBEEF)
            let pattern = pattern(&random)
            guard let reduction = Self.reduced(pattern), let regex = try? withBytes(pattern, { try Regex($0) })
            else { continue }
            reduced += 1
            for _ in 0..<4 {
                let value = value(pattern, &random)
                let expected = withBytes(value) { regex.match($0) }
                if expected == .match { matched += 1 }
                #expect(
                    Self.matches(reduction, Array(value.utf8)) == (expected == .match),
                    "\(pattern.debugDescription) on \(value.debugDescription), case \(salt), seed \(SeededGenerator.seed)"
                )
            }
        }
        #expect(reduced * 3 > total, "\(reduced) patterns of \(total) were reduced")
        #expect(matched * 5 > reduced * 4, "\(matched) of \(reduced * 4) values matched")
    }

    /// The same through whole queries: filters with reduced patterns, long values included.
    @Test func filtersAgreeWithPCRE2() throws {
        let total = SeededGenerator.cases(default: 20_000) / 10
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
            let note = Comment(rawValue: "\(pattern.debugDescription) on \(value.debugDescription)")
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
