// Slots: where they stand for something whole, and where they cannot stand.

extension Parser {
    /// A slot for a whole name: nothing that could be of the same name stands beside it.
    mutating func parseNameSlot() throws(Diagnostic) -> Slot? {
        guard let slot = lexer.lexSlot() else { return nil }
        guard lexer.next != .slot, lexer.lexName() == nil else { throw misplaced(slot) }
        return slot
    }

    /// The slot that a range consists of; nil if it holds none.
    func wholeSlot(in range: SourceRange) throws(Diagnostic) -> Slot? {
        guard let slot = lexer.slot(in: range) else { return nil }
        guard slot.range == range else { throw misplaced(slot) }
        return slot
    }

    func misplaced(_ slot: Slot) -> Diagnostic { Diagnostic(.misplacedSlot, at: slot.range) }

    /// What is wrong where a slot begins is the slot; but behind a percent sign, that sign is.
    func blamingSlot(_ diagnostic: Diagnostic) -> Diagnostic {
        guard let slot = lexer.slot(at: diagnostic.range.lowerBound) else { return diagnostic }
        if case .invalidSpecifier = diagnostic.problem { return diagnostic }
        return misplaced(slot)
    }
}
