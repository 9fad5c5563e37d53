// What happens after a mistake: it is noted, and the parser goes on at the next segment. What repair is offered with
// it, Parser+Repairs.swift says.

extension Parser {
    /// Notes a mistake at its place in the order of the query. Of several that begin together, the first noted is
    /// first.
    mutating func report(_ diagnostic: Diagnostic) {
        guard diagnostics.count < QueryLimits.diagnostics else { return }
        let start = diagnostic.range.lowerBound
        let later = diagnostics.firstIndex { $0.range.lowerBound > start }
        diagnostics.insert(diagnostic, at: later ?? diagnostics.endIndex)
    }

    /// Moves to the next '/' that is not inside of braces, brackets, a filter or a form query, or to the end. Nothing
    /// on the way is a mistake of its own: what a broken segment holds can mean anything.
    mutating func recover() {
        switch enclosure {
        case .filter: lexer.skip(past: .greater)
        case .form: lexer.skip(past: .backslash)
        case .predicate: lexer.skip(past: .closeBracket)
        case nil: break
        }
        enclosure = nil
        while let byte = lexer.next, byte != .slash {
            lexer.skipByte()
            switch byte {
            case .openBrace: lexer.skip(past: .closeBrace)
            case .less: lexer.skip(past: .greater)
            case .openBracket: lexer.skip(past: .closeBracket)
            case .backslash: lexer.skip(past: .backslash)
            case .bar: _ = lexer.lexVerbatim(until: .slash)
            default: break
            }
        }
    }

    /// The mistake that nothing more particular can be said about.
    func unexpected(_ expectation: Problem.Expectation, fix: Fix? = nil) -> Diagnostic {
        Diagnostic(.unexpected(found: lexer.nextScalar, expected: expectation), at: lexer.nextRange, fix: fix)
    }
}
