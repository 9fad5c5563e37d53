// Filters, attribute names and the values of filters (3.7, 4.3, 6.1), and slots for names and values.
//
//     filter        ::= '<' attributeName ( '=' value | '~' regex ) '>'
//     attributeName ::= ( '{' namespace '}' )? name
//     value         ::= ( [^>%] | '%%' | specifier )+, and slots instead of specifiers
//     regex         ::= [^>]+
//     specifier     ::= '%' [-+0# ]* width? ( '.' precision? )? length? conversion

extension Parser {
    /// The condition that every value meets.
    static let presence = "~^.*$"

    /// filter*
    mutating func parseFilters() throws(Diagnostic) {
        if segment.isParent, lexer.next == .less { throw Diagnostic(.parentTakesNoFilter, at: lexer.nextRange) }
        while lexer.next == .less {
            let node = nodes.count
            do throws(Diagnostic) {
                try expectFilter()
            } catch {
                // Only complete filters are in the tree.
                nodes.remove(from: node)
                throw error
            }
        }
    }

    /// filter ::= '<' attributeName ( '=' value | '~' regex ) '>'
    mutating func expectFilter() throws(Diagnostic) {
        let start = lexer.position
        enclosure = .greater
        lexer.skipByte()
        let nameStart = lexer.position
        if lexer.next == .at { throw attributeSign() }
        let attribute = try expectAttributeName()
        let name = nameStart..<lexer.position
        let condition: Filter.Condition
        let valueStart = lexer.position + 1
        // The pieces of the value follow the filter.
        let node = nodes.count
        nodes.append(.part(.text), start..<start)
        if lexer.lex(.equals) {
            condition = try expectValue(ofFilterAt: start, attribute: name) ? .equalsParts : .equals
        } else if lexer.lex(.tilde) {
            try expectRegex(ofFilterAt: start, attribute: name)
            condition = .matches
        } else if lexer.next == .greater {
            let fix = fixFilter(behind: name.upperBound, to: Self.presence, from: start)
            throw Diagnostic(.filterNeedsCondition, at: lexer.nextRange, fix: fix)
        } else {
            let fix = fixInequality(behind: name, from: start)
            throw unexpected(.condition, fix: fix)
        }
        let value = valueStart..<lexer.position
        nodes.valueLength += value.count
        guard lexer.lex(.greater) else { throw unexpected(.filterEnd) }
        enclosure = nil
        let filter = Filter(
            attribute: attribute, condition: condition, value: TextRange(value), name: TextRange(name))
        nodes[node] = QueryNode(.filter(filter), start..<lexer.position)
    }

    /// attributeName ::= ( '{' namespace '}' )? name
    mutating func expectAttributeName() throws(Diagnostic) -> AttributeName {
        let namespace = lexer.lex(.openBrace) ? try expectNamespace(ofAttribute: true) : nil
        guard let name = try parseName() else {
            throw Diagnostic(
                .attributeNeedsName(found: lexer.nextScalar), at: lexer.nextRange, fix: fixToAllAttributes())
        }
        return AttributeName(namespace: namespace, name: name)
    }

    /// regex ::= [^>]+
    private mutating func expectRegex(ofFilterAt start: Int, attribute: SourceRange) throws(Diagnostic) {
        let range = lexer.lexVerbatim(until: .greater)
        if let slot = lexer.slot(in: range) { throw misplaced(slot) }
        guard !lexer.isAtEnd else { throw unexpected(.filterEnd) }
        guard !range.isEmpty else {
            let fix = fixFilter(behind: attribute.upperBound, to: Self.presence, from: start)
            throw Diagnostic(.emptyRegex, at: lexer.nextRange, fix: fix)
        }
        try checkBraces(ofPattern: range, inFilterAt: start)
    }

    /// Refuses braces in a pattern that versions of PCRE2 read differently.
    private func checkBraces(ofPattern range: SourceRange, inFilterAt start: Int) throws(Diagnostic) {
        guard lexer.bytes[range].contains(.openBrace) else { return }
        let braces = PatternBraces(Array(lexer.bytes[range]))
        guard let first = braces.first else { return }
        let place = first.range
        let shown = lexer.text((range.lowerBound + place.lowerBound)..<(range.lowerBound + place.upperBound))
        let message =
            switch first.mistake {
            case .repetition: "versions of PCRE2 read '\(shown)' differently"
            case .tooManyRepetitions: "number too big in {} quantifier"
            case .escape: "versions of PCRE2 read spaces in '\(shown)' differently"
            }
        let repaired = braces.repaired.map { String(decoding: $0, as: UTF8.self) }
        let fix = repaired.flatMap { fixFilter(behind: range.lowerBound, to: $0, from: start) }
        throw Diagnostic(.invalidRegex(message: message, offset: place.lowerBound), at: range, fix: fix)
    }

    /// value ::= ( [^>%] | '%%' | specifier )+
    ///
    /// Adds its pieces to the tree, unless it is one text. Returns whether it did.
    private mutating func expectValue(ofFilterAt start: Int, attribute: SourceRange) throws(Diagnostic) -> Bool {
        if lexer.next == .greater {
            let fix = fixFilter(behind: attribute.upperBound, to: "~^$", from: start)
            throw Diagnostic(.emptyValue, at: lexer.nextRange, fix: fix)
        }
        var hasParts = false
        var textStart = lexer.position
        while true {
            lexer.lexValue()
            let end = lexer.position
            let part: ValuePart
            if let slot = lexer.lexSlot() {
                part = .slot(slot)
            } else {
                guard lexer.lex(.percent) else { break }
                if lexer.lex(.percent) { continue }
                part = .specifier(try expectSpecifier(from: end, ofFilterAt: start))
            }
            addText(textStart..<end)
            nodes.append(.part(part), end..<lexer.position)
            nodes.pieceCount += 1
            textStart = lexer.position
            hasParts = true
        }
        guard hasParts else { return false }
        addText(textStart..<lexer.position)
        // The end of the value is a piece, too.
        nodes.pieceCount += 1
        return true
    }

    private mutating func addText(_ range: SourceRange) {
        if range.isEmpty { return }
        nodes.append(.part(.text), range)
        nodes.pieceCount += 1
    }

    // MARK: Specifiers

    /// specifier ::= '%' flag* width? ( '.' precision? )? length? conversion, after its '%'
    private mutating func expectSpecifier(
        from percent: Int, ofFilterAt start: Int
    ) throws(Diagnostic) -> FormatSpecifier {
        // Nearly all specifiers are `%@`.
        if lexer.next == .at, !hasSlotsOnly {
            lexer.skipByte()
            return FormatSpecifier(.any, range: percent..<lexer.position)
        }
        let flags = parseFlags()
        let width = try parseSpecifierNumber()
        let precision = lexer.lex(.dot) ? try parseSpecifierNumber() ?? 0 : nil
        let length = parseLength()
        guard let conversion = parseConversionLetter() else {
            let fix = fixToPercent(at: percent, from: start)
            let found = lexer.next == .slot ? "\\" : lexer.nextScalar
            throw Diagnostic(.invalidSpecifier(found: found), at: lexer.nextRange, fix: fix)
        }
        let range = percent..<lexer.position
        guard !hasSlotsOnly else { throw Diagnostic(.specifierAmongSlots, at: range) }
        return FormatSpecifier(
            conversion, flags: flags, width: width, precision: precision, length: length, range: range
        )
    }

    /// flag* ::= [-+0# ]*
    private mutating func parseFlags() -> FormatSpecifier.Flags {
        var flags: FormatSpecifier.Flags = []
        while let (byte, flag) = FormatSpecifier.Flags.spellings.first(where: { $0.byte == lexer.next }) {
            _ = lexer.lex(byte)
            flags.insert(flag)
        }
        return flags
    }

    /// [0-9]*, up to the limit
    private mutating func parseSpecifierNumber() throws(Diagnostic) -> Int? {
        var number: Int?
        while true {
            let range = lexer.nextRange
            guard let digit = lexer.lexDigit() else { return number }
            let grown = (number ?? 0) * 10 + digit
            guard grown <= QueryLimits.specifierNumber else { throw Diagnostic(.specifierNumberTooLarge, at: range) }
            number = grown
        }
    }

    /// length ::= 'h' | 'hh' | 'l' | 'll' | 'q' | 'j' | 't' | 'z' | 'L'
    private mutating func parseLength() -> String {
        guard let letter = lexer.next, "hlqjtzL".utf8.contains(letter) else { return "" }
        let start = lexer.position
        lexer.skipByte()
        if letter == UInt8(ascii: "h") || letter == UInt8(ascii: "l") { _ = lexer.lex(letter) }
        return lexer.text(start..<lexer.position)
    }

    /// conversion ::= [@diuxXocsfeg]
    private mutating func parseConversionLetter() -> FormatSpecifier.Conversion? {
        guard let byte = lexer.next else { return nil }
        guard let conversion = FormatSpecifier.Conversion(rawValue: Character(Unicode.Scalar(byte))) else { return nil }
        lexer.skipByte()
        return conversion
    }

    // MARK: Slots

    /// A name, or a slot for a whole name: no other part of the name may be adjacent to it.
    mutating func parseName() throws(Diagnostic) -> NamePiece? {
        guard let slot = lexer.lexSlot() else { return lexer.lexName().map { .text(TextRange($0)) } }
        guard lexer.next != .slot, lexer.lexName() == nil else { throw misplaced(slot) }
        return .slot(slot)
    }

    /// The slot that a range consists of; nil if it holds none.
    @inline(__always)
    func wholeSlot(in range: SourceRange) throws(Diagnostic) -> Int? {
        guard let slot = lexer.slot(in: range) else { return nil }
        guard lexer.range(ofSlot: slot) == range else { throw misplaced(slot) }
        return slot
    }

    func misplaced(_ slot: Int) -> Diagnostic { Diagnostic(.misplacedSlot, at: lexer.range(ofSlot: slot)) }

    /// If a slot begins at the mistake, the slot is the mistake; but after a percent sign, that sign is.
    func blamingSlot(_ diagnostic: Diagnostic) -> Diagnostic {
        guard let slot = lexer.slot(at: diagnostic.range.lowerBound) else { return diagnostic }
        if case .invalidSpecifier = diagnostic.problem { return diagnostic }
        return misplaced(slot)
    }
}
