// The tokenizer: bytes in, in pieces of any size, trees and errors out. All of the parser's state is in this struct.
//
// What is incomplete at the end of a piece stays in `input` and is looked at again when more has come. Text, comments,
// instructions, document types and CDATA sections are read as far as they go; a tag waits until its end is found
// (TagFinder.swift), and counts only then. So time is linear, and neither events nor errors depend on the cuts.
//
// The files: +Content passes text and chooses by what follows, +Tags reads tags, +Namespaces resolves them, +Markup
// reads what begins with `<!` and `<?` (Sections.swift), +Skipping passes over stanzas beyond a limit, +Trees makes
// events, +Errors reports mistakes and continues after them.

struct Tokenizer: ~Copyable {
    let mode: XMLStreamParser.Mode
    let limits: ParserLimits
    let renewal: Renewal
    /// How many elements are open around a tree: one in streams.
    let outer: Int

    // The input.
    /// What was read and is not passed yet.
    var input = ByteBuffer(capacity: 1024)
    /// Where `input` begins.
    var base = SourcePosition.start
    var phase = Phase.reading
    /// Whether the input ends after the waiting bytes.
    private var isEnded = false
    /// Whether all of it was read.
    private var isFinal = false
    /// Whether nothing follows what is read now.
    var isLast = false
    /// A mistake that was found and not reported yet: its index in `input`.
    var mistake: (kind: XMLParseError.Kind, index: Int)?
    /// Nothing is read beyond this offset: the limit of bytes of what has begun there, or that of skipping.
    private(set) var bound = Int.max
    /// Whether `bound` now cuts the input elsewhere.
    private(set) var isBoundChanged = false
    /// What waits at the beginning of `input` was looked at up to here.
    var known = 0
    /// Finds the end of the tag that waits at the beginning of `input`.
    var finder: TagFinder?
    /// Finds the end of a tag in a skipped stanza that is too long to wait for.
    var coarse: TagFinder?
    /// Markup that is passed as far as it goes.
    var section: Section?
    /// Where it begins. Its line is 0 until lines are counted.
    var sectionStart = SourcePosition.start
    /// Zeros that were dropped from the reference at the beginning of `input`. `base` counts them.
    var droppedZeros = 0
    /// Where the input begins, behind a byte order mark.
    var beginning = 0

    // What is open.
    var depth = 0
    var open = Records<OpenTag>(capacity: 64)
    /// Bindings that declarations replaced: the prefix, and what it was bound to.
    var replaced = Records<SIMD2<UInt32>>(capacity: 64)
    /// Declarations around trees.
    var outerDeclarations = 0
    /// Whether the root of the stream or document has ended.
    var isComplete = false
    var hasDocumentType = false
    /// Whether the bindings of the mode cannot be declared.
    private var hasInvalidContext = false
    /// The stanza that is passed over because it is beyond a limit.
    var skipped: SkippedStanza?
    /// The names of the elements that are open in it.
    var skippedNames = ByteBuffer(capacity: keptNames)

    // The tag that is being read.
    var names = Names()
    var attributes = Records<Attribute>(capacity: 64)
    /// Values that are not what was written.
    var decoded = ByteBuffer(capacity: 256)

    // The trees.
    var assembler = TreeAssembler()
    /// What the root of the stream or the mode binds: shared by all trees.
    var surroundings: SharedNamespaceContext?
    /// The name of the stream's root.
    var rootName: [UInt8] = []
    /// What the last tree got: the same is good for the next one as long as names and surroundings are the same.
    var dictionary: TreeDictionary
    var queue = EventQueue()

    init(mode: XMLStreamParser.Mode, limits: ParserLimits, renewal: Renewal) {
        self.mode = mode
        self.limits = limits
        self.renewal = renewal
        outer = mode == .stream ? 1 : 0
        dictionary = TreeDictionary(names: names.writer.table, context: nil)
        forgetOpen()
        // Bind the namespaces of the mode.
        guard case .fragments(let context) = mode, context != .empty else { return }
        hasInvalidContext = !names.bind(context)
        if !hasInvalidContext { surroundings = SharedNamespaceContext(context) }
    }

    /// Begins a new input. Names of fragments stay: they are bounded, and the next line has the same ones.
    mutating func beginInput() {
        forgetOpen()
        assembler.dropOpen()
        queue = EventQueue()
        assembler.dropEnded()
        input.removeAll(keeping: Self.keptInput)
        base = .start
        phase = .reading
        isEnded = false
        isFinal = false
        droppedZeros = 0
        beginning = 0
        isComplete = false
        hasDocumentType = false
        outerDeclarations = 0
        if mode.isFragments { return recycle() }
        names = Names()
        surroundings = nil
    }

    /// Nothing is open.
    mutating func forgetOpen() {
        unbind(downTo: 0)
        open.removeLast(downTo: 0)
        depth = 0
        mistake = nil
        bound = mode == .document ? limits.effectiveBytes : .max
        known = 0
        finder = nil
        coarse = nil
        section = nil
        skipped = nil
        skippedNames.removeAll(keeping: Self.keptNames)
    }

    enum Phase {
        case reading
        /// Fragments: looking for the next line that begins with a tag.
        case searching(atLineStart: Bool)
        /// Failed or finished.
        case stopped
    }

    /// An open element.
    struct OpenTag: BitwiseCopyable {
        /// In skipped stanzas where its name begins in `skippedNames`.
        var name: UInt32
        /// The number of replaced bindings before it. In skipped stanzas the length of its name.
        var replaced: UInt32
        /// Its line is 0 until lines are counted.
        var start: SourcePosition
    }

    /// An attribute as written.
    struct Attribute: BitwiseCopyable {
        let name: UInt32
        /// Where it begins in `input`.
        let start: Int32
        /// Where its value begins in `input`, or, if it is negative, the complement of where it begins in `decoded`.
        let value: Int32
        let count: Int32
    }

    var isStopped: Bool { if case .stopped = phase { true } else { false } }

    /// The position of an index in `input`.
    mutating func position(of index: Int) -> SourcePosition {
        if index > 0 { return base.advanced(over: input.view.bytes(0, index)) }
        return SourcePosition(line: base.line, column: base.column - droppedZeros, offset: base.offset - droppedZeros)
    }

    @inline(__always)
    mutating func offset(of index: Int) -> Int { base.offset &+ index }

    // MARK: Input

    /// So much is read at once: it stays in the processor's cache.
    static let sliceLength = 16384
    /// More memory than this is not kept for input.
    private static let keptInput = 2 * sliceLength
    /// The same for names of a skipped stanza.
    static let keptNames = 1024

    /// Adds input, and reads until an event is there.
    mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
        if isStopped || isEnded { return }
        input.appendWaiting(bytes)
        while queue.isEmpty, input.waiting > 0, readSlice() {}
    }

    /// The input has ended.
    mutating func finish() {
        isEnded = true
        while queue.isEmpty, readSlice() {}
    }

    /// Reads a slice of the waiting bytes, or the end of the input after them. Call it when all events are taken.
    /// Returns whether it read anything.
    @inline(never)
    mutating func readSlice() -> Bool {
        if isStopped { return false }
        assembler.dropEnded()
        if input.waiting > 0 {
            input.reveal(Self.sliceLength)
            work()
        } else if isEnded {
            isFinal = true
            work()
            if case .reading = phase, isUnfinished { fail(.unexpectedEnd, at: input.count) }
            phase = .stopped
            packEnded()
        } else {
            return false
        }
        if isStopped { input.removeAll(keeping: Self.keptInput) }
        return true
    }

    private mutating func work() {
        while !isStopped {
            if case .searching(let atLineStart) = phase, !findFragment(atLineStart) { return }
            readInput()
            if case .searching = phase { continue }
            return
        }
    }

    /// Reads what is complete, up to the bound. A bound that changes is respected at once.
    private mutating func readInput() {
        if hasInvalidContext, input.count > 0 { return fail(.invalidContext, at: 0) }
        var place = 0
        repeat {
            isBoundChanged = false
            // No bound is set before a place that was read.
            let end = min(input.count, bound - base.offset)
            let isCut = end < input.count
            isLast = isFinal && !isCut
            let saved = input.replace(at: end, with: 0)
            if isTagComplete(end) { place = content(input.view, place, end) }
            let isReached = isCut && !isBoundChanged && mistake == nil
            if isReached { checkBeginning(input.view, place, end) }
            _ = input.replace(at: end, with: saved)
            if let mistake { return fail(mistake.kind, at: mistake.index) }
            if isReached, !passBound(input.view, place, end) { return }
        } while isBoundChanged
        pass(place)
        dropZeros()
        awaitTag()
    }

    /// More has come than the bound allows. Returns whether reading goes on.
    private mutating func passBound(_ view: ByteView, _ place: Int, _ end: Int) -> Bool {
        if let skipped {
            let maximum = limits.effectiveSkippedBytes
            fail(.limit(.skippedBytes, maximum: maximum), at: end, position: skipped.event.position)
            return false
        }
        let isTag = view[place] == .lessThan && !view[place + 1].isMarkupMark && view[place + 1] != UInt8(ascii: "/")
        if depth > outer || depth == outer && isTag { exceed(.bytes, view, place, end) }
        if skipped == nil {
            let position = mode == .document ? .start : position(of: place)
            fail(.limit(.bytes, maximum: limits.effectiveBytes), at: end, position: position)
        }
        return skipped != nil
    }

    /// Reads up to this offset from now on.
    mutating func setBound(_ offset: Int) {
        let end = base.offset + input.count
        if min(offset, end) != min(bound, end) { isBoundChanged = true }
        bound = offset
    }

    /// Reads no further than the limit of bytes from `start` on. Returns false if it has to be read again for that.
    mutating func limitBytes(from start: Int) -> Bool {
        if bound == .max { setBound(offset(of: start).saturatingAdd(limits.effectiveBytes)) }
        return !isBoundChanged
    }

    /// Reads the input again from what is incomplete, under another bound.
    mutating func readAgain(upTo offset: Int) {
        bound = offset
        isBoundChanged = true
    }

    /// Whether the tag that waits is complete, or wrong, or there is none.
    private mutating func isTagComplete(_ end: Int) -> Bool {
        guard var tag = finder else { return true }
        let found = tag.find(input.view, known, end)
        known = found ?? end
        // In a skipped stanza a longer tag does not wait.
        let isComplete = found != nil || isLast || skipped != nil && end > limits.effectiveBytes
        finder = isComplete ? nil : tag
        return isComplete
    }

    /// Looks for the end of the tag that waits. What is complete or wrong was read.
    private mutating func awaitTag() {
        let view = input.view
        guard input.count > 1, view[0] == .lessThan, !view[1].isMarkupMark else { return }
        if section != nil || coarse != nil || finder != nil { return }
        finder = TagFinder(isEndTag: view[1] == UInt8(ascii: "/"))
        known = 1
        _ = isTagComplete(input.count)
    }

    /// Drops the first bytes of `input`, which are read, and counts lines.
    mutating func pass(_ count: Int) {
        place(upTo: count)
        input.removeFirst(count)
        known = max(0, known - count)
        if count > 0 { droppedZeros = 0 }
        input.shrink(to: Self.keptInput)
    }

    /// Counts lines up to an index, and up to what began before it.
    private mutating func place(upTo count: Int) {
        var mark = placeEnded()
        mark = placeOpen(from: mark)
        if section != nil, sectionStart.line == 0 {
            mark.advance(over: input.view.bytes(mark.offset - base.offset, sectionStart.offset - base.offset))
            sectionStart = mark
        }
        mark.advance(over: input.view.bytes(mark.offset - base.offset, count))
        base = mark
    }

    /// Counts lines up to the beginnings of trees that have ended. Returns how far it has counted.
    @discardableResult
    mutating func placeEnded() -> SourcePosition {
        let (view, first) = (input.view, base.offset)
        var mark = base
        queue.place { offset in
            mark.advance(over: view.bytes(mark.offset - first, offset - first))
            return mark
        }
        return mark
    }

    /// The same for elements that are open.
    @discardableResult
    mutating func placeOpen(from start: SourcePosition) -> SourcePosition {
        let (view, first) = (input.view, base.offset)
        var mark = start
        var number = open.count
        while number > 0, open[number - 1].start.line == 0 { number -= 1 }
        while number < open.count {
            mark.advance(over: view.bytes(mark.offset - first, open[number].start.offset - first))
            open[number].start = mark
            number += 1
        }
        return mark
    }
}
