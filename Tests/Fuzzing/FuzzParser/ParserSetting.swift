// The settings of the fuzzed parser. The tests read the fuzzer's seeds with all of them (ParserCutsTests.swift).
//
// Seeds choose by index: new settings go last.

@testable import XMLTree

/// The kind of input, and the limits.
struct ParserSetting {
    let mode: XMLStreamParser.Mode
    /// Fed in front of the input, so that it need not be found.
    let header: [UInt8]
    let limits: ParserLimits

    private static let root =
        "<stream:stream xmlns='jabber:client' xmlns:stream='http://etherx.jabber.org/streams'>"

    static let modes: [(mode: XMLStreamParser.Mode, header: String)] = [
        (.stream, ""), (.stream, root), (.document, ""), (.fragments(in: .clientStream), ""),
        (.fragments(in: .empty), ""),
    ]

    static let limits = [
        .stanza, .document, ParserLimits(bytes: 150), ParserLimits(depth: 2),
        ParserLimits(elements: 3, attributes: 3), ParserLimits(nameLength: 40), ParserLimits(names: 6),
        ParserLimits(declarations: 3),
        ParserLimits(bytes: 90, depth: 1, attributes: 2, nameLength: 34, names: 3, declarations: 2),
        // Bounds that are close to each other.
        ParserLimits(bytes: 40, skippedBytes: 0), ParserLimits(bytes: 20, depth: 1, skippedBytes: 60),
        ParserLimits(bytes: 1, skippedBytes: 30), ParserLimits(bytes: 300, attributes: 1, skippedBytes: 301),
    ]

    static let renewals = [
        Renewal.standard, Renewal(names: 0, bytes: 0), Renewal(names: 3, bytes: .max), Renewal(names: .max, bytes: 50),
    ]

    /// - Parameters:
    ///   - mode: An index of `modes`.
    ///   - limits: The parser's limits.
    init(mode: Int, limits: ParserLimits) {
        self.mode = Self.modes[mode].mode
        header = Array(Self.modes[mode].header.utf8)
        self.limits = limits
    }
}
