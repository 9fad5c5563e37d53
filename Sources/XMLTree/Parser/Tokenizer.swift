// The tokenizer: bytes in, in pieces of any size, trees and errors out. All of the parser's state is in this struct.
//
// An incomplete token at the end of a piece stays in `input`, and the tokenizer reads it again with the next piece. It
// reads text, comments, instructions, document types and CDATA sections as far as they go. A tag waits until its end
// is found (TagReader.swift), and has no effect before. So time is linear, and neither events nor errors depend on the
// cuts.
//
// The files: this one takes input and makes trees and events. +Content passes text, chooses by the next byte, and reads
// markup that begins with `<!` and `<?` (Sections.swift), +Tags reads tags and resolves their names, +Errors reports
// mistakes and skips rejected stanzas.

struct Tokenizer: ~Copyable {
    let mode: XMLStreamParser.Mode
    let limits: ParserLimits
    let renewal: Renewal
    /// The number of open elements around a tree: one in streams.
    let outer: Int
    /// Whether a stream may follow another one, as in a recorded session (RFC 6120 §4.3.3).
    let mayRestart: Bool

    // The input.
    /// The bytes that were added and not passed yet.
    var input = InputBuffer(capacity: 1024)
    /// The number of bytes of `input` that are read now. The others wait.
    var readable = 0
    /// The position of the first byte of `input`.
    var base = SourcePosition.start
    /// The index in `input` at which reading continues.
    private var place = 0
    /// The beginning of the last tree, if it is after `base`: lines are counted up to there.
    private var counted = SourcePosition.start
    var phase = Phase.reading
    /// Whether the input ends after the waiting bytes.
    private var isEnded = false
    /// Whether the whole input was read.
    private var isFinal = false
    /// Whether the input ends after the bytes that are read now.
    var isLast = false
    /// A mistake that was found and not reported yet: its index in `input`.
    var mistake: (kind: XMLParseError.Kind, index: Int)?
    /// The offset at which reading stops: the limit of bytes of the begun input, or the limit of skipping.
    private(set) var bound = Int.max
    /// Whether `bound` has changed, and cuts the input at another place.
    private(set) var isBoundChanged = false
    /// The index up to which the waiting token at the beginning of `input` was searched.
    var known = 0
    /// Finds the end of the waiting tag at the beginning of `input`.
    var finder: TagFinder?
    /// The open comment, instruction, CDATA section or document type.
    var section: Section?
    /// The beginning of `section`. Its line is 0 until lines are counted.
    var sectionStart = SourcePosition.start
    /// Zeros that were dropped from the reference at the beginning of `input`. `base` counts them.
    var droppedZeros = 0
    /// The offset at which the input begins, after a byte order mark.
    var beginning = 0
    /// Whether the bytes are the UTF-8 of text. A declaration of another encoding then means nothing.
    var isText = false

    // The open elements.
    var depth = 0
    var open = Records<OpenTag>(capacity: 64)
    /// Bindings that declarations replaced: the prefix, and its former namespace.
    var replaced = Records<SIMD2<UInt32>>(capacity: 64)
    /// Declarations around trees.
    var outerDeclarations = 0
    /// Whether the root of the stream or document has ended.
    var isComplete = false
    var hasDocumentType = false
    /// Whether the bindings of the mode cannot be declared.
    private var hasInvalidContext = false
    /// Whether another stream has to begin here: a declaration or byte order mark has interrupted an open one.
    var mustBeHeader = false
    var skipped: XMLStreamParser.RejectedStanza?
    /// Its tag whose end is searched.
    var skippedTag: TagFinder?

    // The tag that is being read.
    var names = Names()
    var attributes = Records<Attribute>(capacity: 64)
    /// Attribute values that differ from their bytes in `input`.
    var decoded = InputBuffer(capacity: 256)

    // The trees.
    var assembler = TreeAssembler()
    /// The bindings of the stream's root or of the mode, which all trees share.
    private var surroundings: SharedNamespaceContext?
    /// The name of the stream's root.
    private var rootName: [UInt8] = []
    /// The dictionary of the last tree. Later trees share it until the names' table or the surroundings change.
    private var dictionary: TreeDictionary

    /// The event or the error that the caller has not taken yet. Reading stops at it.
    private var event: XMLStreamParser.Event?
    private var error: XMLParseError?
    private(set) var isPending = false
    /// Whether an error was taken that ends the input.
    private(set) var hasFailed = false
    /// Whether complete input may follow the last event.
    private var hasUnread = false
    /// Whether the event of a root's start tag is followed by that of its end.
    var endsRoot = false

    init(mode: XMLStreamParser.Mode, limits: ParserLimits, renewal: Renewal, mayRestart: Bool = false) {
        self.mode = mode
        self.mayRestart = mayRestart
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

    mutating func beginInput() {
        (event, error, isPending) = (nil, nil, false)
        (hasFailed, place, hasUnread, endsRoot) = (false, 0, false, false)
        input.removeAll(keeping: Self.keptInput)
        readable = 0
        base = .start
        counted = .start
        phase = .reading
        isEnded = false
        isFinal = false
        droppedZeros = 0
        beginning = 0
        hasDocumentType = false
        beginStream()
        mustBeHeader = false
    }

    /// Forgets the stream, and continues as at the beginning of another one.
    @inline(never)
    mutating func beginStream() {
        mustBeHeader = mustBeHeader || depth >= outer && !isComplete
        forgetOpen()
        assembler.dropOpen()
        isComplete = false
        outerDeclarations = 0
        // Names of fragments stay: they are bounded, and the next line has the same ones.
        if mode.isFragments { return recycle() }
        names = Names()
        surroundings = nil
    }

    /// Forgets all open elements and markup.
    mutating func forgetOpen() {
        unbind(downTo: 0)
        open.removeLast(downTo: 0)
        depth = 0
        mistake = nil
        bound = mode == .document ? limits.effectiveBytes : .max
        known = 0
        finder = nil
        section = nil
        skipped = nil
    }

    enum Phase {
        case reading
        /// Fragments: looking for the next line that begins with a tag.
        case searching(atLineStart: Bool)
        /// Failed or finished.
        case stopped
    }

    struct OpenTag: BitwiseCopyable {
        var name: UInt32
        /// The number of replaced bindings before it.
        var replaced: UInt32
        /// Its line is 0 until lines are counted.
        var start: SourcePosition
    }

    /// An attribute as written.
    struct Attribute: BitwiseCopyable {
        let name: UInt32
        /// The index in `input` at which it begins.
        let start: Int32
        /// The index of its value in `input`. If it is negative, its complement is the index in `decoded`.
        let value: Int32
        let count: Int32
    }

    var isStopped: Bool { if case .stopped = phase { true } else { false } }
    /// A comparison with `nil` would copy the stanza.
    var isSkipping: Bool { if case .some = skipped { true } else { false } }

    /// The position of an index in `input`.
    mutating func position(of index: Int) -> SourcePosition {
        if index > 0 {
            var position = counted.offset > base.offset && counted.offset <= offset(of: index) ? counted : base
            position.advance(over: input.view.bytes(position.offset - base.offset, index))
            return position
        }
        return SourcePosition(line: base.line, column: base.column - droppedZeros, offset: base.offset - droppedZeros)
    }

    @inline(__always)
    mutating func offset(of index: Int) -> Int { base.offset &+ index }

    // MARK: Input

    /// The bytes that are read at once. They fit into the processor's cache.
    static let sliceLength = 16384
    /// The most memory that is kept for input.
    private static let keptInput = 2 * sliceLength

    /// Adds input, and reads up to the next event.
    mutating func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
        if isStopped || isEnded { return }
        input.append(bytes)
        read()
    }

    /// The input has ended.
    mutating func finish() {
        isEnded = true
        read()
    }

    /// Returns the next event, or throws an error; `nil` if that needs more input.
    mutating func next() throws(XMLParseError) -> XMLStreamParser.Event? {
        if !isPending { read() }
        if !isPending { return nil }
        isPending = false
        guard let error = error.take() else { return event.take() }
        hasFailed = !mode.isFragments || error.kind == .invalidContext
        throw error
    }

    mutating func put(_ event: XMLStreamParser.Event) { (self.event, isPending) = (event, true) }

    mutating func put(_ error: XMLParseError) { (self.error, isPending) = (error, true) }

    /// Reads up to the next event.
    @inline(never)
    mutating func read() {
        while !isPending, hasUnread || beginSlice() {
            work()
            hasUnread = isPending
            if !isPending, isFinal {
                if case .reading = phase, isUnfinished { failAtEnd() }
                phase = .stopped
            }
            if isStopped {
                input.removeAll(keeping: Self.keptInput)
                readable = 0
            }
        }
    }

    /// Reveals a slice of the waiting bytes, or the end of the input after them.
    private mutating func beginSlice() -> Bool {
        if isStopped { return false }
        // No tag is being read: an incomplete one is read again.
        decoded.removeAll(keeping: Self.keptInput)
        if readable < input.count {
            readable = min(readable + Self.sliceLength, input.count)
            return true
        }
        isFinal = isEnded
        return isFinal
    }

    private mutating func work() {
        while !isStopped, !isPending {
            if case .searching(let atLineStart) = phase, !findFragment(atLineStart) { return }
            readInput()
            if case .searching = phase { continue }
            return
        }
    }

    // MARK: Slices

    /// Reads all complete tokens up to the bound. If the bound changes, it reads again up to the new one.
    private mutating func readInput() {
        if hasInvalidContext, readable > 0 { return fail(.invalidContext, at: 0) }
        repeat {
            isBoundChanged = false
            // A bound never precedes the read position.
            let end = min(readable, bound - base.offset)
            let isCut = end < readable
            isLast = isFinal && !isCut
            let saved = input.replace(at: end, with: 0)
            if isTagComplete(end) { place = content(input.view, place, end) }
            let isReached = isCut && !isBoundChanged && mistake == nil && !isPending
            if isReached { readBeginning(input.view, place, end) }
            _ = input.replace(at: end, with: saved)
            if let mistake { return fail(mistake.kind, at: mistake.index) }
            if isReached, !passBound(input.view, place, end) { return }
            // Bytes of the slice stay until it is read.
            if isPending { return }
        } while isBoundChanged
        pass(place)
        dropZeros()
        awaitTag()
    }

    /// Handles input beyond the bound. Returns whether reading continues.
    private mutating func passBound(_ view: ByteView, _ place: Int, _ end: Int) -> Bool {
        if let skipped {
            let maximum = limits.effectiveSkippedBytes
            fail(.limit(.skippedBytes, maximum: maximum), at: end, position: skipped.position)
            return false
        }
        let isTag = view[place] == .lessThan && !view[place + 1].isMarkupMark && view[place + 1] != UInt8(ascii: "/")
        if depth > outer || depth == outer && isTag { exceed(.bytes, view, place, end) }
        if !isSkipping {
            let position = mode == .document ? .start : position(of: place)
            fail(.limit(.bytes, maximum: limits.effectiveBytes), at: end, position: position)
        }
        return isSkipping
    }

    /// Sets the offset at which reading stops from now on.
    mutating func setBound(_ offset: Int) {
        let end = base.offset + readable
        if min(offset, end) != min(bound, end) { isBoundChanged = true }
        bound = offset
    }

    /// Bounds reading by the limit of bytes from `start` on. Returns false if the input has to be read again for that.
    mutating func limitBytes(from start: Int) -> Bool {
        if bound == .max { setBound(offset(of: start).saturatingAdd(limits.effectiveBytes)) }
        return !isBoundChanged
    }

    /// Reads the input again from the incomplete token, under another bound.
    mutating func readAgain(upTo offset: Int) {
        bound = offset
        isBoundChanged = true
    }

    /// Whether the waiting tag is complete or wrong, or no tag waits.
    private mutating func isTagComplete(_ end: Int) -> Bool {
        guard var tag = finder else { return true }
        let found = tag.find(input.view, known, end)
        known = found ?? end
        let isComplete = found != nil || isLast
        finder = isComplete ? nil : tag
        return isComplete
    }

    /// Looks for the end of the tag at the beginning of `input`. All complete or wrong input was read before.
    private mutating func awaitTag() {
        let view = input.view
        guard readable > 1, view[0] == .lessThan, !view[1].isMarkupMark else { return }
        if section != nil || isSkipping || finder != nil { return }
        finder = TagFinder(isEndTag: view[1] == UInt8(ascii: "/"))
        known = 1
        _ = isTagComplete(readable)
    }

    /// Drops the first bytes of `input`, which were read, and counts their lines.
    mutating func pass(_ count: Int) {
        countLines(upTo: count)
        input.removeFirst(count)
        readable -= count
        place = 0
        known = max(0, known - count)
        if count > 0 { droppedZeros = 0 }
        input.shrink(to: Self.keptInput)
    }

    /// Counts lines up to an index, and places the elements and the section that begin before it.
    private mutating func countLines(upTo count: Int) {
        var mark = placeOpen(from: counted.offset > base.offset ? counted : base)
        if section != nil, sectionStart.line == 0 {
            mark.advance(over: input.view.bytes(mark.offset - base.offset, sectionStart.offset - base.offset))
            sectionStart = mark
        }
        mark.advance(over: input.view.bytes(mark.offset - base.offset, count))
        base = mark
    }

    /// The position of a beginning, with its line.
    mutating func placed(_ start: SourcePosition) -> SourcePosition {
        if start.line > 0 { return start }
        counted = position(of: start.offset - base.offset)
        return counted
    }

    /// Counts lines up to the beginnings of the open elements. Returns the last counted position.
    private mutating func placeOpen(from start: SourcePosition) -> SourcePosition {
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

    // MARK: Beginnings of elements

    /// Whether an element may begin outside of trees.
    @inline(never)
    mutating func mayBegin(_ start: Int, _ end: Int) -> Bool {
        // The next byte decides the kind of markup.
        if start + 1 == end { return false }
        if isComplete, !mayRestart { return refused(.contentAfterEnd, at: start) ?? false }
        return limitBytes(from: start)
    }

    /// Whether the name of an open element is that of a stream's root.
    @inline(never)
    func isHeader(_ name: UInt32) -> Bool {
        let record = names.records[Int(name)]
        let written = names.bytes(of: name)
        let local = written[(record.prefix == Names.noPrefix ? 0 : Int(record.prefixLength) + 1)...]
        let namespace = names.bytes(ofNamespace: names.bindings[Int(record.prefix)])
        return isHeader(written, local: local, in: namespace)
    }

    /// Whether a tag is that of a stream's root: of `stream:stream` as written, or of `stream` in the namespace of
    /// streams. A tag with another binding of the usual prefix is a mistake of its stream, not a stanza.
    func isHeader(
        _ written: UnsafeBufferPointer<UInt8>, local: Slice<UnsafeBufferPointer<UInt8>>,
        in namespace: some Sequence<UInt8>
    ) -> Bool {
        if !local.elementsEqual("stream".utf8) { return false }
        return written.elementsEqual("stream:stream".utf8) || namespace.elementsEqual(XMLNamespace.stream.utf8)
    }

    // MARK: Trees and events

    @inline(__always)
    mutating func endElement() {
        depth &-= 1
        unbind(downTo: open[depth].replaced)
        if depth <= outer { return endOuterElement() }
        open.removeLast(downTo: depth)
        assembler.endElement()
    }

    @inline(never)
    private mutating func endOuterElement() {
        let start = open[depth].start
        open.removeLast(downTo: depth)
        if depth < outer {
            isComplete = true
            setBound(.max)
            put(.streamEnd)
            return
        }
        assembler.endElement()
        put(.element(Element(tree: makeTree(), index: .root), placed(start)))
        endTree()
    }

    /// The tree whose elements have ended.
    mutating func makeTree() -> Tree {
        updateDictionary()
        // As a function's result, the dictionary would be retained and released.
        return assembler.finish(dictionary)
    }

    /// Ends a tree or a skipped stanza.
    mutating func endTree() {
        if mode == .document {
            isComplete = true
        } else {
            setBound(.max)
            recycle()
        }
    }

    /// Queues the event for the start tag of a stream's root.
    mutating func finishHeader(_ tag: UnsafeBufferPointer<UInt8>) {
        var bindings = NamespaceContext()
        var prefixes: [StringMap.Entry] = []
        for number in 0..<attributes.count {
            let name = attributes[number].name
            let declares = names.records[Int(name)].declares
            if declares == 0 { continue }
            let namespace = String(decoding: names.bytes(ofNamespace: names.bindings[Int(declares - 1)]), as: UTF8.self)
            if declares != Names.noPrefix + 1 {
                let prefix = names.bytes(of: name).dropFirst("xmlns:".utf8.count)
                prefixes.append((String(decoding: prefix, as: UTF8.self), namespace))
            } else if !namespace.isEmpty {
                bindings.defaultNamespace = namespace
            }
        }
        bindings.prefixes = StringMap(prefixes)
        surroundings = SharedNamespaceContext(bindings)
        names.rememberSurroundings()
        rootName = Array(names.bytes(of: open[0].name))
        // The bindings last as long as the stream.
        outerDeclarations = replaced.count
        replaced.removeLast(downTo: 0)
        open[0].replaced = 0
        open[0].start = placed(open[0].start)
        setBound(.max)
        assembler.endElement()
        let element = Element(tree: makeTree(), index: .root)
        let header = XMLStreamParser.StreamHeader(
            element: element, namespaces: bindings, position: open[0].start, tag: Array(tag))
        put(.streamStart(header))
    }

    private mutating func updateDictionary() {
        if dictionary.names === names.writer.table && dictionary.context === surroundings { return }
        dictionary = TreeDictionary(names: names.writer.table, context: surroundings)
    }

    // MARK: Recycling

    /// Drops the names that a long stream accumulates, between two trees.
    @inline(__always)
    mutating func recycle() {
        if names.writer.isNearlyFull { names.renewTable() }
        if names.hasGrown(beyond: renewal) { renewNames() }
    }

    /// Forgets all names but those around trees.
    @inline(never)
    private mutating func renewNames() {
        names = Names()
        if let surroundings { _ = names.bind(surroundings.context) }
        guard outer == 1 else { return }
        rootName.withUnsafeBufferPointer { name in
            let buffer = InputBuffer(name)
            let view = buffer.view
            // The bytes are a valid name, because they were one before.
            if let number = names.find(view, 0, view.block(at: 0), name.count) { open[0].name = number }
        }
    }
}
