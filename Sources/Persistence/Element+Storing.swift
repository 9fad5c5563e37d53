// Checks that the process that resumes a session can read the stored stanzas.

package import XMLTree

extension Element {
    /// Checks that the stanza can be stored and read back. A stanza that the app built, or that quotes another one, may
    /// be larger or deeper than the parser accepts.
    ///
    /// - Throws: `StanzaDatabaseError.recordTooLarge`, or the `XMLParseError` that reading the stanza back would throw.
    package func checkCanBeStored() throws {
        let bytes = xmlBytes(in: .clientStream)
        let maximum = PersistenceLimits.columnLength
        guard bytes.count <= maximum else {
            throw StanzaDatabaseError.recordTooLarge(table: "outgoingStanza", maximum: maximum)
        }
        _ = try Element(parsing: bytes, in: .clientStream, limits: ParserLimits(bytes: maximum))
    }
}
