// Finds the ends of stanzas, some ten times faster than a parser (XMLTree's Framing), or guesses one from a few bytes.
//
// Its result is a guess: in good input, `boundary` is right; in bad input, all is arbitrary. A program that cuts by it has to check that the
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

    /// The end of a stanza near the end of bytes, whose beginning is not read; `nil` if none is found. Wrong if a stanza
    /// is longer than `guessed`, or for markup in comments and CDATA sections.
    func probableEnd(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var place = bytes.count - Self.guessed
        for _ in 0..<Self.mostAttempts {
            guard let end = bytes.position(of: UInt8(ascii: ">"), from: max(place, 0)) else { return nil }
            guess.restart(isInside: true)
            guess.feed(UnsafeRawBufferPointer(rebasing: bytes[(end + 1)...]))
            if !guess.isLost { return guess.stops.last.map { end + 1 + $0.end } }
            // The end tag of an element that began earlier: stanzas are below it.
            place = end + 1 + guess.examined
        }
        return nil
    }

    /// Longer than most stanzas, and a small part of a block.
    private static let guessed = 1 << 15
    /// Deeper elements are rare.
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
