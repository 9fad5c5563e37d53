// Slots: places of values that are bound when a query is evaluated. Where they may stand, the parser says; what they
// are bound to is the engine's business.

/// The place of a value that the query's text does not hold.
public struct Slot: Hashable, Sendable {
    /// Which value: slots are counted in the order of the text, from 0.
    public var index: Int
    /// Where the slot stands.
    public var range: SourceRange

    /// A slot of some text.
    ///
    /// - Parameters:
    ///   - index: How many slots stand before it.
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
