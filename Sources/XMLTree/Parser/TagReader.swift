// Finds tags by the lexical rules of XML 1.0 that need no memory (§2.3 to §2.7, §3.1), without reading names:
// `TagFinder` the end of a tag that arrives in pieces, `TagReader` each tag in turn. Sections.swift finds other markup.
// Commands split their input with it.

/// Looks for the end of a start or end tag. It reads each byte once.
struct TagFinder {
    let isEndTag: Bool
    /// The quote that ends the open value; 0 outside of values.
    private(set) var quote: UInt8 = 0

    /// Continues from `start` to `end`. Returns the index of the tag's last '>', or of a '<' or quote that breaks it.
    mutating func find(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        var index = start
        while true {
            if quote != 0 {
                index = Scan.find(view, index, end, quote, .lessThan, .lessThan, .lessThan)
                if index == end { return nil }
                if view[index] == .lessThan { return index }
                quote = 0
                index += 1
            }
            index = Scan.find(view, index, end, .greaterThan, .lessThan, UInt8(ascii: "'"), UInt8(ascii: "\""))
            if index == end { return nil }
            if view[index] == .greaterThan || view[index] == .lessThan || isEndTag { return index }
            quote = view[index]
            index += 1
        }
    }
}

extension UInt8 {
    static let lessThan = UInt8(ascii: "<")
    static let greaterThan = UInt8(ascii: ">")
    static let ampersand = UInt8(ascii: "&")
    static let lineFeed = UInt8(ascii: "\n")

    var isQuote: Bool { self == UInt8(ascii: "'") || self == UInt8(ascii: "\"") }

    /// Whether markup that begins with '<' and this byte is not a tag.
    var isMarkupMark: Bool { self == UInt8(ascii: "!") || self == UInt8(ascii: "?") }
}

/// Finds the markup of bytes that grow. It examines each byte once.
package struct TagReader {
    package enum Markup {
        case tag(Range<Int>, isEnd: Bool, isEmpty: Bool)
        /// The beginning of a section, which the reader then passes.
        case section(Section, at: Int)
        /// The input is not well-formed here: a tag with a '<' or a misplaced quote, or other markup.
        case broken(at: Int)
    }

    /// The index at which to continue.
    package var place = 0
    /// The tag at `place` does not end before this index.
    private var known = 0
    private var finder: TagFinder?
    private var section: Section?

    package init() {}

    /// Whether no tag and no section is open at `place`.
    package var isOutside: Bool { finder == nil && section == nil }

    /// Returns the next markup that is complete, or begins a section; `nil` if that needs more bytes.
    package mutating func next(_ view: ByteView, _ end: Int) -> Markup? {
        if let progress = section?.pass(view, place, end) {
            switch progress {
            case .stopped(let stop):
                place = stop
                return nil
            case .ended(let end):
                section = nil
                place = end
            case .wrong(_, let mistake): return broken(at: mistake)
            }
        }
        place = Scan.find(view, place, end, .lessThan, .lessThan, .lessThan, .lessThan)
        if place + 1 >= end { return nil }
        let start = place
        if view[start + 1].isMarkupMark {
            switch Section.beginning(view, start, end) {
            case .section(let open, let content):
                (section, place) = (open, content)
                return .section(open, at: start)
            case .incomplete: return nil
            case .unknown: return broken(at: start)
            }
        }
        var tag = finder ?? TagFinder(isEndTag: view[start + 1] == UInt8(ascii: "/"))
        guard let last = tag.find(view, max(known, start + 1), end) else {
            finder = tag
            known = end
            return nil
        }
        finder = nil
        if view[last] != .greaterThan { return broken(at: start) }
        place = last + 1
        return .tag(start..<place, isEnd: tag.isEndTag, isEmpty: view[last - 1] == UInt8(ascii: "/"))
    }

    private mutating func broken(at index: Int) -> Markup {
        section = nil
        place = index + 1
        return .broken(at: index)
    }

    /// The first bytes were dropped.
    package mutating func moveBack(by number: Int) {
        place -= min(number, place)
        known -= min(number, known)
    }
}
