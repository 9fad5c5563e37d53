// The parser: reads the path segment by segment and builds the tree. A mistake ends its segment, not the query.
//
//     query         ::= ( '/' rootedPath | path )?
//     rootedPath    ::= ( element | filter+ ) continuation | parent | ending
//     path          ::= element continuation | parent | nameless
//     continuation  ::= ending? | '/' path
//     parent        ::= '..' ( '/' ( path | nameEnding ) )?
//     element       ::= nodeTest filter*
//     nameless      ::= attributeEnding | allAttributes | textEnding | filter* formEnding
//     ending        ::= attributeEnding | allAttributes | textEnding | nameEnding | formEnding
//
// Grammar/stanza-query.ebnf has the whole grammar, down to the characters. A path is recursive there; here it is a
// loop, and `Place` decides which nameless segment may come next. The parser also reads three constructs that the
// grammar does not allow, because they have errors of their own: extractions before the end and after '..', and
// conversions anywhere.
//
// `parseX` reads an optional part, `expectX` consumes a mandatory part or throws the diagnostic. A syntax error begins
// at the first character that cannot continue any query (7.2); each throwing place below is such a character. Nothing
// recurses: segments, filters and characters are loops, and the parser reads each byte a constant number of times.

package struct Parser: ~Copyable {
    /// The part before a segment: it decides which segments may lack a name (3.6).
    enum Place {
        case start
        case rootedStart
        case afterParent
        case afterElement
    }

    var lexer: Lexer
    package private(set) var isRooted = false
    package internal(set) var nodes: NodeList
    package internal(set) var diagnostics: [Diagnostic] = []
    /// The mark that ends an open filter, form query or bracket: recovery has to find it first.
    var enclosure: UInt8?
    /// Whether arguments are slots, so that the query has no specifiers.
    let hasSlotsOnly: Bool
    /// The node of the current segment's step.
    private var step = 0

    /// Parses a query, and calls the body with the parser.
    package static func read(
        _ source: String, slots: [SourceRange], hasSlotsOnly: Bool, _ body: (borrowing Parser) -> Void
    ) {
        withUnsafeTemporaryAllocation(of: QueryNode.self, capacity: NodeList.usualCount) { memory in
            Lexer.read(source, slots: slots) { lexer in
                var parser = Parser(lexer: lexer, nodes: NodeList(memory), hasSlotsOnly: hasSlotsOnly)
                parser.parseQuery()
                body(parser)
            }
        }
    }

    private init(lexer: Lexer, nodes: consuming NodeList, hasSlotsOnly: Bool) {
        self.lexer = lexer
        self.nodes = nodes
        self.hasSlotsOnly = hasSlotsOnly
    }

    /// The query's text.
    package var text: UnsafeBufferPointer<UInt8> { lexer.shownBytes }

    // MARK: Path

    /// query ::= ( '/' rootedPath | path )?
    mutating func parseQuery() {
        guard !lexer.isAtEnd else { return }
        isRooted = lexer.lex(.slash)
        var place = isRooted ? Place.rootedStart : .start
        repeat {
            parseSegment(at: place)
            place = if case .ascend = nodes[step].content { .afterParent } else { .afterElement }
        } while diagnostics.count < QueryLimits.diagnostics && lexer.lex(.slash)
    }

    /// The current segment, as far as the parser has read it.
    var segment: Segment { Segment(node: nodes[step], index: step, hasFilters: nodes.count > step + 1) }

    /// The segment before the current one.
    var previousSegment: Segment? {
        nodes.all[..<step].lastIndex(where: \.isStep).map {
            Segment(node: nodes[$0], index: $0, hasFilters: $0 + 1 < step)
        }
    }

    /// segment ::= element ending? | '..' | filter* ending
    private mutating func parseSegment(at place: Place) {
        let start = lexer.position
        // Only the last segment has an extraction; another one is a mistake.
        if !diagnostics.isEmpty { while nodes.all.last?.isResult == true { nodes.remove(from: nodes.count - 1) } }
        step = nodes.count
        do throws(Diagnostic) {
            let content = try parseStep()
            if let content, lexer.next != .less {
                nodes.append(content, start..<lexer.position)
            } else {
                nodes.append(content ?? .elements(.anyElement), start..<start)
                try parseFilters()
                if content == nil { nodes[step].content = try expectNamelessStep(at: place) }
                nodes[step].range = start..<lexer.position
            }
            if !lexer.isAtEnd, lexer.next != .slash { try expectEnding() }
        } catch {
            if nodes.count == step { nodes.append(.elements(.anyElement), start..<start) }
            report(blamingSlot(error))
            recover()
            if segment.range.isEmpty, nodes.all.last?.isResult != true { nodes[step].range = start..<lexer.position }
        }
    }

    /// nodeTest ::= namespace nameTest? | nameTest
    /// nameTest ::= '*' | '!' name | name
    ///
    /// `..` is read here as well: it looks like a name.
    @inline(__always)
    private mutating func parseStep() throws(Diagnostic) -> QueryNode.Content? {
        let namespace = try parseNamespace()
        var test = ElementTest.NameTest.any
        if !lexer.lex(.asterisk) {
            let isExcluded = lexer.lex(.exclamation)
            if let name = try parseName() {
                if case .text(let place) = name, lexer.isParent(place.range) {
                    if isExcluded || namespace != nil { throw Diagnostic(.parentIsNoName, at: lexer.nextRange) }
                    return .ascend
                }
                if isExcluded { nodes.exclusionCount += 1 }
                test = isExcluded ? .not(name) : .named(name)
            } else if isExcluded {
                throw Diagnostic(.negationNeedsName(found: lexer.nextScalar), at: lexer.nextRange)
            } else if namespace == nil {
                return nil
            }
        }
        return .elements(ElementTest(name: test, namespace: namespace ?? .inherited))
    }

    /// namespace ::= '{' [^}]+ '}', where '*' alone is any namespace
    @inline(__always)
    private mutating func parseNamespace() throws(Diagnostic) -> ElementTest.NamespaceTest? {
        guard lexer.lex(.openBrace) else { return nil }
        let name = try expectNamespace()
        if case .text(let place) = name, isAsterisk(place.range) { return .any }
        return .named(name)
    }

    func isAsterisk(_ range: SourceRange) -> Bool { range.count == 1 && lexer.bytes[range.lowerBound] == .asterisk }

    /// [^}]+ '}', where an attribute cannot have '*' alone: attributes are looked up, not searched.
    mutating func expectNamespace(ofAttribute: Bool = false) throws(Diagnostic) -> NamePiece {
        let start = lexer.position - 1
        let range = lexer.lexVerbatim(until: .closeBrace)
        if let slot = try wholeSlot(in: range) {
            guard lexer.lex(.closeBrace) else { throw unexpected(.closingBrace) }
            return .slot(slot)
        }
        guard !lexer.isAtEnd else { throw unexpected(.closingBrace) }
        if range.isEmpty {
            let fix = ofAttribute ? nil : Diagnostic.Fix(range: range, replacement: "*", shown: "{*}")
            throw Diagnostic(.emptyBraces, at: lexer.nextRange, fix: fix)
        }
        if ofAttribute, isAsterisk(range) {
            let end = lexer.position + 1
            let isRepeated = lexer.bytes[end...].first == .openBrace
            let fix = isRepeated ? nil : fixInQuery(removing: start..<end)
            throw Diagnostic(.anyNamespaceOfAttribute, at: lexer.nextRange, fix: fix)
        }
        _ = lexer.lex(.closeBrace)
        return .text(TextRange(range))
    }

    /// The meaning of a segment without a name, where one is allowed (3.6); elsewhere an error with the right form.
    private mutating func expectNamelessStep(at place: Place) throws(Diagnostic) -> QueryNode.Content {
        let hasFilters = segment.hasFilters
        switch (place, lexer.next) {
        case (_, .some(.backslash)):
            return .elements(.dataForm)
        case (.rootedStart, _) where hasFilters:
            return .elements(.anyElement)
        case (let place, let next) where hasFilters:
            let start = segment.range.lowerBound
            let fix =
                switch place {
                case _ where next == .bar: nil as Diagnostic.Fix?
                case .start: fixInQuery(replacing: start..<start, with: "/")
                case .afterElement: fixWithoutSlash(before: start)
                case .rootedStart, .afterParent: fixInQuery(replacing: start..<start, with: "*")
                }
            throw Diagnostic(.filterNeedsName, at: lexer.nextRange, fix: fix)
        case (.rootedStart, .some(.at)), (.rootedStart, .some(.hash)), (.rootedStart, .some(.dollar)):
            return .elements(.anyElement)
        case (_, .some(.at)), (.afterParent, .some(.hash)), (.afterParent, .some(.dollar)):
            return .selfNode
        case (_, .some(.hash)):
            return .elements(.anyInherited)
        case (_, .some(.dollar)):
            let fix = fixToOneSign(from: lexer.position, with: "*$")
            throw Diagnostic(.nameExtractionNeedsName, at: lexer.nextRange, fix: fix)
        case (_, .some(.bar)):
            throw Diagnostic(.conversionNeedsExtraction, at: lexer.nextRange)
        case (_, .some(.slash)):
            if let scheme = segmentOfScheme { throw namespaceWithoutBraces(from: scheme.lowerBound) }
            throw Diagnostic(.emptySegment, at: lexer.nextRange, fix: fixToOneSlash())
        case (_, .some(.openBracket)):
            throw predicate(behind: nil)
        case (.rootedStart, nil):
            throw Diagnostic(.loneSlash, at: lexer.nextRange)
        case (_, nil):
            throw Diagnostic(.trailingSlash, at: lexer.nextRange, fix: fixWithoutSlash(before: lexer.position))
        case (_, .some):
            throw unexpected(.segment)
        }
    }

    // MARK: Ending

    /// ending ::= extraction conversion?, and nothing more before the next '/'
    private mutating func expectEnding() throws(Diagnostic) {
        let isParent = segment.isParent
        let start = lexer.position
        let extraction: Extraction?
        do throws(Diagnostic) {
            if isAtOldFilter { throw oldFilter(of: segment) }
            extraction = try parseExtraction()
        } catch {
            // In any case, '..' has no extraction, and this mistake begins before any mistake in the extraction.
            if isParent { report(Diagnostic(.extractionOfParent, at: start..<max(lexer.position, start + 1))) }
            throw error
        }
        let extractionRange = start..<lexer.position
        if let extraction {
            nodes.append(.extraction(extraction), extractionRange)
            if isParent {
                let fix = fixInQuery(replacing: start..<start, with: "/")
                report(Diagnostic(.extractionOfParent, at: extractionRange, fix: fix))
            }
        }
        defer {
            // The text after the conversion decides; recovery must not make a mistake to the left of a real one.
            if extraction != nil, !isParent, lexer.next == .slash {
                let slash = lexer.nextRange
                let fix = slash.upperBound == lexer.bytes.count ? fixInQuery(removing: slash) : nil
                report(Diagnostic(.extractionBeforeEnd, at: extractionRange, fix: fix))
            }
        }
        if lexer.next == .bar {
            parseConversion(after: extraction, isParent: isParent)
        } else if lexer.next == .closeBrace, extraction == nil, segment.isBareName {
            throw namespaceWithoutBraces(from: segment.range.lowerBound)
        } else if !lexer.isAtEnd, lexer.next != .slash {
            if let mistake = mistakeOfOtherLanguage(in: segment, extraction) { throw mistake }
            throw unexpected(rest(of: segment, extraction: extraction), fix: fixToOneSign(behind: extraction))
        }
    }

    /// conversion ::= '|' conversionName
    private mutating func parseConversion(after extraction: Extraction?, isParent: Bool) {
        let start = lexer.position
        lexer.skipByte()
        let name = lexer.lexVerbatim(until: .slash)
        let nothing = isParent ? Diagnostic.Problem.Unconvertible.parent : .elements
        if let unconvertible = extraction.map(\.unconvertible) ?? nothing {
            let fix: Diagnostic.Fix? =
                switch unconvertible {
                case .elements: fixToText(start..<name.upperBound, name: name, inserting: "#")
                case .parent: fixToText(start..<name.upperBound, name: name, inserting: "/#")
                case .attributes, .form, .fieldDescription: nil
                }
            report(Diagnostic(.misplacedConversion(of: unconvertible), at: start..<name.upperBound, fix: fix))
            return
        }
        if name.isEmpty {
            let bar = start..<name.lowerBound
            report(Diagnostic(.emptyConversion, at: lexer.nextRange, fix: fixInQuery(removing: bar)))
            return
        }
        if let slot = lexer.slot(in: name) {
            report(misplaced(slot))
            return
        }
        let text = lexer.text(name)
        guard let conversion = Conversion(rawValue: text) else {
            let fix = Conversion(resembling: text).map {
                Diagnostic.Fix(range: name, replacement: $0.rawValue, shown: "|" + $0.rawValue)
            }
            report(Diagnostic(.unknownConversion(name: text), at: name, fix: fix))
            return
        }
        nodes.append(.conversion(conversion), name)
    }

    private func rest(of segment: Segment, extraction: Extraction?) -> Diagnostic.Problem.Expectation {
        if let extraction { return extraction.unconvertible == nil ? .convertibleRest : .extractionRest }
        switch segment.node.content {
        case .ascend: return .parentRest
        case .elements(let test):
            if case .any = test.name, !segment.hasFilters, lexer.bytes[segment.range].last == .closeBrace {
                return .nameOrRest
            }
            return .segmentRest
        default: return .segmentRest
        }
    }
}

/// A growing list of nodes: in memory of the caller, or on the heap if it is long. Nodes hold no references.
package struct NodeList: ~Copyable {
    /// The nodes of nearly all queries; a constant, so that the memory is on the stack.
    static let usualCount = 16

    private var nodes: UnsafeMutableBufferPointer<QueryNode>
    private var isOnHeap = false
    package private(set) var count = 0
    /// What a compiler reserves memory for: the excluded names, the pieces of values, and the bytes of values, patterns
    /// and form queries. Removed nodes count, too.
    package internal(set) var (exclusionCount, pieceCount, valueLength) = (0, 0, 0)

    init(_ memory: UnsafeMutableBufferPointer<QueryNode>) { nodes = memory }

    deinit { if isOnHeap { nodes.deallocate() } }

    /// All nodes. Valid until the next change.
    package var all: UnsafeBufferPointer<QueryNode> { UnsafeBufferPointer(rebasing: nodes[..<count]) }

    subscript(index: Int) -> QueryNode {
        get {
            precondition(index < count)
            return nodes[index]
        }
        _modify {
            precondition(index < count)
            yield &nodes[index]
        }
    }

    @inline(__always)
    mutating func append(_ content: QueryNode.Content, _ range: SourceRange) {
        if count == nodes.count { grow() }
        nodes.initializeElement(at: count, to: QueryNode(content, range))
        count &+= 1
    }

    /// Removes the nodes from an index on.
    mutating func remove(from index: Int) { count = index }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutableBufferPointer<QueryNode>.allocate(capacity: 2 * count)
        _ = larger.initialize(fromContentsOf: nodes)
        if isOnHeap { nodes.deallocate() }
        (nodes, isOnHeap) = (larger, true)
    }
}

/// A step of the tree, as the parser's rules see it.
struct Segment {
    let node: QueryNode
    let index: Int
    let hasFilters: Bool

    var range: SourceRange { node.range }
    var isParent: Bool { if case .ascend = node.content { true } else { false } }
    var isElements: Bool { if case .elements = node.content { true } else { false } }

    /// Whether it is a name and nothing else.
    var isBareName: Bool {
        guard !hasFilters, !range.isEmpty, case .elements(let test) = node.content, case .named(.text) = test.name,
            case .inherited = test.namespace
        else { return false }
        return true
    }
}
