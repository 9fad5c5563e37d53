// Finds the ends of stanzas, some ten times faster than a parser (XMLTree's Framing).
//
// Its result is a guess: right in good input, arbitrary in bad input. A program that cuts by it has to check that the
// pieces are whole stanzas (Search+Sharing.swift does).

import XMLTree

/// Scans bytes that grow, and remembers its progress.
final class StanzaScanner {
    /// The end of the last stanza so far; 0 before the first.
    private(set) var boundary = 0
    /// The start tag of a stream's root, once it is complete.
    private(set) var header: [UInt8] = []
    /// Where it begins.
    private(set) var headerStart = 0

    private var framing: Framing
    /// The number of bytes scanned.
    private var fed = 0
    /// The number of bytes that framing does not need any more.
    private var dropped = 0

    /// - Parameter isStream: Whether the stanzas are children of a root.
    init(isStream: Bool) {
        framing = Framing(isStream: isStream)
    }

    /// Starts again with bytes that begin with a stanza.
    func restart() {
        framing.restart(isInside: true)
        fed = 0
        dropped = 0
        boundary = 0
    }

    /// Scans the bytes after those already scanned.
    func scan(_ bytes: UnsafeRawBufferPointer) {
        if framing.isLost { return }
        framing.feed(UnsafeRawBufferPointer(rebasing: bytes[fed...]))
        fed = bytes.count
        if let tag = framing.header {
            header = framing.withBytes { Array($0[tag]) }
            headerStart = dropped + tag.lowerBound
        }
        if let stop = framing.stops.last { boundary = dropped + stop.end }
        let examined = framing.examined
        framing.drop(examined)
        dropped += examined
    }
}
