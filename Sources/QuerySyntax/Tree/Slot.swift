// Slots: places of values that an evaluation binds. The parser decides which places allow one; the engine binds the
// values.

/// The place of a value that the query's text does not hold.
public struct Slot: Hashable, Sendable {
    /// The number of the value: slots are counted in the order of the text, from 0.
    public var index: Int
    /// The place of the slot.
    public var range: SourceRange

    /// A slot of some text.
    ///
    /// - Parameters:
    ///   - index: The number of slots before it.
    ///   - range: Its place, as messages show the text.
    public init(index: Int, range: SourceRange) {
        self.index = index
        self.range = range
    }
}

/// A name or a namespace: as written, or a slot.
public enum NamePiece: Sendable {
    /// The name itself.
    case text(String)
    /// The place of a name that is bound when the query is evaluated.
    case slot(Slot)
}
