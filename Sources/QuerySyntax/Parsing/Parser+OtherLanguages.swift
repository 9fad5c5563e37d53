// Recognizes constructs of other languages, XPath above all, that this language writes otherwise: namespaces without
// braces, filters after '@' or in brackets, functions, comparisons. Each diagnostic uses the other language's name and
// shows the form of this one. It offers a repair only if the parser can read the construct to its end.

extension Parser {
    /// The segment before the two slashes at the lexer's position, if it is the beginning of a URL: `http:`.
    var segmentOfScheme: SourceRange? {
        guard let last = previousSegment, last.isBareName, last.range.upperBound == lexer.position - 1,
            last.range.count > 1, lexer.bytes[last.range].last == .colon, lexer.slot(in: last.range) == nil
        else { return nil }
        return lexer.bytes[last.range].dropLast().contains(.colon) ? nil : last.range
    }

    /// A namespace that begins at `start`. Only a closing brace shows its end. Without one, the rest of the query may
    /// belong to it, and the parser ignores that rest.
    mutating func namespaceWithoutBraces(from start: Int) -> Diagnostic {
        let range = lexer.nextRange
        let brace = lexer.bytes[start...].first { $0 == .openBrace || $0 == .closeBrace }
        let fix = brace == .closeBrace ? fixInQuery(replacing: start..<start, with: "{") : nil
        while !lexer.isAtEnd { lexer.skipByte() }
        return Diagnostic(.namespaceNeedsBraces, at: range, fix: fix)
    }

    /// Whether `@<` is next.
    var isAtOldFilter: Bool { lexer.next == .at && lexer.bytes[lexer.position...].dropFirst().first == .less }

    /// `/@<type=error>` is probably meant as `/<type=error>`, and so is `a@<type=error>`.
    mutating func oldFilter(of segment: Segment) -> Diagnostic {
        let at = lexer.position
        var fix: Diagnostic.Fix?
        if segment.isElements, at == 1 || !segment.range.isEmpty,
            succeeds(behind: at, { parser throws(Diagnostic) in try parser.expectFilter() })
        {
            fix = fixInQuery(removing: at..<(at + 1))
        }
        return Diagnostic(.attributeNeedsName(found: "<"), at: (at + 1)..<(at + 2), fix: fix)
    }

    /// `a<@b=c>` is probably meant as `a<b=c>`. The lexer is at the '@'.
    mutating func attributeSign() -> Diagnostic {
        let at = lexer.nextRange
        let isCondition = succeeds(behind: at.lowerBound) { parser throws(Diagnostic) in
            _ = try parser.expectAttributeName()
            if ![.equals, .tilde].contains(parser.lexer.next) { throw parser.unexpected(.condition) }
        }
        return Diagnostic(
            .attributeNeedsName(found: "@"), at: at, fix: isCondition ? fixInQuery(removing: at) : nil)
    }

    /// Whether the text after the byte at an offset can be read. The parser stays where it is.
    private mutating func succeeds(behind offset: Int, _ read: (inout Parser) throws(Diagnostic) -> Void) -> Bool {
        let (lexer, count, enclosure) = (lexer, nodes.count, enclosure)
        defer {
            self.lexer = lexer
            self.enclosure = enclosure
            nodes.remove(from: count)
        }
        self.lexer.move(to: offset + 1)
        return (try? read(&self)) != nil
    }

    /// `@*` is probably meant as `@@`, if nothing follows.
    func fixToAllAttributes() -> Diagnostic.Fix? {
        let star = lexer.nextRange
        guard enclosure == nil, lexer.next == .asterisk, star.upperBound == lexer.bytes.count,
            lexer.bytes[..<star.lowerBound].last == .at
        else { return nil }
        return fixInQuery(replacing: star, with: "@")
    }

    /// `<a!=b>` is `<a~^(?!b$)>`, if the value is a word. The lexer is at the '!'.
    mutating func fixInequality(behind name: SourceRange, from start: Int) -> Diagnostic.Fix? {
        let before = lexer
        defer { lexer = before }
        guard lexer.lex(.exclamation), lexer.lex(.equals), let value = lexer.lexName(), lexer.next == .greater,
            !lexer.bytes[value].contains(.dot)
        else { return nil }
        return fixFilter(behind: name.upperBound, to: "~^(?!\(lexer.text(value))$)", from: start)
    }

    // MARK: XPath

    /// The text after a segment and its extraction, if it has a meaning in XPath.
    mutating func mistakeOfOtherLanguage(in segment: Segment, _ extraction: Extraction?) -> Diagnostic? {
        switch (lexer.next, extraction) {
        case (.some(.openBracket), nil): predicate(behind: segment)
        case (.some(UInt8(ascii: "(")), nil) where segment.isBareName: functionCall(segment)
        case (.some(.equals), .attribute), (.some(.exclamation), .attribute): comparison(of: segment)
        default: nil
        }
    }

    /// `a[@b='c']` is `a<b=c>`, `a[@b]` is `a<b~^.*$>`; `a[1]` is nothing.
    mutating func predicate(behind segment: Segment?) -> Diagnostic {
        enclosure = .closeBracket
        let start = lexer.position
        var reader = PredicateReader(lexer: lexer)
        let isNumber = lexer.bytes[(start + 1)...].first.map { (.zero)...(.nine) ~= $0 } ?? false
        var fix: Diagnostic.Fix?
        if let segment, segment.isElements, let filter = reader.filter() {
            fix = fixInQuery(replacing: start..<reader.lexer.position, with: filter)
        }
        return Diagnostic(isNumber ? .positionInBrackets : .conditionInBrackets, at: lexer.nextRange, fix: fix)
    }

    /// `a/text()` is `a#`, `text()` is `/#`; with `name()` it is '$'.
    private func functionCall(_ segment: Segment) -> Diagnostic {
        let parenthesis = lexer.nextRange
        let sign = [("text", "#"), ("name", "$"), ("local-name", "$")].first { name, _ in
            lexer.bytes[segment.range].elementsEqual(name.utf8)
        }?.1
        let end = parenthesis.upperBound + 1
        let isCall = lexer.bytes[parenthesis.upperBound...].first == UInt8(ascii: ")")
        let isLast = end == lexer.bytes.count || lexer.bytes.dropFirst(end).first == .bar
        var fix: Diagnostic.Fix?
        if let sign, isCall, isLast, diagnostics.isEmpty {
            let start = segment.range.lowerBound
            switch previousSegment?.isElements {
            case nil: fix = fixInQuery(replacing: 0..<end, with: "/" + sign)
            case true?: fix = fixInQuery(replacing: (start - 1)..<end, with: sign)
            case false?: fix = fixInQuery(replacing: start..<end, with: sign)
            }
        }
        return Diagnostic(.functionCall, at: parenthesis, fix: fix)
    }

    /// `a@b='c'` and `a/@b='c'` are `a<b=c>`, `@b='c'` is `/<b=c>`.
    private func comparison(of segment: Segment) -> Diagnostic {
        var reader = PredicateReader(lexer: lexer, position: segment.range.upperBound)
        var fix: Diagnostic.Fix?
        if diagnostics.isEmpty, let filter = reader.comparison(), reader.lexer.isAtEnd {
            switch segment.node.content {
            case .elements where isRooted || !segment.range.isEmpty:
                fix = fixInQuery(replacing: segment.range.upperBound..<reader.lexer.position, with: filter)
            case .selfNode where segment.index == 0:
                fix = fixInQuery(replacing: 0..<reader.lexer.position, with: "/" + filter)
            case .selfNode:
                guard previousSegment?.isElements == true else { break }
                fix = fixInQuery(replacing: (segment.range.upperBound - 1)..<reader.lexer.position, with: filter)
            default: break
            }
        }
        return Diagnostic(.comparisonNeedsFilter, at: lexer.nextRange, fix: fix)
    }
}

/// Reads a condition of XPath as far as it has a counterpart, and writes the filter that means the same.
private struct PredicateReader {
    var lexer: Lexer

    init(lexer: Lexer, position: Int? = nil) {
        self.lexer = lexer
        if let position { self.lexer.move(to: position) }
    }

    /// `[@b='c']` or `[@b]`
    mutating func filter() -> String? {
        guard lexer.lex(.openBracket) else { return nil }
        skipSpaces()
        guard let filter = comparison(isOptional: true) else { return nil }
        skipSpaces()
        return lexer.lex(.closeBracket) ? filter : nil
    }

    /// `@b='c'`; without the rest it asks whether there is one.
    mutating func comparison(isOptional: Bool = false) -> String? {
        guard lexer.lex(.at), let name = lexer.lexName() else { return nil }
        skipSpaces()
        guard lexer.lex(.equals) else { return isOptional ? "<\(lexer.text(name))\(Parser.presence)>" : nil }
        _ = lexer.lex(.equals)
        skipSpaces()
        guard let value = literal() else { return nil }
        return "<\(lexer.text(name))=\(value)>"
    }

    /// A text between quotes, or a number, as the value of a filter.
    private mutating func literal() -> String? {
        let range: SourceRange
        if let quote = lexer.next, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
            lexer.skipByte()
            range = lexer.lexVerbatim(until: quote)
            guard lexer.lex(quote) else { return nil }
        } else {
            guard let name = lexer.lexName() else { return nil }
            range = name
        }
        // Characters that would end the filter, or begin a specifier, are not plain text there.
        let bytes = lexer.bytes[range]
        if bytes.isEmpty || bytes.contains(where: { [.greater, .percent, .slot].contains($0) }) { return nil }
        return lexer.text(range)
    }

    private mutating func skipSpaces() { while lexer.lex(.space) {} }
}
