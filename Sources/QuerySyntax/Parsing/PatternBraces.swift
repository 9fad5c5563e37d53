// Braces in regular expressions that versions of PCRE2 read differently (3.7).
//
// Since 10.43, `{,3}` is the repetition `{0,3}`, and spaces and tabs are allowed at the ends of braces and around a
// comma. Older versions read such a repetition as text, and refuse such an escape. In quoted text, classes, comments,
// callouts and names of verbs, braces have no such meaning.

/// The braces of a pattern in the spelling that all versions read alike.
struct PatternBraces {
    /// Braces with another spelling.
    struct Finding {
        enum Mistake {
            case repetition
            /// A repetition beyond `mostRepetitions`.
            case tooManyRepetitions
            /// Spaces in the braces of an escape.
            case escape
        }

        let mistake: Mistake
        /// In UTF-8 offsets of the pattern.
        let range: Range<Int>
    }

    private let pattern: [UInt8]
    private var position = 0
    /// The first braces with another spelling; `nil` if there are none.
    private(set) var first: Finding?
    /// The pattern up to the position, with the right spelling.
    private var rewritten: [UInt8] = []
    /// Whether no spelling is right for some braces: their bounds are too large or reversed.
    private var isWrong = false
    /// Whether '#' begins a comment here (`(?x)`), and after the end of each open group.
    private var isExtended = false
    private var outer: [Bool] = []

    /// The greatest bound that PCRE2 accepts.
    static let mostRepetitions = 65_535

    /// The pattern with the right spelling; `nil` if there is none.
    var repaired: [UInt8]? { isWrong ? nil : rewritten }

    init(_ pattern: [UInt8]) {
        self.pattern = pattern
        while let byte = next {
            switch byte {
            case .backslash: takeEscape()
            case .openBracket: takeClass()
            case .openBrace: takeRepetition()
            case UInt8(ascii: "("): takeParenthesis()
            case UInt8(ascii: ")"):
                isExtended = outer.popLast() ?? isExtended
                take(1)
            case UInt8(ascii: "#") where isExtended: take(through: "\n")
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
        rewritten += pattern[position..<end]
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
        if isCodePoint || "xopPgk".utf8.contains(letter) { replaceBraces(around: content, with: Array(text), .escape) }
    }

    /// Takes the beginning of a group, or all of options, a comment or a verb.
    private mutating func takeParenthesis() {
        if isNext("(?#") || isVerb { return take(through: ")") }
        let before = isExtended
        if isNext("(?C") {
            takeCallout()
        } else {
            take(1)
            guard isNext("?") else { return outer.append(before) }
            let options = pattern[(position + 1)...].prefix { Self.isLetter($0) || "^-".utf8.contains($0) }
            let end = pattern[options.endIndex...].first
            if let end, ":)".utf8.contains(end) { setOptions(options) }
            // Options without a group apply up to the end of the group around them.
            if end == UInt8(ascii: ")") { return take(options.count + 2) }
        }
        outer.append(before)
    }

    /// Whether a verb is next, such as `(*MARK:name)`; `(*atomic:…)` is a group.
    private var isVerb: Bool {
        guard isNext("(*"), position + 2 < pattern.count else { return false }
        return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(pattern[position + 2]) || isNext("(*:")
    }

    private mutating func setOptions(_ letters: ArraySlice<UInt8>) {
        var isSet = true
        for letter in letters {
            switch letter {
            case UInt8(ascii: "^"): isExtended = false
            case UInt8(ascii: "-"): isSet = false
            case UInt8(ascii: "x"): isExtended = isSet
            default: break
            }
        }
    }

    /// Takes a callout up to the end of its text. A doubled delimiter is a part of the text.
    private mutating func takeCallout() {
        take(3)
        guard let delimiter = next, "`'\"^%#${".utf8.contains(delimiter) else { return }
        take(1)
        let end = delimiter == .openBrace ? .closeBrace : delimiter
        while let byte = next {
            take(1)
            if byte == end {
                if next != end { return }
                take(1)
            }
        }
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
        return pattern[(position + 2)...].drop { Self.isLetter($0) || $0 == UInt8(ascii: "^") }.starts(with: ":]".utf8)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
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
        let new = (least.isEmpty ? [.zero] : Array(least)) + most
        let numbers = bounds.filter { !$0.isEmpty }.map { Int(String(decoding: $0, as: UTF8.self)) ?? .max }
        let isTooMuch = numbers.contains { $0 > Self.mostRepetitions }
        // Without a change, PCRE2 reports such bounds.
        if !content.elementsEqual(new), isTooMuch || numbers.count == 2 && numbers[0] > numbers[1] { isWrong = true }
        replaceBraces(around: content, with: new, isTooMuch ? .tooManyRepetitions : .repetition)
    }

    /// The bytes between the next brace and its end. No braces and escapes are among them, so that scanning is linear.
    private var content: ArraySlice<UInt8>? {
        let content = pattern[(position + 1)...].prefix { ![.openBrace, .closeBrace, .backslash].contains($0) }
        return pattern[content.endIndex...].first == .closeBrace ? content : nil
    }

    private mutating func replaceBraces(
        around content: ArraySlice<UInt8>, with new: [UInt8], _ mistake: Finding.Mistake
    ) {
        let range = position..<(content.endIndex + 1)
        if first == nil, !content.elementsEqual(new) { first = Finding(mistake: mistake, range: range) }
        rewritten += [.openBrace] + new + [.closeBrace]
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
