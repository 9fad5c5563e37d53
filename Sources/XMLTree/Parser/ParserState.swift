// A parser's whole state: one struct behind one pointer.
//
// libxml2's callbacks get that pointer and change the state through it while the reader (InputReader.swift) waits for
// libxml2 to return. So nobody may hold a `mutating` access to the state across `LibXML2Context.push`: the reader goes
// through the pointer each time. A class in the pointer's place would cost a dynamic exclusivity check for every field
// a callback touches.
//
// What happens to the state is in the files that begin with this name: +Elements, +Names and +Markup take libxml2's
// events, +Trees makes ours of them, +Waiting looks at what libxml2 waits with and +Tokens at single tags and
// references, +Errors ends a context, +Contexts begins and leaves one, +Places finds where something stands.

struct ParserState: ~Copyable {
    let mode: XMLStreamParser.Mode
    let limits: ParserLimits
    let renewal: Renewal
    /// How many elements are open around a tree: one in streams, and in fragments, which get a synthetic root.
    let level: Int

    // The trees.
    /// The number of open elements, the synthetic root among them.
    var depth = 0
    var assembler = TreeAssembler()
    var names = NameCache()
    /// What the root of the stream or the mode binds: shared by all trees.
    var surroundings: SharedNamespaceContext?
    /// What the last tree got: the same is good for the next one as long as names and surroundings are the same.
    var dictionary: TreeDictionary?
    /// Where the tree that is being read begins; its line is known when the `push` that began it is over.
    var treeStart = SourcePosition.start
    /// `nameCount` when the tree began. In a document all names count, those behind its root anew.
    var namesBeforeTree = 0
    /// Names that are in no tree: those of processing instructions, and those in a document type.
    var otherNames = 0
    /// The size of libxml2's dictionary when the context began, and when names were counted last.
    var firstDictionarySize = 0
    var dictionarySize = 0
    /// Where the last thing between trees ended: a tree, the stream's header, a comment, a reference to white space.
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
    /// Where the input of this context begins, without the synthetic root; negative if the context began with an input
    /// before this one.
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
    /// Where that begins which the limit of bytes has no more room for.
    var excess: SourcePosition?
    /// What is wrong with the bytes behind `fedEnd`, if libxml2 must not see them.
    var refusal: XMLParseError.Kind?
    /// Set when nothing that libxml2 still says counts.
    var stop: Stop?
    var phase = Phase.reading
    /// The beginning of a character whose rest is not yet there.
    var carry: [UInt8] = []
    /// What libxml2 has not been given of markup that has not ended.
    var held: HeldMarkup?
    /// The reference whose end libxml2 waits for.
    var reference: WaitingReference?
    /// Where the tag is wrong whose end libxml2 waits for: at a '<' in it, a quote in an end tag, or the '!' of what is
    /// no tag.
    var brokenTag: SourcePosition?
    /// What contexts that ended had been given and not read: it comes before all that was not yet given.
    var backlog: [UInt8] = []
    /// What was fed and waits until events are taken.
    var waiting = WaitingInput()

    /// Events; behind them, trees that are to become some.
    var queue = EventQueue()
    var pending = PendingTrees()

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
