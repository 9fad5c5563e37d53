// Answers queries about a stanza's own name and attributes from its first tag, several times faster than a parser.
//
// It reads only plain tags, and leaves the others to the parser:
//
// - Only white space precedes the tag.
// - Names are ASCII and have at most 14 bytes. They begin with a letter or '_', and have no prefix, except `xml:lang`.
// - '=' and a quote follow an attribute's name. Values are printable ASCII without '<' and '&'.
// - No two attributes may have the same name. No tag declares a prefix, or a namespace of the W3C as the default.
//
// Neither references nor normalization change the values of such a tag, and no declaration changes its names. So the
// answer for a well-formed stanza within all limits is that of the parser. Nothing reads the rest of the stanza.

import QueryTools

/// A query that first tags answer. A class: all readers share one.
final class FirstTag: Sendable {
    enum Answer: Equatable {
        /// Only the parser knows.
        case unknown
        case noResult
        /// The place of the attribute's value; empty if the stanza itself is the result.
        case result(Range<Int>)
    }

    private struct Condition: Sendable {
        let attribute: TagName
        let value: [UInt8]?
    }

    /// Whether results are lines of text, and not only counted.
    let printsResults: Bool
    private let name: TagName?
    private let conditions: [Condition]
    private let result: TagName?
    private let language = TagName("xml:lang")
    private let declaration = TagName("xmlns")
    /// The beginning of the namespaces that cannot be the default one.
    private let reserved = TagName("http://www.w3.org/")
    /// The marks of the names to compare. Few other names have one of them.
    private let wanted: UInt64

    /// - Parameter printsResults: Leaves values to the parser that a line of text escapes.
    init(_ query: TagQuery, printsResults: Bool) {
        self.printsResults = printsResults
        name = query.name.map { TagName($0) }
        conditions = query.conditions.map { condition in
            Condition(attribute: TagName(condition.attribute), value: condition.value.map { Array($0.utf8) })
        }
        result = query.result.map { TagName($0) }
        wanted = conditions.reduce(declaration.mark | (result?.mark ?? 0)) { $0 | $1.attribute.mark }
    }

    /// Answers the query for a stanza.
    ///
    /// - Parameters:
    ///   - range: The stanza, with the white space before it. It ends with '>'.
    ///   - bytes: They include `TagBytes.lookahead` bytes after the stanza.
    @inline(__always)
    func answer(for range: Range<Int>, of bytes: UnsafeRawBufferPointer) -> Answer {
        // In malformed input, the tag that ends one stanza can end the next one, too.
        if range.isEmpty { return .unknown }
        let tag = TagBytes(bytes, range)
        var place = tag.skipSpace(range.lowerBound)
        guard tag[place] == UInt8(ascii: "<"), let (own, ownEnd) = tag.name(at: place + 1) else { return .unknown }
        place = ownEnd
        var seen: UInt64 = 0
        var conditionsMet = 0
        var found: Range<Int>?
        while true {
            let space = place
            place = tag.skipSpace(place)
            if tag[place] == UInt8(ascii: ">") { break }
            if tag[place] == UInt8(ascii: "/") {
                guard tag[place + 1] == UInt8(ascii: ">"), place + 2 == range.upperBound else { return .unknown }
                break
            }
            guard place > space, let (name, nameEnd) = attributeName(tag, at: place),
                let value = tag.value(at: nameEnd + 1)
            else { return .unknown }
            place = value.upperBound + 1
            // The same name has the same mark.
            let mark = name.mark
            if seen & mark != 0 { return .unknown }
            seen |= mark
            if mark & wanted == 0 { continue }
            if name == declaration, value.count >= TagName.length, tag.beginning(at: value.lowerBound) == reserved {
                return .unknown
            }
            if name == result { found = value }
            for condition in conditions where name == condition.attribute {
                if condition.value.map({ tag.has($0, at: value) }) ?? true { conditionsMet += 1 }
            }
        }
        if let name, name != own { return .noResult }
        if conditionsMet < conditions.count { return .noResult }
        if result == nil { return .result(0..<0) }
        guard let found else { return .noResult }
        return printsResults && tag.hasEscape(found) ? .unknown : .result(found)
    }

    /// The name of an attribute, and the place of the '=' after it.
    @inline(__always)
    private func attributeName(_ tag: TagBytes, at place: Int) -> (TagName, end: Int)? {
        guard var (name, end) = tag.name(at: place) else { return nil }
        if tag[end] == UInt8(ascii: ":") {
            name = tag.beginning(at: place, length: 8)
            if name != language { return nil }
            end = place + 8
        }
        return tag[end] == UInt8(ascii: "=") ? (name, end) : nil
    }
}
