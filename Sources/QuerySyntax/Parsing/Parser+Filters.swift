// Filters, attribute names and the values of filters (3.7, 4.3, 6.1).
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
    mutating func parseFilters(of segment: inout Segment) throws(Diagnostic) {
        if case .ascend = segment.step, lexer.next == .less {
            throw Diagnostic(.parentTakesNoFilter, at: lexer.nextRange)
        }
        while lexer.next == .less { segment.filters.append(try expectFilter()) }
    }

    /// filter ::= '<' attributeName ( '=' value | '~' regex ) '>'
    mutating func expectFilter() throws(Diagnostic) -> Filter {
        let start = lexer.position
        enclosure = .filter
        lexer.skipByte()
        let nameStart = lexer.position
        if lexer.next == .at { throw attributeSign(inFilterAt: start) }
        let attribute = try expectAttributeName()
        let nameRange = nameStart..<lexer.position
        let condition: Filter.Condition
        if lexer.lex(.equals) {
            condition = .equals(try expectValue(ofFilterAt: start, attribute: nameRange))
        } else if lexer.lex(.tilde) {
            condition = try expectRegex(ofFilterAt: start, attribute: nameRange)
        } else if lexer.next == .greater {
            let fix = fixCondition(behind: nameRange, to: Self.presence, from: start)
            throw Diagnostic(.filterNeedsCondition, at: lexer.nextRange, fix: fix)
        } else {
            throw unexpected(.condition)
        }
        guard lexer.lex(.greater) else { throw unexpected(.filterEnd) }
        enclosure = nil
        return Filter(
            attribute: attribute,
            condition: condition,
            range: start..<lexer.position,
            attributeRange: nameRange
        )
    }

    /// attributeName ::= ( '{' namespace '}' )? name
    mutating func expectAttributeName() throws(Diagnostic) -> AttributeName {
        let namespace = try parseBraces(ofAttribute: true)
        if let slot = try parseNameSlot() { return .slotted(namespace: namespace, name: .slot(slot)) }
        guard let name = lexer.lexName() else {
            throw Diagnostic(
                .attributeNeedsName(found: lexer.nextScalar), at: lexer.nextRange, fix: fixToAllAttributes())
        }
        return switch namespace {
        case nil: .qualified(lexer.text(name))
        case .text(let namespace): .expanded(namespace: namespace, name: lexer.text(name))
        case .slot: .slotted(namespace: namespace, name: .text(lexer.text(name)))
        }
    }

    /// regex ::= [^>]+
    private mutating func expectRegex(
        ofFilterAt start: Int,
        attribute: SourceRange
    ) throws(Diagnostic) -> Filter.Condition {
        let range = lexer.lexVerbatim(until: .greater)
        if let slot = lexer.slot(in: range) { throw misplaced(slot) }
        guard !lexer.isAtEnd else { throw unexpected(.filterEnd) }
        guard !range.isEmpty else {
            let fix = fixCondition(behind: attribute, to: Self.presence, from: start)
            throw Diagnostic(.emptyRegex, at: lexer.nextRange, fix: fix)
        }
        try checkBraces(ofPattern: range, inFilterAt: start)
        return .matches(pattern: lexer.text(range), range: range)
    }

    /// Refuses braces in a pattern that versions of PCRE2 read differently.
    private func checkBraces(ofPattern range: SourceRange, inFilterAt start: Int) throws(Diagnostic) {
        let braces = PatternBraces(lexer.bytes[range])
        guard let first = braces.first else { return }
        let place = first.range
        let shown = lexer.text((range.lowerBound + place.lowerBound)..<(range.lowerBound + place.upperBound))
        let message =
            switch first.mistake {
            case .repetition: "versions of PCRE2 read '\(shown)' differently"
            case .tooManyRepetitions: "number too big in {} quantifier"
            case .escape: "versions of PCRE2 read spaces in '\(shown)' differently"
            }
        let fix = braces.repaired.flatMap { fixPattern(range, to: String(decoding: $0, as: UTF8.self), from: start) }
        throw Diagnostic(.invalidRegex(message: message, offset: place.lowerBound), at: range, fix: fix)
    }

    /// value ::= ( [^>%] | '%%' | specifier )+
    private mutating func expectValue(
        ofFilterAt start: Int,
        attribute: SourceRange
    ) throws(Diagnostic) -> [ValuePart] {
        if lexer.next == .greater {
            let fix = fixCondition(behind: attribute, to: "~^$", from: start)
            throw Diagnostic(.emptyValue, at: lexer.nextRange, fix: fix)
        }
        var parts: [ValuePart] = []
        var text: [UInt8] = []
        while true {
            text += lexer.bytes[lexer.lexValue()]
            let part: ValuePart
            let percent = lexer.position
            if let slot = lexer.lexSlot() {
                part = .slot(slot)
            } else {
                guard lexer.lex(.percent) else { break }
                if lexer.lex(.percent) {
                    text.append(.percent)
                    continue
                }
                part = .specifier(try expectSpecifier(from: percent, ofFilterAt: start))
            }
            if !text.isEmpty { parts.append(.text(String(decoding: text, as: UTF8.self))) }
            text.removeAll()
            parts.append(part)
        }
        if !text.isEmpty { parts.append(.text(String(decoding: text, as: UTF8.self))) }
        return parts
    }

    // MARK: Specifiers

    /// specifier ::= '%' flag* width? ( '.' precision? )? length? conversion, after its '%'
    private mutating func expectSpecifier(
        from percent: Int,
        ofFilterAt start: Int
    ) throws(Diagnostic) -> FormatSpecifier {
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
            conversion,
            flags: flags,
            width: width,
            precision: precision,
            length: length,
            range: range
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
    private mutating func parseLength() -> FormatSpecifier.Length? {
        guard let first = lexer.next, let length = FormatSpecifier.Length(rawValue: String(Unicode.Scalar(first)))
        else {
            return nil
        }
        lexer.skipByte()
        switch length {
        case .short: return lexer.lex(first) ? .char : .short
        case .long: return lexer.lex(first) ? .longLong : .long
        case .char, .longLong, .quad, .intmax, .ptrdiff, .size, .longDouble: return length
        }
    }

    /// conversion ::= [@diuxXocsfeg]
    private mutating func parseConversionLetter() -> FormatSpecifier.Conversion? {
        guard let byte = lexer.next else { return nil }
        guard let conversion = FormatSpecifier.Conversion(rawValue: Character(Unicode.Scalar(byte))) else { return nil }
        lexer.skipByte()
        return conversion
    }
}
