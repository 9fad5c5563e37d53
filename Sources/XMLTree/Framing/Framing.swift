// Cuts a stream or fragments into stanzas without reading names, several times faster than a parser.
//
// Most blocks of input pass the count of Scan+Tags.swift. Only the others are read tag by tag, with the rules of the
// tokenizer (TagFinder.swift, Sections.swift).
//
// The cuts are those of a parser, if the input is well-formed. Framing checks only the balance of tags.

/// Finds the ends of stanzas in input that arrives in pieces.
///
/// The bytes stay until `drop`, and each is examined once. After a mistake, framing stops: see `isLost`.
package struct Framing: ~Copyable {
    /// The end of a stanza. A stanza begins where the last one ended, with the text between them.
    package struct Stop: Equatable, BitwiseCopyable {
        /// An index in the kept bytes.
        package let end: Int
        /// The most elements that were open at once.
        package let depth: Int
    }

    private var input = ByteBuffer(capacity: 1024)
    /// The index at which to continue.
    private var place = 0
    /// The tag at `place` does not end before this index.
    private var known = 0
    private var finder: TagFinder?
    private var section: Section?
    /// The number of elements around stanzas: one in streams.
    private let outer: Int
    private var depth: Int
    /// The greatest depth in the open stanza.
    private var deepest: Int
    private var events = TagEvents()
    private let blockLength: Int

    /// The ends of complete stanzas in the kept bytes, in order.
    package private(set) var stops: [Stop] = []
    /// The place of a stream's start tag in the kept bytes, since it was found.
    package private(set) var header: Range<Int>?
    /// Whether no stanza can be found any more: tags do not match, the root of a stream has ended, or markup is wrong
    /// or misplaced.
    package private(set) var isLost = false

    /// - Parameters:
    ///   - isStream: Whether the stanzas are children of a root.
    ///   - isInside: Whether the input begins after the root's start tag.
    package init(isStream: Bool, isInside: Bool = false) {
        self.init(isStream: isStream, isInside: isInside, blockLength: TagEvents.capacity)
    }

    init(isStream: Bool, isInside: Bool, blockLength: Int) {
        outer = isStream ? 1 : 0
        depth = isStream && !isInside ? 0 : outer
        deepest = outer
        self.blockLength = blockLength
    }

    /// Starts again, with input that begins between two stanzas.
    package mutating func restart(isInside: Bool) {
        input.removeAll(keeping: Self.keptInput)
        (place, known) = (0, 0)
        (finder, section) = (nil, nil)
        depth = isInside ? outer : 0
        deepest = outer
        stops.removeAll(keepingCapacity: true)
        header = nil
        isLost = false
    }

    /// A few pieces of input, or a long stanza.
    private static let keptInput = 1 << 21

    /// The number of bytes since the last `drop`.
    package var count: Int { input.count }

    /// The memory for the kept bytes.
    var capacity: Int { input.capacityInBytes }

    /// The index up to which bytes were examined. Framing does not need them any more.
    package var examined: Int { place }

    /// Adds the next piece of the input, and finds the stanzas that end in it.
    package mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        bytes.withMemoryRebound(to: UInt8.self) { input.append($0) }
        examine()
    }

    /// Gives the kept bytes to a function.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(input.view.bytes(0, input.count)))
    }

    /// Drops the first bytes, and all stops. At most those that were examined, unless framing is lost.
    package mutating func drop(_ number: Int) {
        input.removeFirst(number)
        place -= min(number, place)
        known -= min(number, known)
        stops.removeAll(keepingCapacity: true)
        header = nil
    }
}

extension Framing {
    /// Input of fewer bytes is read tag by tag.
    private static let shortestBlock = 32

    private mutating func examine() {
        let (view, end) = (input.view, input.count)
        while !isLost, place < end {
            let isPlain = section == nil && finder == nil && depth >= outer
            if isPlain, end - place >= Self.shortestBlock, let cut = cut(view, end) {
                if Scan.tags(view, place, cut, into: &events) {
                    follow(view, cut)
                } else {
                    while place < cut, !isLost {
                        if !step(view, end) { return }
                    }
                }
            } else if !step(view, end) {
                return
            }
        }
    }

    /// The end of the block that begins at `place`: its last '<'. `nil` if that would leave no block.
    private func cut(_ view: ByteView, _ end: Int) -> Int? {
        guard let cut = Scan.last(view, .lessThan, place, min(end, place + blockLength)), cut > place else {
            return nil
        }
        return cut
    }

    /// Follows the events of the block that begins at `place`.
    private mutating func follow(_ view: ByteView, _ cut: Int) {
        let start = place
        var depth = depth
        var deepest = deepest
        place = cut
        for number in 0..<(cut - start + 15) / 16 {
            var word = events[number]
            while word != 0 {
                let bit = word.trailingZeroBitCount
                word &= word &- 1
                if bit & 3 == TagEvents.Kind.start.rawValue {
                    depth &+= 1
                    deepest = max(deepest, depth)
                    continue
                }
                depth &-= 1
                if depth > outer { continue }
                let index = start + number * 16 + bit >> 2
                if depth < outer { return lose(at: index) }
                let last = Scan.find(view, index, cut, .greaterThan, .greaterThan, .greaterThan, .greaterThan)
                stops.append(Stop(end: last + 1, depth: deepest - outer))
                deepest = outer
            }
        }
        self.depth = depth
        self.deepest = deepest
    }

    // MARK: Tag by tag

    /// Reads up to the end of a tag or of other markup. Returns whether that was complete.
    private mutating func step(_ view: ByteView, _ end: Int) -> Bool {
        if section != nil { return pass(view, end) }
        if finder == nil {
            place = Scan.find(view, place, end, .lessThan, .lessThan, .lessThan, .lessThan)
            if place + 1 >= end { return false }
            if view[place + 1].isMarkupMark { return begin(view, end) }
        }
        var tag = finder ?? TagFinder(isEndTag: view[place + 1] == UInt8(ascii: "/"))
        guard let last = tag.find(view, max(known, place + 1), end) else {
            finder = tag
            known = end
            return false
        }
        finder = nil
        if view[last] != .greaterThan {
            lose(at: place)
        } else if tag.isEndTag {
            close(last + 1)
        } else {
            open(place..<last + 1, isEmpty: view[last - 1] == UInt8(ascii: "/"))
        }
        return !isLost
    }

    private mutating func open(_ tag: Range<Int>, isEmpty: Bool) {
        if depth < outer { header = tag }
        depth += 1
        deepest = max(deepest, depth)
        if isEmpty { close(tag.upperBound) } else { place = tag.upperBound }
    }

    private mutating func close(_ end: Int) {
        guard depth > outer else { return lose(at: place) }
        depth -= 1
        place = end
        if depth == outer {
            stops.append(Stop(end: end, depth: deepest - outer))
            deepest = outer
        }
    }

    /// Begins markup that is not a tag.
    private mutating func begin(_ view: ByteView, _ end: Int) -> Bool {
        switch Section.beginning(view, place, end) {
        case .section(let open, let content):
            guard isAllowed(open) else { break }
            section = open
            place = content
            return pass(view, end)
        case .incomplete: return false
        case .unknown: break
        }
        lose(at: place)
        return false
    }

    /// Whether a parser accepts markup here.
    private func isAllowed(_ section: Section) -> Bool {
        switch section {
        case .characterData: depth > outer
        case .comment, .instruction: depth < outer || outer == 0
        case .documentType: false
        }
    }

    private mutating func pass(_ view: ByteView, _ end: Int) -> Bool {
        guard let progress = section?.pass(view, place, end) else { return true }
        switch progress {
        case .stopped(let stop):
            place = stop
            return false
        case .ended(let end):
            section = nil
            place = end
            return true
        case .wrong(_, let mistake):
            lose(at: mistake)
            return false
        }
    }

    private mutating func lose(at index: Int) {
        isLost = true
        place = index
    }
}
