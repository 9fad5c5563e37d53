// Finds the ends of stanzas, some ten times faster than a parser (XMLTree's Framing), or guesses one from a few bytes.
//
// In good input, a boundary is right. In bad input, it is arbitrary; a guess may be wrong in good input, too. A program
// that cuts by them has to check that the pieces are whole stanzas (Search+Sharing.swift does).

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
    /// Reads the bytes of a guess.
    private var guess: Framing
    /// The number of bytes scanned.
    private var fed = 0
    /// The number of bytes that framing does not need any more.
    private var dropped = 0

    /// - Parameter isStream: Whether the stanzas are children of a root.
    init(isStream: Bool) {
        framing = Framing(isStream: isStream)
        guess = Framing(isStream: isStream)
    }

    /// Starts again with bytes that begin with a stanza.
    func restart() {
        framing.restart(isInside: true)
        fed = 0
        dropped = 0
        boundary = 0
    }

    /// The end of a stanza near the end of the bytes, of which only the last are read; `nil` if none is found there.
    ///
    /// It is wrong within a stanza that is longer than the bytes that are read. It may be wrong if these begin inside
    /// a comment, a CDATA section or an attribute's value.
    ///
    /// - Parameter guessLength: How many bytes are read.
    func probableEnd(_ bytes: UnsafeRawBufferPointer, guessLength: Int) -> Int? {
        var place = max(bytes.count - guessLength, 0)
        for _ in 0..<Self.mostAttempts {
            guard let end = bytes.position(of: UInt8(ascii: ">"), from: place) else { return nil }
            guess.restart(isInside: true)
            guess.feed(UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...]))
            if !guess.isLost { return guess.stops.last.map { end + 1 + $0.end } }
            // Most often this is the end tag of an element that began earlier, so the place was inside a stanza.
            place = end + 1 + guess.examined
        }
        return nil
    }

    /// The most elements around the first bytes that are read. Deeper ones are rare.
    private static let mostAttempts = 8

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
