// A filter as a program would apply it to bytes, written as plainly as possible: for tests of the prefilter.

import Foundation

@testable import QueryTools
@testable import StanzaQuery

/// A stanza as bytes.
struct SpelledStanza {
    enum Format {
        case xml, json
    }

    let format: Format
    private let bytes: [UInt8]
    /// The same with a NUL at the end.
    private let characters: ContiguousArray<CChar>

    init(_ text: String, as format: Format) {
        self.format = format
        bytes = Array(text.utf8)
        characters = text.utf8CString
    }

    /// Whether the stanza may contain everything that the literals require.
    func admits(_ literals: [QueryPrefilter.Literal]) -> Bool { literals.allSatisfy(admits) }

    private func admits(_ literal: QueryPrefilter.Literal) -> Bool {
        let text = literal.text
        if contains(text) { return true }
        switch (format, literal) {
        case (.xml, .name): return false
        case (.xml, .value): return hasReferenceInTag
        case (.json, .name): return !text.utf8.allSatisfy { $0 < 0x80 } || text.utf8.contains(where: containsEscape)
        case (.json, .value):
            let isPlain = text.utf8.allSatisfy { $0 < 0x80 && !"\"\\/".utf8.contains($0) }
            return !isPlain || contains("&") || text.utf8.contains(where: containsEscape)
                || containsEscape(UInt8(ascii: "&"))
        }
    }

    /// Whether an escape of a character is in the line.
    private func containsEscape(_ character: UInt8) -> Bool {
        let digits = String(character, radix: 16)
        let escape = "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        return contains(escape) || contains("\\u" + escape.dropFirst(2).uppercased())
    }

    /// Whether a `&` is between the `<` and the `>` of a tag.
    private var hasReferenceInTag: Bool {
        guard contains("&") else { return false }
        var place = bytes.startIndex
        while let start = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
            if bytes[start...].starts(with: "<![CDATA[".utf8) {
                place = start + 1
                while !bytes[place...].starts(with: "]]>".utf8) { place += 1 }
                continue
            }
            var quote: UInt8?
            place = start
            while quote != nil || bytes[place] != UInt8(ascii: ">") {
                let byte = bytes[place]
                if byte == UInt8(ascii: "&") { return true }
                if byte == quote {
                    quote = nil
                } else if quote == nil, byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                    quote = byte
                }
                place += 1
            }
        }
        return false
    }

    /// By C's function: a loop in Swift is slow in a debug build. No text here holds a NUL.
    private func contains(_ text: String) -> Bool {
        characters.withUnsafeBufferPointer { characters in
            characters.baseAddress.map { strstr($0, text) != nil } ?? false
        }
    }
}
