// Markup that is not a tag: comments, processing instructions, CDATA sections and document types (XML 1.0 §2.5 to
// §2.8). Only this file has the rules for their beginnings, contents and ends. The tokenizer and `TagReader` use it.
// Reading passes them as far as they go, so they take no memory.

/// Markup whose end has not been read.
package enum Section: Equatable {
    case characterData, comment, instruction
    case documentType(DocumentType)

    /// The open part of a document type.
    package enum DocumentType: Equatable {
        case declaration(inSubset: Bool)
        case literal(quote: UInt8, inSubset: Bool)
        case comment, instruction
        /// After the ']' of the internal subset.
        case subsetEnd
    }

    // MARK: Beginnings

    /// The kind of markup that begins with `<!` or `<?`.
    enum Beginning: Equatable {
        /// A section. `content` is the index after its opening.
        case section(Section, content: Int)
        /// More input decides.
        case incomplete
        case unknown
    }

    private static let openings: [(bytes: StaticString, section: Section)] = [
        ("<?", .instruction), ("<!--", .comment), ("<![CDATA[", .characterData),
        ("<!DOCTYPE", .documentType(.declaration(inSubset: false))),
    ]

    /// The section whose opening is at `start`.
    static func beginning(_ view: ByteView, _ start: Int, _ end: Int) -> Beginning {
        for (bytes, section) in openings {
            let count = matched(view, start, end, bytes)
            if count == bytes.utf8CodeUnitCount { return .section(section, content: start + count) }
            if start + count == end { return .incomplete }
        }
        return .unknown
    }

    /// The number of bytes from `start` on that match the beginning of `text`.
    private static func matched(_ view: ByteView, _ start: Int, _ end: Int, _ text: StaticString) -> Int {
        zip(view.bytes(start, end), text.buffer).prefix { $0 == $1 }.count
    }

    // MARK: Ends

    /// The progress of reading a section, with the index that it reached.
    enum Progress: Equatable {
        case ended(Int)
        /// More input decides about the bytes at this index.
        case stopped(Int)
        /// A mistake at this index. Without a kind, it is a wrong character.
        case wrong(XMLParseError.Kind?, Int)
    }

    /// Continues to read the section at `start`.
    mutating func pass(_ view: ByteView, _ start: Int, _ end: Int) -> Progress {
        switch self {
        case .characterData: return Self.pass(view, start, end, "]]>")
        case .comment: return Self.pass(view, start, end, "-->", forbidden: .hyphensInComment)
        case .instruction: return Self.pass(view, start, end, "?>")
        case .documentType(var state):
            defer { self = .documentType(state) }
            return Self.documentType(view, start, end, &state)
        }
    }

    /// Passes characters up to `closing`, all of whose bytes but the last are the same.
    ///
    /// - Parameter forbidden: The mistake where all bytes but the last one match `closing`.
    private static func pass(
        _ view: ByteView, _ start: Int, _ end: Int, _ closing: StaticString, forbidden: XMLParseError.Kind? = nil
    ) -> Progress {
        let length = closing.utf8CodeUnitCount
        let mark = closing.buffer[0]
        var p = start
        while true {
            p = Scan.plain(view, p, mark: mark)
            if view[p] == mark {
                let count = matched(view, p, end, closing)
                if count == length { return .ended(p + length) }
                if p + count == end { return .stopped(p) }
                if count == length - 1, let forbidden { return .wrong(forbidden, p) }
            } else if p == end {
                return .stopped(p)
            }
            if let stop = passCharacter(view, &p, end) { return stop }
        }
    }

    /// Passes one character, or several beyond ASCII. Returns the reason if it passes none.
    private static func passCharacter(_ view: ByteView, _ p: inout Int, _ end: Int) -> Progress? {
        let byte = view[p]
        if byte >= 0x80 {
            let place = Scan.passCharacters(view, p, end, upTo: Scan.ascii)
            if place > p {
                p = place
                return nil
            }
        } else if byte >= 0x20 || Scan.isSpace(byte) {
            p += 1
            return nil
        }
        return p == end || Scan.character(view, p, end) == .incomplete ? .stopped(p) : .wrong(nil, p)
    }

    /// Passes a document type. It checks only characters, and the parts that decide where the type ends.
    private static func documentType(
        _ view: ByteView, _ start: Int, _ end: Int, _ state: inout DocumentType
    ) -> Progress {
        var p = start
        while p < end {
            let byte = view[p]
            switch state {
            case .comment, .instruction:
                var section = state == .comment ? Section.comment : .instruction
                let progress = section.pass(view, p, end)
                guard case .ended(let behind) = progress else { return progress }
                p = behind
                state = .declaration(inSubset: true)
                continue
            case .literal(let quote, let inSubset):
                p = Scan.plain(view, p, mark: quote)
                if view[p] == quote { state = .declaration(inSubset: inSubset) }
            case .subsetEnd:
                if byte == .greaterThan { return .ended(p + 1) }
                if !Scan.isSpace(byte), case .valid = Scan.character(view, p, end) {
                    return .wrong(.missingTagEnd, p)
                }
            case .declaration(let inSubset):
                switch byte {
                case _ where byte.isQuote: state = .literal(quote: byte, inSubset: inSubset)
                case UInt8(ascii: "["): state = .declaration(inSubset: true)
                case UInt8(ascii: "]") where inSubset: state = .subsetEnd
                case .greaterThan where !inSubset: return .ended(p + 1)
                case .lessThan where !inSubset: return .wrong(.lessThanInTag, p)
                case .lessThan:
                    switch beginning(view, p, end) {
                    case .section(.comment, let content): (state, p) = (.comment, content)
                    case .section(.instruction, let content): (state, p) = (.instruction, content)
                    case .incomplete: return .stopped(p)
                    default: p += 1
                    }
                    continue
                default: break
                }
            }
            if let stop = passCharacter(view, &p, end) { return stop }
        }
        return .stopped(p)
    }
}
