// The formats of input, and their recognition from the beginning.

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
}

/// Recognizes the format of an input.
///
/// After a byte order mark and white space, `{` begins JSON lines, `<stream:stream` a stream, also after an XML
/// declaration, `<?xml` and `<!DOCTYPE` a document; anything else is fragments.
struct FormatRecognizer {
    /// The input so far.
    private(set) var head: [UInt8] = []
    /// The length of the byte order mark and white space at its beginning.
    private var skipped = 0

    /// U+FEFF in UTF-8, which may precede everything.
    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    private static let space = Array(" \t\r\n".utf8)
    private static let streamTag = (beginning: Array("<stream:stream".utf8), followers: space + Array("/>".utf8))
    /// Beginnings, and the bytes that may follow them to end the name.
    private static let signs: [(format: InputFormat, beginning: [UInt8], followers: [UInt8]?)] = [
        (.jsonl, Array("{".utf8), nil),
        (.stream, streamTag.beginning, streamTag.followers),
        (.document, Array("<?xml".utf8), space),
        (.document, Array("<!DOCTYPE".utf8), space),
    ]
    /// The maximum white space before the format is decided. For a file with more, the user has to name the format.
    static let maximumSpace = 1 << 16
    /// The maximum length of a declaration and the white space after it before a stream. Usual ones have 50 bytes.
    static let maximumDeclaration = 1 << 10

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
        while skipped < head.count, Self.space.contains(head[skipped]) { skipped += 1 }
        if skipped > Self.maximumSpace { return .fragments }
        return format(atEnd: false)
    }

    /// The format of an input that ends here.
    var formatAtEnd: InputFormat { format(atEnd: true) ?? .fragments }

    /// `nil` when more input may decide.
    private func format(atEnd: Bool) -> InputFormat? {
        let text = head[skipped...]
        for (format, beginning, followers) in Self.signs {
            if text.starts(with: beginning) {
                guard let followers else { return format }
                guard let follower = text.dropFirst(beginning.count).first else { return atEnd ? format : nil }
                guard followers.contains(follower) else { continue }
                return format == .document ? documentOrStream(text, atEnd: atEnd) : format
            } else if !atEnd, beginning.starts(with: text) {
                return nil
            }
        }
        return .fragments
    }

    /// The format of text that begins with a declaration: a stream's start tag may follow it (RFC 6120 §11.5).
    private func documentOrStream(_ text: ArraySlice<UInt8>, atEnd: Bool) -> InputFormat? {
        if text.starts(with: "<!".utf8) { return .document }
        // The length of the pieces of input does not matter.
        let text = text.prefix(Self.maximumDeclaration)
        let mayFollow = !atEnd && text.count < Self.maximumDeclaration
        guard let end = text.firstRange(of: "?>".utf8)?.upperBound else { return mayFollow ? nil : .document }
        let rest = text[end...].drop { Self.space.contains($0) }
        guard rest.starts(with: Self.streamTag.beginning) else {
            return mayFollow && Self.streamTag.beginning.starts(with: rest) ? nil : .document
        }
        guard let follower = rest.dropFirst(Self.streamTag.beginning.count).first else {
            return mayFollow ? nil : .stream
        }
        return Self.streamTag.followers.contains(follower) ? .stream : .document
    }
}
