// Applies prefilters to the bytes of stanzas: whether a query can have a result on a stanza, before it is parsed.
//
// A filter may admit any stanza. It passes over only stanzas in which a literal of the prefilter has no spelling.

import QuerySyntax

/// The prefilters of queries that run together, for bytes of one format.
package struct StanzaFilter: Sendable {
    /// The form of stanzas in the bytes.
    package enum Format: Sendable {
        case xml
        /// JSON with XML in its strings, or XML.
        case json
    }

    private var filters: [LiteralFilter]
    /// No filter admits a stanza that ends here or earlier.
    private var nextPlace = 0

    /// A filter of stanzas that pass at least one of the prefilters; `nil` if any stanza does.
    package init?(_ prefilters: [QueryPrefilter], _ format: Format) {
        filters = prefilters.compactMap { LiteralFilter($0, format) }
        if filters.isEmpty || filters.count < prefilters.count { return nil }
    }

    /// Begins with other bytes.
    package mutating func begin() {
        for index in filters.indices { filters[index].begin() }
        nextPlace = 0
    }

    /// Whether a query may have a result on the stanza in a range of bytes.
    ///
    /// Between two calls of `begin`, the bytes are the same, and each range begins after the last one.
    package mutating func admits(_ range: Range<Int>, of bytes: UnsafeRawBufferPointer) -> Bool {
        // Most stanzas end before the next candidate.
        if range.upperBound <= nextPlace { return false }
        for index in filters.indices where filters[index].admits(range, of: bytes) { return true }
        nextPlace = filters.reduce(.max) { min($0, $1.nextPlace) }
        return false
    }
}

/// The prefilter of one query.
private struct LiteralFilter: Sendable {
    private struct Literal: Sendable {
        let search: LiteralSearch
        let isName: Bool
    }

    private let format: StanzaFilter.Format
    /// The rarest name, if there is one.
    private let first: Literal?
    /// The others: names first, the rarest before others.
    private let others: [Literal]
    private let escapes: EscapeSearch?
    private let ampersand = LiteralSearch("&".utf8)
    /// The next place of the first literal, and of an escape.
    private var nextName = NextPlace()
    private var nextEscape = NextPlace()

    /// A stanza that ends here or earlier is not admitted; -1 until a name was searched.
    var nextPlace: Int { escapes == nil ? nextName.place : min(nextName.place, nextEscape.place) }

    init?(_ prefilter: QueryPrefilter, _ format: StanzaFilter.Format) {
        self.format = format
        var literals: [Literal] = []
        for literal in prefilter.literals where format == .xml || literal.hasOneSpellingInJSON {
            literals.append(Literal(search: LiteralSearch(literal.text.utf8), isName: literal.isName))
        }
        if literals.isEmpty { return nil }
        let sorted = literals.stablySorted {
            $0.isName == $1.isName ? $0.search.rarity > $1.search.rarity : $0.isName
        }
        first = sorted.first.flatMap { $0.isName ? $0 : nil }
        others = Array(sorted.dropFirst(first == nil ? 0 : 1))
        escapes =
            format == .xml
            ? nil
            : EscapeSearch(
                of: literals.flatMap { literal in
                    literal.search.bytes + (literal.isName ? [] : [UInt8(ascii: "&")])
                })
    }

    mutating func begin() {
        nextName = NextPlace()
        nextEscape = NextPlace()
    }

    mutating func admits(_ range: Range<Int>, of bytes: UnsafeRawBufferPointer) -> Bool {
        if let escapes {
            let place = nextEscape.first(from: range.lowerBound) { escapes.next(in: bytes, from: $0) }
            // Any literal may be spelled with it.
            if place < range.upperBound { return true }
        }
        if let first {
            let format = format
            let place = nextName.first(from: range.lowerBound) { start in
                first.search.next(in: bytes, from: start, to: bytes.count) {
                    Self.isName(first.search, at: $0, of: bytes, format)
                }
            }
            if place >= range.upperBound { return false }
        }
        return others.allSatisfy { contains($0, range, of: bytes) }
    }

    private func contains(_ literal: Literal, _ range: Range<Int>, of bytes: UnsafeRawBufferPointer) -> Bool {
        let search = literal.search
        if literal.isName {
            return search.next(in: bytes, from: range.lowerBound, to: range.upperBound) {
                Self.isName(search, at: $0, of: bytes, format)
            } != nil
        }
        return search.next(in: bytes, from: range.lowerBound, to: range.upperBound) != nil
            || mayHaveReference(in: range, of: bytes)
    }

    /// Whether a text that was found can be a name of an element or an attribute, and not a part of another word.
    @inline(__always)
    private static func isName(
        _ search: LiteralSearch, at place: Int, of bytes: UnsafeRawBufferPointer, _ format: StanzaFilter.Format
    ) -> Bool {
        let end = place + search.bytes.count
        switch format {
        case .json:
            // Escapes such as `\n` and `\"` may be on both sides.
            return end == bytes.count || !bytes[end].isASCIIWord
        case .xml:
            guard place > 0, end < bytes.count else { return false }
            switch bytes[place - 1] {
            case UInt8(ascii: "<"), UInt8(ascii: "/"), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D: break
            default: return false
            }
            switch bytes[end] {
            case UInt8(ascii: "="), UInt8(ascii: "/"), UInt8(ascii: ">"), 0x20, 0x09, 0x0A, 0x0D: return true
            default: return false
            }
        }
    }

    /// Whether a `&` may be in a tag. After one in text, the next '<' precedes the next '>' of a tag.
    private func mayHaveReference(in range: Range<Int>, of bytes: UnsafeRawBufferPointer) -> Bool {
        // Most stanzas have none.
        guard let first = ampersand.next(in: bytes, from: range.lowerBound, to: range.upperBound) else { return false }
        if format == .json { return true }
        var isAfterReference = true
        for byte in UnsafeRawBufferPointer(rebasing: bytes[first..<range.upperBound]) {
            switch byte {
            case UInt8(ascii: "&"): isAfterReference = true
            case UInt8(ascii: "<"): isAfterReference = false
            case UInt8(ascii: ">"): if isAfterReference { return true }
            default: break
            }
        }
        return false
    }
}

/// The next place of something in bytes that are read in order, so that each byte is searched once.
private struct NextPlace: Sendable {
    private(set) var place = -1

    /// The first place from `start` on; `Int.max` for none.
    @inline(__always)
    mutating func first(from start: Int, _ find: (Int) -> Int?) -> Int {
        if place < start { place = find(start) ?? .max }
        return place
    }
}

/// Finds `\u` escapes of certain ASCII characters.
private struct EscapeSearch: Sendable {
    private let search = LiteralSearch("\\u00".utf8)
    private let characters: Set<UInt8>

    init(of characters: [UInt8]) {
        self.characters = Set(characters)
    }

    func next(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        search.next(in: bytes, from: start, to: bytes.count) { place in
            guard place + 6 <= bytes.count else { return false }
            let digits = bytes[place + 4..<place + 6].map { Character(Unicode.Scalar($0)).hexDigitValue }
            guard let high = digits[0], let low = digits[1] else { return false }
            return characters.contains(UInt8(high * 16 + low))
        }
    }
}

extension QueryPrefilter.Literal {
    /// Whether JSON spells it without escapes other than `\u` escapes of ASCII characters.
    fileprivate var hasOneSpellingInJSON: Bool {
        text.utf8.allSatisfy {
            $0 < 0x80 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: "/")
        }
    }
}

extension UInt8 {
    fileprivate var isASCIIWord: Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= self
    }
}
