// Reads a complete XML declaration (XML 1.0 §2.8).

import SafeText

/// Reads the part of a declaration after `<?xml`.
struct DeclarationReader {
    let view: ByteView
    let end: Int
    /// Whether the input was decoded before, from whatever encoding.
    let isText: Bool
    var p: Int
    var expected = XMLParseError.Expectation.whiteSpace
    var mistake: (kind: XMLParseError.Kind, index: Int)?

    /// Returns the index after the declaration; `nil` for unexpected input at `p`, or for a `mistake`.
    mutating func read() -> Int? {
        guard space(), let version = value("version", .version) else { return nil }
        let isKnown = version.count > 2 && version.starts(with: "1.".utf8)
        if !isKnown || !version.dropFirst(2).allSatisfy({ 0x30...0x39 ~= $0 }) {
            return wrong(.malformed("expected the version 1.0 here"), in: version)
        }
        var hasSpace = space()
        if hasSpace, view[p] == UInt8(ascii: "e") {
            guard let encoding = value("encoding", .declarationEnd) else { return nil }
            if !Self.isEncodingName(encoding) {
                return wrong(.malformed("expected the name of an encoding here, such as 'UTF-8'"), in: encoding)
            }
            let name = String(decoding: encoding, as: UTF8.self)
            if !isText, name.uppercased() != "UTF-8" {
                return wrong(.unsupportedEncoding(name.shortened), in: encoding)
            }
            hasSpace = space()
        }
        if hasSpace, view[p] == UInt8(ascii: "s") {
            guard let value = value("standalone", .declarationEnd) else { return nil }
            if !value.elementsEqual("yes".utf8), !value.elementsEqual("no".utf8) {
                return wrong(.malformed("expected 'yes' or 'no' here"), in: value)
            }
            hasSpace = space()
        }
        if view[p] == UInt8(ascii: "?"), view[p + 1] == .greaterThan { return p + 2 }
        if view[p] == UInt8(ascii: "?"), p + 1 == end { p = end }
        expected = hasSpace ? .declarationEnd : .whiteSpace
        return nil
    }

    /// Whether a value is an `EncName` (§4.3.3), which also an encoding that is ignored must have.
    private static func isEncodingName(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte | 0x20 }
        guard let first = value.first, isLetter(first) else { return false }
        return value.allSatisfy { isLetter($0) || 0x30...0x39 ~= $0 || "._-".utf8.contains($0) }
    }

    /// Notes a mistake in the last value.
    private mutating func wrong(_ kind: XMLParseError.Kind, in value: UnsafeBufferPointer<UInt8>) -> Int? {
        mistake = (kind, p - value.count - 1)
        return nil
    }

    private mutating func space() -> Bool {
        let start = p
        p = Scan.skipSpace(view, p)
        return p > start
    }

    /// Reads `name = 'value'`, and returns the value.
    private mutating func value(
        _ name: StaticString, _ expected: XMLParseError.Expectation
    ) -> UnsafeBufferPointer<UInt8>? {
        self.expected = expected
        for byte in name.buffer {
            if view[p] != byte { return nil }
            p += 1
        }
        self.expected = .equalsSign
        _ = space()
        if view[p] != UInt8(ascii: "=") { return nil }
        p += 1
        _ = space()
        self.expected = .quotedValue
        let quote = view[p]
        if !quote.isQuote { return nil }
        p += 1
        let start = p
        // A '<', '&' or '?' (0x3F) is a mistake here, so the reader finds it as soon as it reads the declaration.
        p = min(Scan.plain(view, p, mark: quote), Scan.find(view, p, end, .lessThan, .ampersand, 0x3F, quote))
        if view[p] != quote { return nil }
        p += 1
        self.expected = .whiteSpace
        return view.bytes(start, p - 1)
    }
}
