// Goes through input from one tag to the next without reading it: for programs that cut input into pieces or show where
// elements stand. Where a tag ends is TagFinder.swift's rule.
//
// Input that is not well-formed may give any tags, so parse what was cut.

/// The tags of an input that comes in pieces, in order. Each byte is looked at once.
package struct TagSequence: ~Copyable {
    /// A tag, and where it stands in the input.
    package enum Tag: Equatable {
        case start(Range<Int>, isEmpty: Bool)
        case end(Range<Int>)
        /// The tag that begins there is broken by a '<' or a quote.
        case broken(at: Int)
    }

    private var input = ByteBuffer(capacity: 1024)
    /// Where `input` begins.
    private var base = 0
    /// Where to go on in `input`.
    private var place = 0
    /// The markup at `place` does not end before this index.
    private var known = 0
    private var finder: TagFinder?

    package init() {}

    /// Adds what comes next.
    package mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        bytes.withMemoryRebound(to: UInt8.self) { input.append($0) }
    }

    /// The next tag; `nil` if more input is needed.
    package mutating func next() -> Tag? {
        let (view, end) = (input.view, input.count)
        while true {
            let start = Scan.find(view, place, end, .lessThan, .lessThan, .lessThan, .lessThan)
            place = start
            guard start + 1 < end else { break }
            known = max(known, start + 1)
            if view[start + 1].isMarkupMark {
                guard let behind = endOfOther(view, start, end) else { break }
                place = behind
                continue
            }
            var tag = finder ?? TagFinder(isEndTag: view[start + 1] == UInt8(ascii: "/"))
            guard let stop = tag.find(view, known, end) else {
                finder = tag
                known = end
                break
            }
            finder = nil
            place = stop + 1
            if view[stop] != .greaterThan { return .broken(at: base + start) }
            let range = base + start..<base + stop + 1
            return tag.isEndTag ? .end(range) : .start(range, isEmpty: view[stop - 1] == UInt8(ascii: "/"))
        }
        input.removeFirst(place)
        base += place
        known -= min(known, place)
        place = 0
        return nil
    }

    /// Behind a processing instruction, a comment, a CDATA section, or what else begins with `<!`.
    private mutating func endOfOther(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        let section = Self.sections.first { view.bytes(start, end).starts(with: $0.opening.buffer) }
        let (opening, closing) = section ?? ("<!", "")
        let first = start + opening.utf8CodeUnitCount
        while true {
            let stop = Scan.find(view, known, end, .greaterThan, .greaterThan, .greaterThan, .greaterThan)
            known = stop
            if stop == end { return nil }
            known += 1
            let mark = stop - closing.utf8CodeUnitCount
            if mark >= first, view.bytes(mark, stop).elementsEqual(closing.buffer) { return stop + 1 }
        }
    }

    private static let sections: [(opening: StaticString, closing: StaticString)] = [
        ("<?", "?"), ("<!--", "--"), ("<![CDATA[", "]]"),
    ]
}
