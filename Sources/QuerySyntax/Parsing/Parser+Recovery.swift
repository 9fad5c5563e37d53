// Recovers after a mistake: the parser records it and continues at the next segment. Parser+Repairs.swift decides which
// repair to offer.

extension Parser {
    /// Inserts a mistake at its place in the order of the query. Of several that begin together, the first reported one
    /// comes first.
    mutating func report(_ diagnostic: Diagnostic) {
        guard diagnostics.count < QueryLimits.diagnostics else { return }
        let start = diagnostic.range.lowerBound
        let later = diagnostics.firstIndex { $0.range.lowerBound > start }
        diagnostics.insert(diagnostic, at: later ?? diagnostics.endIndex)
    }

    /// Moves to the next '/' outside of braces, brackets, a filter or a form query, or to the end. Nothing on the way
    /// is a mistake of its own: the content of a broken segment can mean anything.
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

    /// The mistake without a more specific problem.
    func unexpected(_ expectation: Diagnostic.Problem.Expectation, fix: Diagnostic.Fix? = nil) -> Diagnostic {
        Diagnostic(.unexpected(found: lexer.nextScalar, expected: expectation), at: lexer.nextRange, fix: fix)
    }
}
