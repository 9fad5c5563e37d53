// Patterns that need no regular expression: literals, anchored or not, and alternations of literals.
//
// Works on the pattern's text alone: PCRE2 does not see a pattern that is reduced. Such a pattern is legal, because it
// holds only literals and the operators named here.

/// The simpler condition that replaces a regular expression. Its texts are parts of the pattern.
struct PatternReduction {
    typealias Text = Slice<UnsafeBufferPointer<UInt8>>

    /// `exists` for a pattern that every value matches.
    let condition: Step.Condition
    /// The text of `^text$`, `^text`, `text$` and `text`.
    let literal: Unescaped
    /// For `isOneOf`: the text before the group of `^text(a|b)$`, then those in the group.
    let list: List

    /// PCRE2 refuses long patterns, so it decides on them.
    static let maximumLength = 4096

    /// `nil` when the pattern has to be matched by PCRE2. For patterns that are compiled with the options of rule 3.7;
    /// all but `exists` only if case counts.
    init?(_ pattern: UnsafeBufferPointer<UInt8>) {
        guard pattern.count <= Self.maximumLength else { return nil }
        var rest = pattern[...]
        let isAnchoredAtStart = rest.first == UInt8(ascii: "^")
        if isAnchoredAtStart { rest.removeFirst() }
        let isAnything = rest.first == UInt8(ascii: ".") && [".*", ".*$"].contains { rest.elementsEqual($0.utf8) }
        list = List(rest: rest.dropLast(2))
        literal = Self.removeLiteral(from: &rest)
        let isAnchoredAtEnd = rest.last == UInt8(ascii: "$")
        if isAnchoredAtEnd { rest.removeLast() }
        switch (isAnchoredAtStart, isAnchoredAtEnd) {
        case _ where isAnything: condition = .exists
        case (true, true) where Self.isGroup(rest): condition = .isOneOf
        case _ where !rest.isEmpty: return nil
        case (true, true): condition = .equals
        case (true, false): condition = literal.text.isEmpty ? .exists : .hasPrefix
        case (false, true): condition = .hasSuffix
        case (false, false): condition = .contains
        }
    }

    /// Whether a text is `(a|b|c)` or `(?:a|b|c)` with literals.
    private static func isGroup(_ text: Text) -> Bool {
        guard text.count >= 2, text.first == UInt8(ascii: "("), text.last == UInt8(ascii: ")") else { return false }
        var rest = text.dropLast()
        repeat {
            removeMark(from: &rest)
            _ = removeLiteral(from: &rest)
        } while rest.first == UInt8(ascii: "|")
        return rest.isEmpty
    }

    /// Literals with a mark before each but the first.
    struct List: Sequence, IteratorProtocol {
        fileprivate var rest: Text?

        mutating func next() -> Unescaped? {
            guard var text = rest else { return nil }
            let literal = removeLiteral(from: &text)
            if text.isEmpty {
                rest = nil
            } else {
                removeMark(from: &text)
                rest = text
            }
            return literal
        }
    }

    /// Removes `(`, `(?:` or `|`.
    private static func removeMark(from text: inout Text) {
        let start = text.startIndex
        let isLong =
            text.count > 2 && text[start] == UInt8(ascii: "(") && text[start + 1] == UInt8(ascii: "?")
            && text[start + 2] == UInt8(ascii: ":")
        text.removeFirst(isLong ? 3 : 1)
    }

    /// Removes the text before the first operator.
    private static func removeLiteral(from text: inout Text) -> Unescaped {
        let end = endOfLiteral(text)
        defer { text = text[end...] }
        return Unescaped(text: UnsafeBufferPointer(rebasing: text[..<end]), escape: UInt8(ascii: "\\"))
    }

    private static func endOfLiteral(_ text: Text) -> Int {
        var end = text.startIndex
        while end < text.endIndex {
            if text[end] == UInt8(ascii: "\\") {
                // A backslash makes a punctuation character literal; before a letter or digit it is an operator.
                guard end + 1 < text.endIndex, text[end + 1].isASCIIPunctuation else { return end }
                end += 2
            } else {
                if text[end].isOperator { return end }
                end += 1
            }
        }
        return end
    }
}

extension UInt8 {
    fileprivate var isASCIIPunctuation: Bool {
        switch self {
        case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    fileprivate var isOperator: Bool {
        switch self {
        case 0, UInt8(ascii: "$"), UInt8(ascii: "(")...UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "?"),
            UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "{")...UInt8(ascii: "}"):
            true
        default: false
        }
    }
}
