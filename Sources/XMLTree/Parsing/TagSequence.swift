// Finds one tag after another in input without reading it, for programs that cut input into pieces or show where
// elements are. It uses the tokenizer's rules: Parser/TagFinder.swift for tags, Parser/Sections.swift for other markup.
//
// Input that is not well-formed may give any tags, so parse the pieces.

/// The tags of an input that arrives in pieces, in order. Each byte is examined once.
package struct TagSequence: ~Copyable {
    /// A tag, and its place in the input.
    package enum Tag: Equatable {
        case start(Range<Int>, isEmpty: Bool)
        case end(Range<Int>)
        /// The input is not well-formed here: a tag with a '<' or a misplaced quote, or other markup.
        case broken(at: Int)
    }

    private var input = ByteBuffer(capacity: 1024)
    /// The offset at which `input` begins.
    private var base = 0
    /// The index in `input` at which to continue.
    private var place = 0
    /// The tag at `place` does not end before this index.
    private var known = 0
    private var finder: TagFinder?
    private var section: Section?

    package init() {}

    /// Adds the next piece of the input.
    package mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        bytes.withMemoryRebound(to: UInt8.self) { input.append($0) }
    }

    /// Returns the next tag; `nil` if it needs more input.
    package mutating func next() -> Tag? {
        if let tag = nextTag() { return tag }
        input.removeFirst(place)
        base += place
        known -= min(known, place)
        place = 0
        return nil
    }

    private mutating func nextTag() -> Tag? {
        let (view, end) = (input.view, input.count)
        while true {
            if let progress = section?.pass(view, place, end) {
                switch progress {
                case .stopped(let stop):
                    place = stop
                    return nil
                case .ended(let behind):
                    section = nil
                    place = behind
                case .wrong(_, let mistake): return broken(at: mistake)
                }
            }
            place = Scan.find(view, place, end, .lessThan, .lessThan, .lessThan, .lessThan)
            if place + 1 >= end { return nil }
            if view[place + 1].isMarkupMark {
                switch Section.beginning(view, place, end) {
                case .section(let open, let content): (section, place) = (open, content)
                case .incomplete: return nil
                case .unknown: return broken(at: place)
                }
                continue
            }
            var tag = finder ?? TagFinder(isEndTag: view[place + 1] == UInt8(ascii: "/"))
            guard let stop = tag.find(view, max(known, place + 1), end) else {
                finder = tag
                known = end
                return nil
            }
            finder = nil
            if view[stop] != .greaterThan { return broken(at: place) }
            let range = base + place..<base + stop + 1
            place = stop + 1
            return tag.isEndTag ? .end(range) : .start(range, isEmpty: view[stop - 1] == UInt8(ascii: "/"))
        }
    }

    private mutating func broken(at index: Int) -> Tag {
        section = nil
        place = index + 1
        return .broken(at: base + index)
    }
}
