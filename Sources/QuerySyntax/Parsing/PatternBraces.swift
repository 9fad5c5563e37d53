// Braces in regular expressions that versions of PCRE2 read differently (3.7).
//
// Since 10.43, `{,3}` is the repetition `{0,3}`, and spaces and tabs are allowed at the ends of braces and around a
// comma. Older versions read such a repetition as text, and refuse such an escape.

/// The braces of a pattern in the spelling that all versions read alike.
struct PatternBraces {
    private let pattern: [UInt8]
    private var position = 0
    /// The first braces with another spelling, in UTF-8 offsets of the pattern; `nil` if there are none.
    private(set) var first: Range<Int>?
    /// The pattern up to the position, with the right spelling.
    private(set) var repaired: [UInt8] = []

    init(_ pattern: ArraySlice<UInt8>) {
        self.pattern = Array(pattern)
        guard pattern.contains(.openBrace) else { return }
        while let byte = next {
            switch byte {
            case .backslash: takeEscape()
            case .openBracket: takeClass()
            case .openBrace: takeRepetition()
            case UInt8(ascii: "(") where isNext("(?#"): take(through: ")")
            default: take(1)
            }
        }
    }

    private var next: UInt8? { position < pattern.count ? pattern[position] : nil }

    private func isNext(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { pattern[position...].starts(with: $0) }
    }

    private mutating func take(_ count: Int) {
        let end = min(position + count, pattern.count)
        repaired += pattern[position..<end]
        position = end
    }

    /// Takes bytes up to the end of a text, or of the pattern.
    private mutating func take(through end: StaticString) {
        while next != nil, !isNext(end) { take(1) }
        take(end.utf8CodeUnitCount)
    }

    /// Takes a backslash and all that belongs to it.
    private mutating func takeEscape() {
        if isNext("\\Q") { return take(through: "\\E") }
        if isNext("\\c") { return take(3) }
        let letter = pattern[position...].dropFirst().first
        take(2)
        guard let letter, next == .openBrace, let content else { return }
        let text = content.trimmingBlanks
        // `\N` alone is a character, which can be repeated.
        let isCodePoint = letter == UInt8(ascii: "N") && text.starts(with: "U+".utf8)
        if isCodePoint || "xopPgk".utf8.contains(letter) { replaceBraces(around: content, with: Array(text)) }
    }

    /// Takes a class of characters, in which braces are text.
    private mutating func takeClass() {
        take(isNext("[^") ? 2 : 1)
        if next == .closeBracket { take(1) }
        while let byte = next, byte != .closeBracket {
            if byte == .backslash {
                takeEscape()
            } else if isNamedClass {
                take(through: ":]")
            } else {
                take(1)
            }
        }
        take(1)
    }

    /// Whether a class of POSIX is next, such as `[:alpha:]`. Any other bracket in a class is text.
    private var isNamedClass: Bool {
        guard isNext("[:") else { return false }
        let isLetter = { (byte: UInt8) in (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }
        return pattern[(position + 2)...].drop { isLetter($0) || $0 == UInt8(ascii: "^") }.starts(with: ":]".utf8)
    }

    /// Takes a brace, with the repetition that it begins.
    private mutating func takeRepetition() {
        guard let content else { return take(1) }
        let bounds = content.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map(\.trimmingBlanks)
        let isRepetition =
            bounds.count <= 2 && bounds.contains { !$0.isEmpty }
            && bounds.allSatisfy { $0.allSatisfy { (.zero ... .nine).contains($0) } }
        guard isRepetition, let least = bounds.first else { return take(1) }
        let most = bounds.count == 2 ? [UInt8(ascii: ",")] + bounds[1] : []
        replaceBraces(around: content, with: (least.isEmpty ? [.zero] : Array(least)) + most)
    }

    /// The bytes between the next brace and its end. No braces and escapes are among them, so that scanning is linear.
    private var content: ArraySlice<UInt8>? {
        let content = pattern[(position + 1)...].prefix { ![.openBrace, .closeBrace, .backslash].contains($0) }
        return pattern[content.endIndex...].first == .closeBrace ? content : nil
    }

    private mutating func replaceBraces(around content: ArraySlice<UInt8>, with new: [UInt8]) {
        let range = position..<(content.endIndex + 1)
        if first == nil, !content.elementsEqual(new) { first = range }
        repaired += [.openBrace] + new + [.closeBrace]
        position = range.upperBound
    }
}

extension ArraySlice<UInt8> {
    /// Without spaces and tabs at the ends.
    fileprivate var trimmingBlanks: ArraySlice<UInt8> {
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        guard let start = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return []
        }
        return self[start...last]
    }
}
