// Cuts a stream or fragments into stanzas without reading names, several times faster than a parser.
//
// Most blocks of input pass the count of `TagEvents`. The others are halved, down to some hundred bytes, and only
// halves that do not pass either are read tag by tag (`TagReader`). So a '>' in a text costs little.
//
// The cuts are those of a parser, if the input is well-formed. Framing checks only the balance of tags.

import XMLTree

/// Finds the ends of stanzas in input that arrives in pieces.
///
/// Where streams may restart, a declaration or the end of the root ends one, and the next tag begins another.
///
/// The bytes stay until `drop`, and each is examined a few times at most. After a mistake, framing stops: see `isLost`.
struct Framing: ~Copyable {
    /// The end of a stanza, or of a tag between two streams. A stanza begins where the last one ended, with the text
    /// between them.
    struct Stop: Equatable, BitwiseCopyable {
        /// An index in the kept bytes.
        let end: Int
        /// The most elements that were open at once. Up to the limit of `init`, it may be eight more than that, but not
        /// above the limit.
        let depth: Int
        /// Whether it ends a tag of a root, and no stanza.
        var isRoot = false
    }

    private var input = InputBuffer(capacity: 1024)
    private var reader = TagReader()
    /// The number of elements around stanzas: one in streams.
    private let outer: Int
    /// Whether a stream may follow another one.
    private let mayRestart: Bool
    private var depth: Int
    /// The greatest depth in the open stanza, or a little more.
    private var deepest: Int
    /// Above this depth, framing counts exactly.
    private let exactDepth: Int
    private var events = TagEvents()
    private let longestBlock: Int
    /// The length of the next block: half of one that did not pass the count, or twice one that did.
    private var blockLength: Int

    /// The ends of complete stanzas in the kept bytes, in order.
    private(set) var stops: [Stop] = []
    /// The place of a stream's start tag in the kept bytes, once it is found.
    private(set) var header: Range<Int>?
    /// Whether no stanza can be found any more: tags do not match, the root of a stream has ended, or markup is wrong
    /// or misplaced.
    private(set) var isLost = false

    /// - Parameters:
    ///   - isStream: Whether the stanzas are children of a root.
    ///   - isInside: Whether the input begins after the root's start tag.
    ///   - mayRestart: Whether a stream may follow another one.
    ///   - limit: The depth above which the depth of a stanza matters.
    init(
        isStream: Bool, isInside: Bool = false, mayRestart: Bool = false, depth limit: Int = Int(Int32.max)
    ) {
        self.init(
            isStream: isStream, isInside: isInside, mayRestart: mayRestart, depth: limit,
            blockLength: TagEvents.capacity)
    }

    init(
        isStream: Bool, isInside: Bool, mayRestart: Bool = false, depth limit: Int = Int(Int32.max), blockLength: Int
    ) {
        outer = isStream ? 1 : 0
        self.mayRestart = isStream && mayRestart
        exactDepth = min(max(limit, 0), Int(Int32.max)) + outer
        depth = isStream && !isInside ? 0 : outer
        deepest = outer
        longestBlock = blockLength
        self.blockLength = blockLength
    }

    /// Starts again, with input that begins between two stanzas.
    mutating func restart(isInside: Bool) {
        input.removeAll(keeping: Self.keptInput)
        reader = TagReader()
        depth = isInside ? outer : 0
        deepest = outer
        stops.removeAll(keepingCapacity: true)
        header = nil
        isLost = false
        blockLength = longestBlock
    }

    /// A few pieces of input, or a long stanza.
    private static let keptInput = 1 << 21

    /// The number of bytes since the last `drop`.
    var count: Int { input.count }

    /// The memory for the kept bytes.
    var capacity: Int { input.capacityInBytes }

    /// Whether the start tag of a stream's root has been read, and not its end tag.
    var isInside: Bool { depth >= outer }

    /// The index up to which bytes were examined. Framing does not need them any more.
    var examined: Int { reader.place }

    /// Adds the next piece of the input, and finds the stanzas that end in it.
    mutating func feed(_ bytes: UnsafeRawBufferPointer) {
        bytes.withMemoryRebound(to: UInt8.self) { input.append($0) }
        examine()
    }

    /// Room for the next piece of the input, which the caller writes and then passes with `feed(written:)`. Valid until
    /// the next change.
    mutating func room(_ length: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(input.room(length))
    }

    /// Adds a piece that was written into the room, and finds the stanzas that end in it.
    mutating func feed(written length: Int) {
        input.append(written: length)
        examine()
    }

    /// Gives the kept bytes to a function, and some more that have no meaning.
    func withBytes<Result>(
        and lookahead: Int = 0, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        try body(UnsafeRawBufferPointer(input.view.bytes(0, input.count + lookahead)))
    }

    /// Drops the first bytes, and all stops. At most those that were examined, unless framing is lost.
    mutating func drop(_ number: Int) {
        input.removeFirst(number)
        reader.moveBack(by: number)
        stops.removeAll(keepingCapacity: true)
        header = nil
    }
}

extension Framing {
    /// Input of fewer bytes is read tag by tag.
    private static let shortestInput = 32
    /// Shorter blocks are not halved: they are read tag by tag.
    private static let shortestHalved = 512

    private mutating func examine() {
        let (view, end) = (input.view, input.count)
        while !isLost, reader.place < end {
            let start = reader.place
            let isLong = reader.isOutside && depth >= outer && end - start >= Self.shortestInput
            let cut = isLong ? cut(view, start, end) : start
            if cut > start {
                if events.find(cut - start, of: UnsafeRawBufferPointer(view.bytes(start, cut + TagEvents.lookahead))) {
                    blockLength = min(2 * blockLength, longestBlock)
                    follow(view, start, cut)
                    continue
                }
                if cut - start >= Self.shortestHalved {
                    blockLength = (cut - start) / 2
                    continue
                }
            }
            // Without a tag, a block says nothing about the next one.
            if isLong, cut == start { blockLength = min(2 * blockLength, longestBlock) }
            repeat {
                if !step(view, end) { return }
            } while reader.place < cut
        }
    }

    /// The end of the block that begins at `start`: its last '<', or `start` if it has none.
    private func cut(_ view: ByteView, _ start: Int, _ end: Int) -> Int {
        let block = UnsafeRawBufferPointer(view.bytes(start, min(end, start + blockLength)))
        return start + (TagEvents.lastTag(in: block) ?? 0)
    }

    /// Follows the events of a block.
    private mutating func follow(_ view: ByteView, _ start: Int, _ cut: Int) {
        var depth = depth
        var deepest = deepest
        reader.place = cut
        let mark = UInt8(ascii: ">")
        for number in TagEvents.words(ofBytes: cut - start) {
            let word = events[number]
            let (starts, ends) = (TagEvents.starts(word), TagEvents.ends(word))
            if depth &- ends > outer, depth &+ starts <= exactDepth {
                // Whatever their order, no stanza ends here. A branch for each tag would take longer.
                deepest = max(deepest, depth &+ starts)
                depth = depth &+ starts &- ends
                continue
            }
            for half in 0..<2 {
                var rest = TagEvents.half(word, half)
                while rest != 0 {
                    let bit = rest.trailingZeroBitCount
                    rest &= rest &- 1
                    if bit & 3 == TagEvents.Kind.start.rawValue {
                        depth &+= 1
                        deepest = max(deepest, depth)
                        continue
                    }
                    depth &-= 1
                    if depth > outer { continue }
                    let index = start &+ number &* TagEvents.wordLength &+ half &* 16 &+ bit &>> 2
                    if depth < outer, !mayRestart { return lose(at: index) }
                    let last = Scan.find(view, index, cut, mark, mark, mark, mark)
                    if last == cut { return lose(at: index) }
                    stops.append(Stop(end: last + 1, depth: deepest - outer, isRoot: depth < outer))
                    deepest = outer
                    if depth < outer {
                        // The next start tag is that of a root.
                        reader.place = last + 1
                        (self.depth, self.deepest) = (depth, deepest)
                        return
                    }
                }
            }
        }
        (self.depth, self.deepest) = (depth, deepest)
    }

    // MARK: Tag by tag

    /// Reads a tag, or the beginning of other markup. Returns whether that was complete and correct.
    private mutating func step(_ view: ByteView, _ end: Int) -> Bool {
        guard let markup = reader.next(view, end) else { return false }
        switch markup {
        case .tag(let tag, isEnd: false, let isEmpty):
            if depth < outer {
                header = tag
                if mayRestart { stops.append(Stop(end: tag.upperBound, depth: 0, isRoot: true)) }
            }
            depth += 1
            deepest = max(deepest, depth)
            if isEmpty { close(tag) }
        case .tag(let tag, isEnd: true, _): close(tag)
        case .section(let section, let start): if !isAllowed(section) { lose(at: start) }
        case .broken(let index): lose(at: index)
        }
        return !isLost
    }

    private mutating func close(_ tag: Range<Int>) {
        guard depth > outer || mayRestart && depth == outer else { return lose(at: tag.lowerBound) }
        depth -= 1
        if depth <= outer {
            stops.append(Stop(end: tag.upperBound, depth: deepest - outer, isRoot: depth < outer))
            deepest = outer
        }
    }

    /// Whether a parser accepts markup here. The only instruction that it accepts between stanzas is the declaration
    /// of another stream.
    private mutating func isAllowed(_ section: Section) -> Bool {
        switch section {
        case .characterData: return depth > outer
        case .comment: return depth < outer || outer == 0
        case .instruction:
            if mayRestart, depth == outer { depth = 0 }
            return depth < outer || outer == 0
        case .documentType: return false
        }
    }

    private mutating func lose(at index: Int) {
        isLost = true
        reader.place = index
    }
}
