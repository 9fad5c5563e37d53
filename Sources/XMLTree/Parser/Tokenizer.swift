// The tokenizer: bytes in, in pieces of any size, trees and errors out. All of the parser's state is in this struct.
//
// What is incomplete at the end of a piece stays in `input` and is looked at again when more has come. Text, comments,
// instructions, document types and CDATA sections are read as far as they go; a tag waits until its end is found
// (TagFinder.swift), and counts only then. So time is linear, and neither events nor errors depend on the cuts.
//
// The files: +Content passes text and chooses by what follows, +Tags reads tags, +Namespaces resolves them, +Markup
// reads what begins with `<!` and `<?`, +Skipping passes over stanzas beyond a limit, +Trees makes events, +Errors ends
// with mistakes and goes on behind them.

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
    /// Whether no more input comes.
    var isFinal = false
    /// A mistake that was found and not reported yet: its index in `input`.
    var mistake: (kind: XMLParseError.Kind, index: Int)?
    /// What must not be read beyond.
    var bound: Bound? {
        didSet { isBoundChanged = true }
    }
    var isBoundChanged = false
    /// What waits at the beginning of `input` was looked at up to here.
    var known = 0
    /// Finds the end of the tag that waits at the beginning of `input`.
    var finder: TagFinder?
    /// Finds the end of a tag in a skipped stanza that is too long to wait for.
    var coarse: TagFinder?
    /// Markup that is passed as far as it goes.
    var section = Section.none
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
    /// The offset behind the bytes that the open tree may have.
    var byteLimit = Int.max
    /// The stanza that is passed over because it is beyond a limit.
    var skipped: SkippedStanza?

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
    var dictionary: TreeDictionary?
    var queue = EventQueue()
    /// Behind the queue: trees that are to become events.
    var pending = PendingTrees()

    init(mode: XMLStreamParser.Mode, limits: ParserLimits, renewal: Renewal) {
        self.mode = mode
        self.limits = limits
        self.renewal = renewal
        outer = mode == .stream ? 1 : 0
        bindContext()
        boundInput()
    }

    /// What the mode binds from the beginning.
    private mutating func bindContext() {
        surroundings = nil
        guard case .fragments(let context) = mode, context != .empty else { return }
        hasInvalidContext = !names.canBind(context)
        if hasInvalidContext { return }
        surroundings = SharedNamespaceContext(context)
        names.bind(context)
    }

    private mutating func boundInput() {
        guard mode == .document else { return }
        let bytes = limits.effectiveBytes
        bound = Bound(end: bytes, limit: .bytes, maximum: bytes, start: .start)
    }

    /// Begins a new input. Names of fragments stay: they are bounded, and the next line has the same ones.
    mutating func beginInput() {
        forgetOpen()
        assembler.dropOpen()
        pending.removeAll()
        assembler.dropEnded()
        queue.removeAll()
        input.removeAll(keeping: Self.keptInput)
        base = .start
        phase = .reading
        isFinal = false
        droppedZeros = 0
        beginning = 0
        isComplete = false
        hasDocumentType = false
        outerDeclarations = 0
        if case .fragments = mode {
        } else {
            names = Names()
            bindContext()
        }
        boundInput()
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
        /// In skipped stanzas the hash of its name takes the place of both.
        var name: UInt32
        /// The number of replaced bindings before it.
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
        var value: Int32
        var count: Int32
    }

    /// A place beyond which nothing is read, and what is exceeded there.
    struct Bound {
        let end: Int
        let limit: XMLParseError.Limit
        let maximum: Int
        let start: SourcePosition
    }

    var isStopped: Bool { if case .stopped = phase { true } else { false } }

    /// The position of an index in `input`.
    func position(of index: Int) -> SourcePosition {
        if index > 0 { return base.advanced(over: input.view.bytes(0, index)) }
        return SourcePosition(line: base.line, column: base.column - droppedZeros, offset: base.offset - droppedZeros)
    }

    @inline(__always)
    func offset(of index: Int) -> Int { base.offset &+ index }

    // MARK: Input

    /// So much is read at once: it stays in the processor's cache.
    static let sliceLength = 16384
    /// More memory than this is not kept for waiting input.
    private static let keptInput = 2 * sliceLength

    /// Reads more input, at most `sliceLength` bytes.
    mutating func read(_ bytes: UnsafeBufferPointer<UInt8>) {
        if isStopped { return }
        if pending.isEmpty { assembler.dropEnded() }
        input.append(bytes)
        work()
    }

    /// The input has ended.
    mutating func finish() {
        if isStopped { return }
        isFinal = true
        work()
        if case .reading = phase, isUnfinished { fail(.unexpectedEnd, at: input.count) }
        phase = .stopped
        finishPending()
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
        repeat {
            var place = 0
            repeat {
                isBoundChanged = false
                let end = min(input.count, bound.map { max($0.end - base.offset, 0) } ?? .max)
                let saved = input.replace(at: end, with: 0)
                if isTagComplete(end) { place = content(input.view, place, end) }
                let isCut = end < input.count && !isBoundChanged
                if isCut, mistake == nil { checkBeginning(input.view, place, end) }
                _ = input.replace(at: end, with: saved)
                if let mistake { return fail(mistake.kind, at: mistake.index) }
                if isCut, let bound { return fail(bound, at: end) }
            } while isBoundChanged
            pass(place)
        } while needsAnotherLook()
    }

    /// Whether the tag that waits is complete, or wrong, or there is none.
    private mutating func isTagComplete(_ end: Int) -> Bool {
        guard var tag = finder else { return true }
        let found = tag.find(input.view, known, end)
        known = found ?? end
        finder = found != nil || isFinal ? nil : tag
        return finder == nil
    }

    /// Looks at what waits. Returns whether that has to be read again, as the beginning of what is skipped.
    private mutating func needsAnotherLook() -> Bool {
        dropZeros()
        let view = input.view
        let isTag = input.count > 1 && section == .none && view[0] == .lessThan && !view[1].isMarkupMark
        if isTag, coarse == nil, finder == nil {
            finder = TagFinder(isEndTag: view[1] == UInt8(ascii: "/"))
            known = 1
            // What is complete or wrong was read.
            _ = isTagComplete(input.count)
        }
        // Elsewhere there is a bound.
        let isStanza = depth > outer || depth == outer && isTag && view[1] != UInt8(ascii: "/") && !isComplete
        if mode == .document || !isStanza { return false }
        if skipped == nil {
            let limit = depth > outer ? byteLimit : base.offset.saturatingAdd(limits.effectiveBytes)
            guard offset(of: input.count) > limit else { return false }
            finder = nil
            exceed(.bytes, limits.effectiveBytes, view, 0)
            return true
        }
        guard isTag, coarse == nil, input.count > limits.effectiveBytes else { return false }
        finder = nil
        skipCoarsely(view, 0)
        return true
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
        var mark = placePending()
        mark = placeOpen(from: mark)
        mark.advance(over: input.view.bytes(mark.offset - base.offset, count))
        base = mark
    }

    /// Counts lines up to the beginnings of trees that have ended. Returns how far it has counted.
    @discardableResult
    mutating func placePending() -> SourcePosition {
        let (view, first) = (input.view, base.offset)
        var mark = base
        pending.place { offset in
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

extension Int {
    func saturatingAdd(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
