// The result of a parser for an input, in the same form for all parsers.

/// The outcome of parsing a document.
enum Verdict: Equatable, CustomStringConvertible {
    /// The content in canonical form: expanded names, attributes in the order of their names, text in one piece.
    case content([UInt8])
    /// It is not well-formed: the parser's own words, and how many bytes it read before.
    case refused(String, at: Int)

    var isContent: Bool { if case .content = self { true } else { false } }

    var description: String {
        switch self {
        case .content(let bytes): "content \(String(decoding: bytes, as: UTF8.self).debugDescription)"
        case .refused(let reason, let place): "refused at \(place): \(reason)"
        }
    }
}

/// Writes canonical content. The marks are bytes that no text in UTF-8 has.
struct CanonicalWriter {
    private(set) var bytes: [UInt8] = []

    mutating func start(_ name: [UInt8], attributes: [(name: [UInt8], value: [UInt8])]) {
        bytes.append(0xF8)
        bytes += name
        for attribute in attributes.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
            bytes.append(0xF9)
            bytes += attribute.name
            bytes.append(0xFA)
            bytes += attribute.value
        }
        bytes.append(0xFB)
    }

    mutating func text(_ text: some Sequence<UInt8>) { bytes += text }

    mutating func end() { bytes.append(0xFC) }

    /// `{namespace}name`.
    static func expanded(_ namespace: some Sequence<UInt8>, _ name: some Sequence<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = [0xFD]
        bytes += namespace
        bytes.append(0xFE)
        bytes += name
        return bytes
    }
}
