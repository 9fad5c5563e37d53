// What other languages of this kind have, and this one writes otherwise: namespaces without braces, and filters behind
// '@'. It is told what it is, as the usual message would offer a repair that matches nothing, or none.

extension Parser {
    /// The segment before the two slashes that the lexer stands between, if it is the beginning of a URL: `http:`.
    var segmentOfScheme: SourceRange? {
        guard let last = tree.segments.last, last.isBareName, last.range.upperBound == lexer.position - 1,
            last.range.count > 1, lexer.bytes[last.range].last == .colon, lexer.slot(in: last.range) == nil
        else { return nil }
        return lexer.bytes[last.range].dropLast().contains(.colon) ? nil : last.range
    }

    /// A namespace that begins at `start`. Where it ends only its brace tells, if it has that one: the rest of the
    /// query may belong to it, and is not looked at.
    mutating func namespaceWithoutBraces(from start: Int) -> Diagnostic {
        let range = lexer.nextRange
        let brace = lexer.bytes[start...].first { $0 == .openBrace || $0 == .closeBrace }
        let fix = brace == .closeBrace ? fixInQuery(inserting: "{", at: start) : nil
        while !lexer.isAtEnd { lexer.skipByte() }
        return Diagnostic(.namespaceNeedsBraces, at: range, fix: fix)
    }

    /// Whether `@<` stands here.
    var isAtOldFilter: Bool {
        lexer.bytes[lexer.position...].starts(with: [.at, .less])
    }

    /// `/@<type=error>` is probably meant as `/<type=error>`, and so is `a@<type=error>`: that is offered where a
    /// filter remains when the '@' is gone.
    func oldFilter(of segment: Segment) -> Diagnostic {
        let at = lexer.position
        var fix: Fix?
        if case .elements = segment.step, at == 1 || !segment.range.isEmpty {
            var withoutAt = self
            withoutAt.lexer.skipByte()
            if (try? withoutAt.expectFilter()) != nil { fix = fixInQuery(removing: at..<(at + 1)) }
        }
        return Diagnostic(.attributeNeedsName(found: "<"), at: (at + 1)..<(at + 2), fix: fix)
    }
}

extension Segment {
    /// Whether it is a name and nothing else.
    var isBareName: Bool {
        guard filters.isEmpty, case .elements(let test) = step, case .named = test.name,
            case .inherited = test.namespace
        else { return false }
        return !range.isEmpty
    }
}
