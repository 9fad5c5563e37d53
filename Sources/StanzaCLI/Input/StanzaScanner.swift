// Finds where stanzas end, some ten times faster than a parser: it looks at tags only, and at nothing inside them but
// quotes.
//
// What it says is a guess: in good input it is right, in bad input anything may follow. Who cuts by it has to check
// that the pieces are whole stanzas (Search+Sharing.swift does).

/// Goes through bytes that grow, and remembers how far it came.
struct StanzaScanner {
    /// Behind the last end of a stanza so far; 0 before the first.
    private(set) var boundary = 0
    /// The start tag of a stream's root, once it is complete.
    private(set) var header: [UInt8] = []
    /// Whether no stanza can end any more, as the stream has ended or tags do not match.
    private(set) var hasEnded = false

    /// How many elements are open around stanzas.
    private let outerDepth: Int
    private var depth = 0
    /// Tags up to here are done.
    private var scanned = 0
    /// The tag that begins there and is not complete.
    private var open = OpenTag()

    /// How far a tag was looked at, so that each byte is looked at once.
    fileprivate struct OpenTag {
        /// Its end is not before that.
        var searched = 0
        /// The quote that ends the value there; 0 outside of values.
        var quote: UInt8 = 0
    }

    /// - Parameter isStream: Whether the stanzas are children of a root.
    init(isStream: Bool) {
        outerDepth = isStream ? 1 : 0
    }

    /// Begins anew with bytes whose first is the first of a stanza.
    mutating func restart() {
        boundary = 0
        scanned = 0
        open = OpenTag()
        depth = outerDepth
        hasEnded = false
    }

    /// Scans the bytes from where it stopped before, as far as tags are complete.
    ///
    /// - Parameter untilHeader: Whether to stop behind the header.
    mutating func scan(_ bytes: UnsafeRawBufferPointer, untilHeader: Bool = false) {
        let text = Text(bytes: bytes)
        while !hasEnded, !(untilHeader && depth > 0), let start = text.first(.lessThan, from: scanned) {
            // With a tag that is not complete it goes on next time.
            scanned = start
            guard start + 1 < bytes.count else { return }
            switch bytes[start + 1] {
            case UInt8(ascii: "/"):
                guard let end = text.first(.greaterThan, from: max(start, open.searched)) else {
                    return waitForEnd(bytes)
                }
                endTag(end + 1)
                closeElement()
            case UInt8(ascii: "?"), UInt8(ascii: "!"):
                guard let end = text.endOfOther(from: start, open.searched) else { return waitForEnd(bytes) }
                endTag(end)
            default:
                guard let end = text.endOfStartTag(from: start, &open) else { return }
                endTag(end + 1)
                if bytes[end - 1] == UInt8(ascii: "/") {
                    if depth == outerDepth { boundary = scanned }
                } else {
                    if depth == 0, outerDepth == 1 { header = Array(bytes[start...end]) }
                    depth += 1
                }
            }
        }
        if !hasEnded, !untilHeader { scanned = max(scanned, bytes.count) }
    }

    /// The tag ends there.
    private mutating func endTag(_ end: Int) {
        scanned = end
        open = OpenTag()
    }

    /// None of these bytes ends the tag.
    private mutating func waitForEnd(_ bytes: UnsafeRawBufferPointer) {
        open.searched = bytes.count
    }

    private mutating func closeElement() {
        guard depth > outerDepth else {
            hasEnded = true
            return
        }
        depth -= 1
        if depth == outerDepth { boundary = scanned }
    }
}

/// Bytes to look for marks in.
private struct Text {
    let bytes: UnsafeRawBufferPointer

    @inline(__always)
    func first(_ byte: UInt8, from start: Int) -> Int? { bytes.position(of: byte, from: start) }

    /// Where the `>` of a start tag stands, parts of which were looked at. In values of attributes it means nothing.
    func endOfStartTag(from start: Int, _ open: inout StanzaScanner.OpenTag) -> Int? {
        var index = max(start + 1, open.searched)
        while true {
            if open.quote != 0 {
                guard let end = first(open.quote, from: index) else {
                    open.searched = bytes.count
                    return nil
                }
                open.quote = 0
                index = end + 1
            }
            while index + 8 <= bytes.count {
                let word = ByteWord(bytes, at: index)
                let marks = word.equal(to: .greaterThan) | word.equal(to: .apostrophe) | word.equal(to: .quote)
                if let first = marks.first {
                    index += first
                    break
                }
                index += 8
            }
            guard index < bytes.count else {
                open.searched = index
                return nil
            }
            switch bytes[index] {
            case .greaterThan: return index
            case .apostrophe, .quote: open.quote = bytes[index]
            default: break
            }
            index += 1
        }
    }

    /// Behind a processing instruction, a comment, a CDATA section, or what else begins with `<!`. It does not end
    /// before `searched`.
    func endOfOther(from start: Int, _ searched: Int) -> Int? {
        let head = bytes[start...].prefix(Self.cdata.count)
        let (mark, skipped): ([UInt8], Int) =
            if head.starts(with: "<?".utf8) {
                (Array("?".utf8), 2)
            } else if head.starts(with: "<!--".utf8) {
                (Array("--".utf8), 4)
            } else if head.elementsEqual(Self.cdata) {
                (Array("]]".utf8), 9)
            } else {
                ([], 2)
            }
        var index = max(start + skipped, searched)
        while let end = first(.greaterThan, from: index) {
            let markStart = end - mark.count
            if markStart >= start + skipped, bytes[markStart..<end].elementsEqual(mark) { return end + 1 }
            index = end + 1
        }
        return nil
    }

    private static let cdata = Array("<![CDATA[".utf8)
}

extension UInt8 {
    fileprivate static let lessThan = UInt8(ascii: "<")
    fileprivate static let greaterThan = UInt8(ascii: ">")
    fileprivate static let apostrophe = UInt8(ascii: "'")
    fileprivate static let quote = UInt8(ascii: "\"")
}
