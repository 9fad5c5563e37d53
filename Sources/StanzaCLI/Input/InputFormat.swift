// The formats of input, and their recognition from the beginning.

import XMLTree

/// The arrangement of stanzas in the input.
enum InputFormat: String, CaseIterable, Sendable {
    /// An XMPP stream: the stanzas are the children of `<stream:stream>`.
    case stream
    /// One XML document is one stanza.
    case document
    /// Stanzas one after the other, without a common root.
    case fragments
    /// One JSON object in each line, with the stanza in its member `xml`.
    case jsonl
    /// One stanza in each line, as XML or as in `jsonl`.
    case lines
    /// Any text with stanzas in it.
    case log

    /// Whether the input can be cut between stanzas. A document is one stanza; in a log, any text may begin inside one.
    var hasBlocks: Bool { self != .document && self != .log }
}

/// Recognizes the format of an input.
///
/// After a byte order mark and white space, `{` begins JSON lines. The start tag of `stream`, in the namespace of
/// streams, begins a stream, also after an XML declaration. `<?xml` and `<!DOCTYPE` begin a document. Visible text
/// begins a log, and so does a `<` that no markup has. Anything else is fragments.
struct FormatRecognizer {
    /// The input so far.
    private(set) var head: [UInt8] = []
    /// The length of the byte order mark and white space at its beginning.
    private var skipped = 0

    /// U+FEFF in UTF-8, which may precede everything.
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// The beginnings of documents. White space follows each.
    private static let documentSigns = [Array("<?xml".utf8), Array("<!DOCTYPE".utf8)]
    /// The maximum white space before the format is decided. For a file with more, the user has to name the format.
    static let maximumSpace = 1 << 16
    /// The maximum length of a declaration and the white space after it before a stream. Usual ones have 50 bytes.
    static let maximumDeclaration = 1 << 10
    /// The maximum length of a stream's start tag, unless its prefix is `stream`. Usual ones have 200 bytes.
    static let maximumStartTag = 1 << 12

    /// Adds input. Returns the format as soon as it is clear.
    mutating func recognize(_ bytes: UnsafeRawBufferPointer) -> InputFormat? {
        head.append(contentsOf: bytes)
        if skipped == 0 {
            if head.starts(with: Self.byteOrderMark) {
                skipped = Self.byteOrderMark.count
            } else if Self.byteOrderMark.starts(with: head) {
                return nil
            }
        }
        while skipped < head.count, Self.isSpace(head[skipped]) { skipped += 1 }
        if skipped > Self.maximumSpace { return .fragments }
        return format(atEnd: false)
    }

    /// The format of an input that ends here.
    var formatAtEnd: InputFormat { format(atEnd: true) ?? .fragments }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D }

    /// `nil` when more input may decide.
    private func format(atEnd: Bool) -> InputFormat? {
        let text = head[skipped...]
        if text.first == UInt8(ascii: "{") { return .jsonl }
        guard let isLog = Self.beginsLog(text, atEnd: atEnd) else { return nil }
        if isLog { return .log }
        for sign in Self.documentSigns {
            if text.starts(with: sign) {
                guard let follower = text.dropFirst(sign.count).first else { return atEnd ? .document : nil }
                if Self.isSpace(follower) { return documentOrStream(text, atEnd: atEnd) }
            } else if !atEnd, sign.starts(with: text) {
                return nil
            }
        }
        guard let isStream = Self.beginsStream(text, atEnd: atEnd) else { return nil }
        return isStream ? .stream : .fragments
    }

    /// Whether a text begins with visible text in UTF-8; `nil` when more input may decide.
    private static func beginsLog(_ text: ArraySlice<UInt8>, atEnd: Bool) -> Bool? {
        guard let first = text.first, let second = text.dropFirst().first else {
            return text.isEmpty || atEnd || text.first == UInt8(ascii: "<") ? false : nil
        }
        if first == UInt8(ascii: "<") {
            return second > 0x20 && !"!?/:".utf8.contains(second) && !LogScanner.Text.beginsName(second)
        }
        // An escape begins a color. Zeros are UTF-16; no text in UTF-8 has 0xFE or 0xFF.
        return (first > 0x20 || first == 0x1B) && first < 0xF5 && first != 0x7F && second != 0
    }

    /// The format of text that begins with a declaration: a stream's start tag may follow it (RFC 6120 §11.5).
    private func documentOrStream(_ text: ArraySlice<UInt8>, atEnd: Bool) -> InputFormat? {
        if text.starts(with: "<!".utf8) { return .document }
        // The length of the pieces of input does not matter.
        let beginning = text.prefix(Self.maximumDeclaration)
        let mayFollow = !atEnd && beginning.count < Self.maximumDeclaration
        guard let end = beginning.firstRange(of: "?>".utf8)?.upperBound else { return mayFollow ? nil : .document }
        let start = beginning[end...].drop(while: Self.isSpace).startIndex
        if start == beginning.endIndex { return mayFollow ? nil : .document }
        guard let isStream = Self.beginsStream(text[start...], atEnd: atEnd) else { return nil }
        return isStream ? .stream : .document
    }

    /// Whether a text begins with the start tag of a stream, whatever its prefix; `nil` when more input may decide.
    private static func beginsStream(_ text: ArraySlice<UInt8>, atEnd: Bool) -> Bool? {
        let tag = text.prefix(maximumStartTag)
        let mayFollow = !atEnd && tag.count < maximumStartTag
        guard let first = tag.first else { return mayFollow ? nil : false }
        if first != UInt8(ascii: "<") { return false }
        guard let name = localName(ofTag: tag) else { return mayFollow ? nil : false }
        guard name.elementsEqual("stream".utf8) else { return false }
        if tag.starts(with: "<stream:".utf8) { return true }
        var parser = XMLStreamParser(mode: .stream)
        parser.feed(tag)
        guard let event = try? parser.next() else { return mayFollow && !parser.hasFailed ? nil : false }
        guard case .streamStart(let header) = event else { return false }
        return header.element.namespace == XMLNamespace.stream
    }

    /// The local name of the tag at the beginning of a text; `nil` if more bytes may belong to it.
    static func localName<Text: Collection<UInt8>>(ofTag text: Text) -> Text.SubSequence? {
        let end = text.firstIndex { isSpace($0) || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "/") }
        guard let end else { return nil }
        let name = text[..<end].dropFirst()
        guard let colon = name.firstIndex(of: UInt8(ascii: ":")) else { return name }
        return name[name.index(after: colon)...]
    }
}
