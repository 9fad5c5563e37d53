// Finds the ends of stanzas, some ten times faster than a parser: it reads tags only (XMLTree's TagSequence).
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
    /// Whether no stanza can end any more, because the stream has ended or tags do not match.
    private(set) var hasEnded = false

    private var tags = TagSequence()
    /// The number of bytes scanned.
    private var fed = 0
    /// The number of elements around stanzas.
    private let outerDepth: Int
    private var depth = 0

    /// - Parameter isStream: Whether the stanzas are children of a root.
    init(isStream: Bool) {
        outerDepth = isStream ? 1 : 0
    }

    /// Starts again with bytes that begin with a stanza.
    func restart() {
        tags = TagSequence()
        fed = 0
        boundary = 0
        depth = outerDepth
        hasEnded = false
    }

    /// Scans the bytes after those already scanned.
    ///
    /// - Parameter untilHeader: Whether to stop after the header.
    func scan(_ bytes: UnsafeRawBufferPointer, untilHeader: Bool = false) {
        tags.feed(UnsafeRawBufferPointer(rebasing: bytes[fed...]))
        fed = bytes.count
        while !hasEnded, !(untilHeader && depth > 0), let tag = tags.next() {
            switch tag {
            case .start(let range, let isEmpty):
                if !isEmpty {
                    if depth == 0, outerDepth == 1 { (header, headerStart) = (Array(bytes[range]), range.lowerBound) }
                    depth += 1
                } else if depth == outerDepth {
                    boundary = range.upperBound
                }
            case .end(let range):
                guard depth > outerDepth else {
                    hasEnded = true
                    return
                }
                depth -= 1
                if depth == outerDepth { boundary = range.upperBound }
            case .broken:
                hasEnded = true
            }
        }
    }
}
