// Slots: the parts of a query that a slot can replace, and the places that allow none.

extension Parser {
    /// A name, or a slot for a whole name: no other part of the name may be adjacent to it.
    mutating func parseName() throws(Diagnostic) -> NamePiece? {
        guard let slot = lexer.lexSlot() else { return lexer.lexName().map { .text(TextRange($0)) } }
        guard lexer.next != .slot, lexer.lexName() == nil else { throw misplaced(slot) }
        return .slot(slot)
    }

    /// The slot that a range consists of; nil if it holds none.
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
