// What is stored of stanzas has to be read back by whoever takes the session up.

package import XMLTree

extension Element {
    /// An element that was built, or that quotes another one, may be larger or deeper than the parser admits.
    ///
    /// - Throws: `StanzaDatabaseError.recordTooLarge`, or the `XMLParseError` that reading it back would end with.
    package func checkCanBeStored() throws {
        let bytes = xmlBytes(in: .clientStream)
        let maximum = PersistenceLimits.columnLength
        guard bytes.count <= maximum else {
            throw StanzaDatabaseError.recordTooLarge(table: "outgoingStanza", maximum: maximum)
        }
        _ = try Element(parsing: bytes, in: .clientStream, limits: ParserLimits(bytes: maximum))
    }
}
