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

struct Parser {
    /// The part before a segment: it decides which segments may lack a name (3.6).
    enum Place {
        case start
        case rootedStart
        case afterParent
        case afterElement
    }

    /// An open bracket: recovery has to find its end first.
    enum Enclosure {
        case filter
        case form
        case predicate
    }

    var lexer: Lexer
    var tree = QueryTree()
    var diagnostics: [Diagnostic] = []
    var enclosure: Enclosure?

    /// Whether arguments are slots, so that the query has no specifiers.
    let hasSlotsOnly: Bool

    init(_ source: String) {
        lexer = Lexer(source)
        hasSlotsOnly = false
    }

    init(_ text: QueryText) {
        lexer = Lexer(text)
        hasSlotsOnly = true
    }

    // MARK: Path

    /// query ::= ( '/' rootedPath | path )?
    mutating func parseQuery() {
        guard !lexer.isAtEnd else { return }
        tree.isRooted = lexer.lex(.slash)
        var place = tree.isRooted ? Place.rootedStart : .start
        repeat {
            let segment = parseSegment(at: place)
            tree.segments.append(segment)
            place = if case .ascend = segment.step { .afterParent } else { .afterElement }
        } while diagnostics.count < QueryLimits.diagnostics && lexer.lex(.slash)
    }

    /// segment ::= element ending? | '..' | filter* ending
    private mutating func parseSegment(at place: Place) -> Segment {
        let start = lexer.position
        var segment = Segment(step: .elements(.anyElement), filters: [], range: start..<start)
        tree.extraction = nil
        tree.extractionRange = nil
        tree.conversion = nil
        tree.conversionRange = nil
        do throws(Diagnostic) {
            if let step = try parseStep() {
                segment.step = step
                try parseFilters(of: &segment)
            } else {
                try parseFilters(of: &segment)
                segment.step = try expectNamelessStep(at: place, after: segment.filters)
            }
            segment.range = start..<lexer.position
            try parseEnding(of: segment)
        } catch {
            report(blamingSlot(error))
            recover()
            if segment.range.isEmpty { segment.range = start..<lexer.position }
        }
        return segment
    }

    /// nodeTest ::= namespace nameTest? | nameTest
    ///
    /// `..` is read here as well: it looks like a name.
    private mutating func parseStep() throws(Diagnostic) -> Segment.Step? {
        let namespace = try parseNamespace()
        if let name = try parseNameTest() {
            return .elements(ElementTest(name: name, namespace: namespace ?? .inherited))
        }
        if let slot = try parseNameSlot() {
            return .elements(ElementTest(name: .slot(slot), namespace: namespace ?? .inherited))
        }
        if let name = lexer.lexName() {
            guard lexer.isParent(name) else {
                return .elements(ElementTest(name: .named(lexer.text(name)), namespace: namespace ?? .inherited))
            }
            guard namespace == nil else { throw Diagnostic(.parentIsNoName, at: lexer.nextRange) }
            return .ascend
        }
        return namespace.map { .elements(ElementTest(name: .any, namespace: $0)) }
    }

    /// namespace ::= '{' [^}]+ '}', where '*' alone is any namespace
    private mutating func parseNamespace() throws(Diagnostic) -> ElementTest.NamespaceTest? {
        switch try parseBraces() {
        case nil: nil
        case .text("*"): .any
        case .text(let uri): .named(uri)
        case .slot(let slot): .slot(slot)
        }
    }

    /// ( '{' [^}]+ '}' )?, where an attribute cannot have '*' alone: attributes are looked up, not searched.
    mutating func parseBraces(ofAttribute: Bool = false) throws(Diagnostic) -> NamePiece? {
        let start = lexer.position
        guard lexer.lex(.openBrace) else { return nil }
        let range = lexer.lexVerbatim(until: .closeBrace)
        if let slot = try wholeSlot(in: range) {
            guard lexer.lex(.closeBrace) else { throw unexpected(.closingBrace) }
            return .slot(slot)
        }
        let uri = lexer.text(range)
        guard !lexer.isAtEnd else { throw unexpected(.closingBrace) }
        if uri.isEmpty {
            let fix =
                ofAttribute ? nil : Fix(replacing: lexer.position..<lexer.position, with: "*", shown: "{*}")
            throw Diagnostic(.emptyBraces, at: lexer.nextRange, fix: fix)
        }
        if ofAttribute, uri == "*" {
            let end = lexer.position + 1
            let isRepeated = lexer.bytes[end...].first == .openBrace
            let fix = isRepeated ? nil : fixInQuery(removing: start..<end)
            throw Diagnostic(.anyNamespaceOfAttribute, at: lexer.nextRange, fix: fix)
        }
        _ = lexer.lex(.closeBrace)
        return .text(uri)
    }

    /// nameTest ::= '*' | '!' name | name, without the last, which may be '..'
    private mutating func parseNameTest() throws(Diagnostic) -> ElementTest.NameTest? {
        if lexer.lex(.asterisk) { return .any }
        guard lexer.lex(.exclamation) else { return nil }
        if let slot = try parseNameSlot() { return .notSlot(slot) }
        guard let name = lexer.lexName() else {
            throw Diagnostic(.negationNeedsName(found: lexer.nextScalar), at: lexer.nextRange)
        }
        guard !lexer.isParent(name) else { throw Diagnostic(.parentIsNoName, at: lexer.nextRange) }
        return .not(lexer.text(name))
    }

    /// The meaning of a segment without a name, where one is allowed (3.6); elsewhere an error with the right form.
    private mutating func expectNamelessStep(
        at place: Place,
        after filters: [Filter]
    ) throws(Diagnostic) -> Segment.Step {
        switch (place, lexer.next) {
        case (_, .some(.backslash)):
            return .elements(.dataForm)
        case (.rootedStart, _) where !filters.isEmpty:
            return .elements(.anyElement)
        case (_, let next) where !filters.isEmpty:
            let fix = next == .bar ? nil : fixInQuery(inserting: "*", at: filters[0].range.lowerBound)
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
            throw Diagnostic(.trailingSlash, at: lexer.nextRange, fix: fixWithoutSlash())
        case (_, .some):
            throw unexpected(.segment)
        }
    }

    // MARK: Ending

    /// ending ::= extraction conversion?, and nothing more before the next '/'
    private mutating func parseEnding(of segment: Segment) throws(Diagnostic) {
        let isParent = if case .ascend = segment.step { true } else { false }
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
            tree.extraction = extraction
            tree.extractionRange = extractionRange
            if isParent {
                let fix = fixInQuery(inserting: "/", at: start)
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
        let nothing = isParent ? Problem.Unconvertible.parent : .elements
        if let unconvertible = extraction.map(\.unconvertible) ?? nothing {
            let fix: Fix? =
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
                Fix(replacing: name, with: $0.rawValue, shown: "|" + $0.rawValue)
            }
            report(Diagnostic(.unknownConversion(name: text), at: name, fix: fix))
            return
        }
        tree.conversion = conversion
        tree.conversionRange = name
    }

    private func rest(of segment: Segment, extraction: Extraction?) -> Problem.Expectation {
        if let extraction { return .extractionRest(convertible: extraction.isConvertible) }
        switch segment.step {
        case .ascend: return .parentRest
        case .elements(let test):
            if case .any = test.name, segment.filters.isEmpty, lexer.bytes[segment.range].last == .closeBrace {
                return .nameOrRest
            }
            return .segmentRest
        case .selfNode: return .segmentRest
        }
    }
}
