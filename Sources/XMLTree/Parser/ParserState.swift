// A parser's whole state: one struct behind one pointer.
//
// libxml2's callbacks get that pointer and change the state through it (ParserState+Events.swift) while the reader
// (InputReader.swift) waits for libxml2 to return. So nobody may hold a `mutating` access to the state across
// `LibXML2Context.push`: the reader goes through the pointer each time. A class in the pointer's place would cost a
// dynamic exclusivity check for every field a callback touches.

struct ParserState: ~Copyable {
    let mode: XMLStreamParser.Mode
    let limits: ParserLimits
    let renewal: Renewal
    /// How many elements are open around a tree: one in streams, and in fragments, which get a synthetic root.
    let level: Int

    // The trees.
    var names = NameInterner()
    var cache = NameCache()
    var assembler = TreeAssembler()
    /// What the root of the stream or the mode binds: shared by all trees.
    var surroundings: SharedNamespaceContext?
    /// The number of open elements, the synthetic root among them.
    var depth = 0
    /// Where the tree that is being read begins.
    var treeStart = SourcePosition.start
    /// `nameCount` when the tree began; none are before a document.
    var namesBeforeTree = 0
    /// Names that are in no tree: those of processing instructions, and those in a document type.
    var otherNames = 0
    /// The size of libxml2's dictionary when names were counted last.
    var dictionarySize = 0
    /// Where the last thing between trees ended: a tree, the stream's header, a comment.
    var levelEnd = 0
    /// Whether the root of the stream or document has ended.
    var isComplete = false

    // The input.
    var context: LibXML2Context?
    /// Replaces the stream's header in every context but the first, and stands before fragments in each. Fragments
    /// have none if their bindings cannot be declared.
    var syntheticRoot: [UInt8]?
    /// Whether the next root element is the synthetic one.
    var awaitsSyntheticRoot = false
    /// Whether libxml2 is behind the XML declaration, or knows that there is none.
    var isDeclarationOver = false
    /// Where the input of this context begins, without the synthetic root.
    var contextStart = 0
    /// The place up to which lines are counted: what libxml2 has consumed when `push` begins, or more.
    var mark = SourcePosition.start
    /// The offset behind the last byte that libxml2 was given.
    var fedEnd = 0
    /// `fedEnd` when the `push` that is going on began.
    var pushStart = 0
    /// The number of bytes that libxml2 was given in all, those that it was given again among them.
    var givenBytes = 0
    /// How much to give libxml2 at once.
    var sliceLength = Self.leastSliceLength
    /// Whether libxml2 is being told that the input has ended.
    var isEnding = false
    /// Set when nothing that libxml2 still says counts.
    var stop: Stop?
    var phase = Phase.reading
    /// The beginning of a character whose rest is not yet there.
    var carry: [UInt8] = []
    /// The rest of a long start tag that has not ended (TagScanner.swift).
    var held: HeldTag?
    /// Where a '<' stands in the start tag whose end libxml2 waits for.
    var brokenTag: SourcePosition?
    /// What contexts that ended had been given and not read: it comes before all that was not yet given.
    var backlog: [UInt8] = []

    var queue = EventQueue()

    init(mode: XMLStreamParser.Mode, limits: ParserLimits, renewal: Renewal) {
        self.mode = mode
        self.limits = limits
        self.renewal = renewal
        switch mode {
        case .document: level = 0
        case .stream, .fragments: level = 1
        }
        bindSurroundings()
    }

    /// What the mode binds from the beginning.
    mutating func bindSurroundings() {
        if case .fragments(let context) = mode {
            surroundings = context == .empty ? nil : SharedNamespaceContext(context)
            syntheticRoot = SyntheticRoot.bytes(name: "fragments", binding: context)
        } else {
            surroundings = nil
            syntheticRoot = nil
        }
    }
}

extension ParserState {
    enum Phase: Equatable {
        case reading
        /// Looking for the next fragment after an error.
        case skipping(FragmentFinder)
        /// Failed or finished.
        case stopped
    }

    /// Why and where a context comes to its end.
    struct Stop {
        enum Reason {
            case failure, renewal
        }

        let reason: Reason
        let offset: Int
        /// The bytes from `offset` to the beginning of what is being pushed; those behind are still at hand.
        let leftover: [UInt8]
    }

    /// The position of `offset`, which lies behind `mark` and is held by libxml2.
    func position(of offset: Int) -> SourcePosition {
        guard let context, offset > mark.offset else { return mark }
        return mark.advanced(over: context.bytes(from: mark.offset, to: offset))
    }

    /// Counts lines up to `offset`.
    mutating func advanceMark(to offset: Int) {
        mark = position(of: offset)
    }

    /// Delivers an error and ends this context. Fragments go on behind `offset`, which is where libxml2 is unless the
    /// caller knows better.
    mutating func fail(_ kind: XMLParseError.Kind, at position: SourcePosition, goingOnAt offset: Int? = nil) {
        var isLasting = true
        if case .fragments = mode { isLasting = kind == .invalidContext || kind == .outOfMemory }
        let unclosed = kind == .unexpectedEnd || kind == .mismatchedEndTag ? openElement : nil
        queue.append(XMLParseError(kind, at: position, unclosed: unclosed), isLasting: isLasting)
        if isLasting { phase = .stopped }
        stop(.failure, at: offset ?? context?.offset ?? fedEnd)
    }

    /// Ends this context at `offset`: whatever libxml2 reports from now on is ignored.
    mutating func stop(_ reason: Stop.Reason, at offset: Int) {
        var offset = offset
        var leftover: [UInt8] = []
        if offset < pushStart, phase == .reading, let context {
            if reason == .failure && !mayReadAgain(pushStart - offset) { offset = pushStart }
            leftover = Array(context.bytes(from: offset, to: pushStart))
        }
        advanceMark(to: offset)
        stop = Stop(reason: reason, offset: offset, leftover: leftover)
        context?.halt()
    }

    /// Whether so many bytes that libxml2 has not read may be given to another context. An attacker can make it wait
    /// long for the end of a comment, and find out again and again that the comment is no good; so there is a measure,
    /// which is far beyond what honest input needs.
    private func mayReadAgain(_ count: Int) -> Bool {
        givenBytes + count <= Self.mostGivenBytes(of: pushStart)
    }

    /// At most so many bytes are given to libxml2 before what waits behind an error is passed over. A context that
    /// ends in its first line was given the least slice, or twice as much as it read.
    static func mostGivenBytes(of input: Int) -> Int { (1 << 20) + 128 * input }

    /// What a context is given at first. It doubles up to `InputReader.sliceLength`, so that what is read in vain
    /// behind the place where a context ends is in proportion to what it read.
    static let leastSliceLength = 256

    /// libxml2 was given that many bytes.
    mutating func countGiven(_ count: Int) {
        fedEnd += count
        givenBytes += count
        sliceLength = min(2 * sliceLength, InputReader.sliceLength)
    }
}

extension ParserState {
    // MARK: Contexts

    /// What a new context begins with; `nil` if that cannot be written.
    var rootOfContext: [UInt8]? {
        if case .fragments = mode { return syntheticRoot }
        return syntheticRoot ?? []
    }

    /// A context was made whose input begins at `offset`.
    mutating func beginContext(at offset: Int) {
        contextStart = offset
        pushStart = offset
        levelEnd = offset
        isDeclarationOver = false
        awaitsSyntheticRoot = syntheticRoot != nil
        sliceLength = Self.leastSliceLength
        otherNames = 0
        dictionarySize = context?.dictionarySize ?? 0
    }

    /// Lets go of the context, which stopped.
    mutating func leaveContext(_ stop: Stop) {
        closeContext()
        fedEnd = stop.offset
        if phase == .reading { backlog = stop.leftover }
        switch stop.reason {
        case .failure:
            if phase == .reading { phase = .skipping(.insideLine) }
            renewNames()
        case .renewal:
            names = NameInterner()
        }
    }

    /// Replaces the table of names between trees if it has become large.
    private mutating func renewNames() {
        if names.count > renewal.names { names = NameInterner() }
    }

    /// Lets go of the libxml2 context, and of everything that points into it.
    mutating func closeContext() {
        context?.close()
        context = nil
        stop = nil
        held = nil
        brokenTag = nil
        cache.removeAll()
        assembler.removeAll()
        depth = 0
    }

    /// Moves over input that nobody reads.
    mutating func pass(_ bytes: UnsafeBufferPointer<UInt8>) {
        mark.advance(over: bytes)
        fedEnd = mark.offset
    }

    mutating func reset() {
        closeContext()
        bindSurroundings()
        queue.removeAll()
        carry = []
        backlog = []
        mark = .start
        fedEnd = 0
        givenBytes = 0
        isComplete = false
        phase = .reading
        renewNames()
    }
}

/// When to renew libxml2's context and the table of names: both only grow, and libxml2's dictionary grows slow.
struct Renewal {
    /// Distinct names. The specifications have some thousand together.
    var names: Int
    /// Bytes of input: bounds what the dictionary keeps of strings that are no names of elements and attributes.
    var bytes: Int

    static let standard = Renewal(names: 8192, bytes: 8 << 20)
}
