// Markup is held back until its end is there: long tags, references, comments, instructions and CDATA sections, and
// outside of a document's root all comments, instructions and document types.
//
// libxml2 would look at a long token again at every '>' and carriage return that comes in, and at a long reference with
// every piece, which is quadratic in what an attacker sends, and it compares each attribute of a tag with all before
// it. Outside of the root it does not find the end of markup that comes in pieces (MarkupScanner.swift). What is short
// and in the root does not need this.

/// The part of a token that libxml2 has not been given.
struct HeldMarkup {
    /// From this length on, an incomplete token is held back in the root.
    static let threshold = 2048

    private enum Scanner {
        case tag(TagScanner)
        case endTag
        case reference(WaitingReference)
        case characterData(CharacterDataScanner)
        case other(MarkupScanner)
    }

    private(set) var bytes: [UInt8] = []
    private var scanner: Scanner

    /// The rest of a start tag.
    init(_ tag: TagScanner) {
        scanner = .tag(tag)
    }

    private init(_ scanner: Scanner) {
        self.scanner = scanner
    }

    /// The rest of an end tag.
    static var endTag: HeldMarkup { HeldMarkup(.endTag) }

    /// The rest of a reference in text.
    init(_ reference: WaitingReference) {
        scanner = .reference(reference)
    }

    /// Markup outside of a document's root, and white space before it.
    init() {
        scanner = .other(.outsideRoot)
    }

    /// The rest of a comment or processing instruction in the root; `nil` if it has no end to wait for.
    init?(restOf beginning: UnsafeBufferPointer<UInt8>) {
        guard let rest = MarkupScanner.rest(of: beginning) else { return nil }
        scanner = .other(rest)
    }

    /// The rest of a CDATA section.
    init(_ section: CharacterDataScanner) {
        scanner = .characterData(section)
    }

    /// Whether libxml2 refuses it as it is.
    var isBroken: Bool {
        if case .other(let markup) = scanner { markup.isBroken } else { false }
    }

    /// Takes as much of `input` as belongs to the token. Returns how much that is if it is to be held back no longer:
    /// it is complete, or goes beyond a limit.
    mutating func take(_ input: UnsafeBufferPointer<UInt8>, _ limits: ParserLimits) -> Int? {
        let end: Int?
        switch scanner {
        case .tag(var tag):
            end = tag.inspect(input, limits).end
            scanner = .tag(tag)
        case .endTag:
            end = input.firstIndex { $0 == .greaterThan || $0.breaksEndTag }.map { $0 + 1 }
        case .reference(var reference):
            end = reference.inspect(input, limits).end
            scanner = .reference(reference)
        case .characterData(var section):
            end = section.end(in: input)
            scanner = .characterData(section)
        case .other(var markup):
            end = markup.take(input, into: &bytes)
            scanner = .other(markup)
            if markup.isBroken { MarkupScanner.refusedEnd.withUTF8Buffer { bytes.append(contentsOf: $0) } }
            return end
        }
        bytes.append(contentsOf: input[..<(end ?? input.count)])
        return end
    }
}
