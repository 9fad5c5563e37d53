// Patterns that need no regular expression: literals, anchored or not, and alternations of literals.
//
// Works on the pattern's text alone: PCRE2 does not see a pattern that is reduced. Such a pattern is legal, because it
// holds only literals and the operators named here.

/// The simpler test that replaces a regular expression.
enum PatternReduction: Equatable {
    /// Every value matches: `^.*$`, `.*`.
    case anything
    /// `^a$`
    case equals([UInt8])
    /// `^(a|b)$`, `^prefix(a|b)$`
    case oneOf([[UInt8]])
    /// `^a`
    case prefix([UInt8])
    /// `a$`
    case suffix([UInt8])
    /// `a`
    case contains([UInt8])

    /// PCRE2 refuses long patterns, so it decides on them.
    static let maximumLength = 4096

    /// `nil` when the pattern has to be matched by PCRE2. For patterns that are compiled with the options of rule 3.7;
    /// all but `anything` only if case counts.
    init?(_ pattern: some Collection<UInt8>) {
        guard pattern.count <= Self.maximumLength else { return nil }
        var body = Array(pattern)[...]
        let isAnchoredAtStart = body.first == UInt8(ascii: "^")
        if isAnchoredAtStart { body.removeFirst() }
        if body.elementsEqual(".*".utf8) || body.elementsEqual(".*$".utf8) {
            self = .anything
            return
        }
        let literal = Self.removeLiteral(from: &body)
        let isAnchoredAtEnd = body.last == UInt8(ascii: "$")
        if isAnchoredAtEnd { body.removeLast() }
        switch (isAnchoredAtStart, isAnchoredAtEnd) {
        case (true, true) where !body.isEmpty:
            guard let alternatives = Self.alternatives(body) else { return nil }
            self = .oneOf(alternatives.map { literal + $0 })
        case _ where !body.isEmpty: return nil
        case (true, true): self = .equals(literal)
        case (true, false): self = literal.isEmpty ? .anything : .prefix(literal)
        case (false, true): self = .suffix(literal)
        case (false, false): self = .contains(literal)
        }
    }

    /// The literals of `(a|b|c)` or `(?:a|b|c)`.
    private static func alternatives(_ group: ArraySlice<UInt8>) -> [[UInt8]]? {
        guard group.count >= 2, group.first == UInt8(ascii: "("), group.last == UInt8(ascii: ")") else { return nil }
        var body = group.dropFirst().dropLast()
        if body.starts(with: "?:".utf8) { body = body.dropFirst(2) }
        var literals: [[UInt8]] = []
        for part in body.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false) {
            var rest = part
            literals.append(removeLiteral(from: &rest))
            if !rest.isEmpty { return nil }
        }
        return literals
    }

    /// Removes the text before the first operator.
    private static func removeLiteral(from pattern: inout ArraySlice<UInt8>) -> [UInt8] {
        var literal: [UInt8] = []
        while let byte = pattern.first {
            if byte == UInt8(ascii: "\\") {
                // A backslash makes a punctuation character literal; before a letter or digit it is an operator.
                guard let escaped = pattern.dropFirst().first, escaped.isASCIIPunctuation else { break }
                literal.append(escaped)
                pattern.removeFirst(2)
            } else if operators.contains(byte) {
                break
            } else {
                literal.append(byte)
                pattern.removeFirst()
            }
        }
        return literal
    }

    private static let operators = Array("^$.[]|()?*+{}\0".utf8)
}

extension UInt8 {
    fileprivate var isASCIIPunctuation: Bool {
        switch self {
        case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }
}
