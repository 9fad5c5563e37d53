// A text in several languages: the child elements of one name that differ in their `xml:lang`.

/// A text in one or several languages, as the bodies of a message have it (RFC 6121 §5.2.3).
///
/// ```swift
/// let greeting: LocalizedText = ["en": "Good morning", "de-CH": "Grüezi"]
/// let text = greeting.best(for: ["de-CH-1996", "en"])  // "Grüezi"
/// ```
///
/// The order is that of the elements. Two languages are the same if their tags differ at most in the case of ASCII
/// letters (RFC 5646 §2.1.1).
public struct LocalizedText: Sendable, Hashable {
    /// The text in one language.
    public struct Entry: Sendable, Hashable {
        /// The language's tag; `nil` if neither the element nor one around it has an `xml:lang`.
        public let language: String?
        /// The text, possibly empty.
        public var text: String
    }

    /// The texts in their order. No two of them have the same language.
    public private(set) var entries: [Entry] = []

    /// No text in any language.
    public init() {}

    /// A text in one language.
    public init(_ text: String, language: String? = nil) { entries = [Entry(language: language, text: text)] }

    /// The first text, whatever its language is; `nil` if there is none.
    public var first: String? { entries.first?.text }

    /// Whether it has zero texts.
    public var isEmpty: Bool { entries.isEmpty }

    /// The text in a language; `nil` is that of the element without a language. Assign `nil` to remove the text.
    ///
    /// - Complexity: O(number of languages).
    public subscript(language: String?) -> String? {
        get { index(of: language).map { entries[$0].text } }
        set {
            switch (index(of: language), newValue) {
            case (let index?, let text?): entries[index].text = text
            case (let index?, nil): entries.remove(at: index)
            case (nil, let text?): entries.append(Entry(language: language, text: text))
            case (nil, nil): break
            }
        }
    }

    /// Appends the text in a language that has none.
    mutating func append(_ text: String, _ language: String?) {
        entries.append(Entry(language: language, text: text))
    }

    /// The text for a reader: that of the first preferred language that has one, also under a shorter tag, as in the
    /// lookup of RFC 4647 §3.4; otherwise the first text.
    public func best(for preferred: [String]) -> String? {
        for language in preferred {
            var parts = language.split(separator: "-")
            while !parts.isEmpty {
                if let text = self[parts.joined(separator: "-")] { return text }
                parts.removeLast()
                // A subtag of one character introduces the next one, and means nothing alone.
                if parts.last?.count == 1 { parts.removeLast() }
            }
        }
        return first
    }

    private func index(of language: String?) -> Int? {
        entries.firstIndex { entry in
            switch (entry.language, language) {
            case (nil, nil): true
            case (let one?, let other?):
                one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).allSatisfy { $0.lowered == $1.lowered }
            default: false
            }
        }
    }
}

extension UInt8 {
    /// The byte, in lower case if it is an ASCII letter.
    var lowered: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }
}

extension LocalizedText: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) { self.init(text) }
}

extension LocalizedText: ExpressibleByDictionaryLiteral {
    /// The texts of a literal by language. Of two for one language, the last counts.
    public init(dictionaryLiteral texts: (String, String)...) {
        for (language, text) in texts { self[language] = text }
    }
}
