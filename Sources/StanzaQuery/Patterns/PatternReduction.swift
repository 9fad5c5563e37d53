// Patterns that need no regular expression: literals, anchored or not, and alternations of literals.
//
// Works on the pattern's text alone. The compiler still gives every pattern to PCRE2, which decides on errors and
// anchoring. A reduction only replaces the matching.

/// The simpler test that replaces a regular expression.
enum PatternReduction: Equatable {
    /// Every value matches: `^.*$`, `.*`.
    case anything
    /// `^a$`
    case equals([UInt8])
    /// `^(a|b)$`
    case oneOf([[UInt8]])
    /// `^a`
    case prefix([UInt8])
    /// `a$`
    case suffix([UInt8])
    /// `a`
    case contains([UInt8])

    /// `nil` when the pattern has to be matched by PCRE2. For patterns that are compiled with the options of rule 3.7;
    /// all but `anything` only if case counts.
    init?(_ pattern: some Collection<UInt8>) {
        var body = Array(pattern)[...]
        let isAnchoredAtStart = body.first == UInt8(ascii: "^")
        if isAnchoredAtStart { body.removeFirst() }
        if body.elementsEqual(".*".utf8) || body.elementsEqual(".*$".utf8) {
            self = .anything
            return
        }
        let isAnchoredAtEnd = body.last == UInt8(ascii: "$") && !Self.isEscaped(body, at: body.endIndex - 1)
        if isAnchoredAtEnd { body.removeLast() }
        if isAnchoredAtStart, isAnchoredAtEnd, let alternatives = Self.alternatives(body) {
            self = .oneOf(alternatives)
            return
        }
        guard let literal = Self.literal(body) else { return nil }
        switch (isAnchoredAtStart, isAnchoredAtEnd) {
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
            guard let literal = literal(part) else { return nil }
            literals.append(literal)
        }
        return literals
    }

    /// The literal text of a pattern without operators.
    private static func literal(_ pattern: ArraySlice<UInt8>) -> [UInt8]? {
        var literal: [UInt8] = []
        var rest = pattern
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\") {
                // A backslash makes a punctuation character literal; before a letter or digit it is an operator.
                guard let escaped = rest.popFirst(), escaped.isASCIIPunctuation else { return nil }
                literal.append(escaped)
            } else if operators.contains(byte) {
                return nil
            } else {
                literal.append(byte)
            }
        }
        return literal
    }

    /// Whether an odd number of backslashes precedes that place.
    private static func isEscaped(_ pattern: ArraySlice<UInt8>, at position: Int) -> Bool {
        let backslashes = pattern[..<position].reversed().prefix { $0 == UInt8(ascii: "\\") }.count
        return !backslashes.isMultiple(of: 2)
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
