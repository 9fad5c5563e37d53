// Fuzzes the stream parser: the same input whole and in chunks gives the same events and errors, in their order,
// whatever the mode, and however often contexts are renewed. One input in eight also goes through the costly checks:
// limits, positions, serialized trees, and a parser that was reset.
//
// Input: mode, limits, renewal (ParserSetting.swift), chunk sizes (one byte each), then the input to parse.

import FuzzSupport

@testable import XMLTree

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzParser(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    var input = FuzzInput(data, size)
    let setting = ParserSetting(
        mode: input.number(below: ParserSetting.modes.count), limits: input.pick(ParserSetting.limits))
    let renewal = input.pick(ParserSetting.renewals)
    let chunks = input.byte()
    let bytes = setting.header + input.rest()

    // Only the limit of names is about names that a parser did not know.
    let knowsNames = setting.limits.names == ParserLimits.defaultNames
    var parser = XMLStreamParser(mode: setting.mode, limits: setting.limits)
    let whole = Transcript(of: bytes, in: &parser, chunks: nil)
    var renewing = XMLStreamParser(
        mode: setting.mode, limits: setting.limits, renewal: knowsNames ? renewal : .standard)
    let other = Transcript(of: bytes, in: &renewing, chunks: chunks)
    require(other == whole, "with renewal and chunks it is \(other), not \(whole)")

    // The same input takes the same way whenever it is run.
    if (bytes.count + Int(chunks)) % 8 > 0 { return 0 }
    require(other.serialized == whole.serialized, "with renewal and chunks it is written differently: \(whole)")
    whole.check(setting, bytes)
    // A parser that was used before is as good as a new one.
    if knowsNames { parser.reset() } else { parser = XMLStreamParser(mode: setting.mode, limits: setting.limits) }
    let again = Transcript(of: bytes, in: &parser, chunks: chunks)
    require(again == whole, "a parser that was reset gives \(again), not \(whole)")
    require(again.serialized == whole.serialized, "a parser that was reset writes differently: \(whole)")
    return 0
}

/// The output of a parser.
struct Transcript: Equatable, CustomStringConvertible {
    enum Line: Equatable {
        case start(Element, SourcePosition)
        case element(Element, SourcePosition)
        case rejected(XMLStreamParser.RejectedStanza)
        case end
        case error(XMLParseError)
    }

    private(set) var lines: [Line] = []

    var description: String { String(describing: lines) }

    /// The trees as they are written.
    var serialized: [[UInt8]] {
        lines.compactMap { line in
            switch line {
            case .start(let element, _), .element(let element, _): element.xmlBytes()
            case .rejected, .end, .error: nil
            }
        }
    }

    /// - Parameter chunks: Which sizes the chunks have; `nil` for the whole input at once.
    init(of bytes: [UInt8], in parser: inout XMLStreamParser, chunks: UInt8?) {
        var state = UInt32(chunks ?? 0)
        var start = 0
        while start < bytes.count {
            // Single bytes, small sizes, sizes of all magnitudes, or up to markup and references and into them.
            state = state &* 1_664_525 &+ 1_013_904_223
            let random = Int(state >> 20)
            let size =
                switch chunks {
                case nil: bytes.count
                case .some(0xC0...):
                    if random % 2 == 0 { Self.distance(from: start, in: bytes) } else { 1 + random / 2 % 70 }
                case .some(let chunks) where chunks % 3 == 0: 1
                case .some(let chunks) where chunks % 3 == 1: 1 + random % 7
                default: 1 + random >> (random % 12)
                }
            let end = min(start + size, bytes.count)
            parser.feed(bytes[start..<end])
            drain(&parser)
            start = end
        }
        parser.finish()
        drain(&parser)
        parser.finish()
        drain(&parser)
    }

    /// The number of bytes from `start` to the next markup or reference after it.
    private static func distance(from start: Int, in bytes: [UInt8]) -> Int {
        let next = bytes[(start + 1)...].firstIndex { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "<") }
        return (next ?? bytes.count) - start
    }

    private mutating func drain(_ parser: inout XMLStreamParser) {
        while true {
            do throws(XMLParseError) {
                guard let event = try parser.next() else { return }
                switch event {
                case .streamStart(let header): lines.append(.start(header.element, header.position))
                case .element(let element, let position): lines.append(.element(element, position))
                case .rejected(let stanza): lines.append(.rejected(stanza))
                case .streamEnd: lines.append(.end)
                }
            } catch {
                // That of a stream or document lasts.
                if lines.last == .error(error) { return }
                lines.append(.error(error))
            }
        }
    }

    /// The properties of every transcript.
    func check(_ setting: ParserSetting, _ bytes: [UInt8]) {
        require(lines.count <= bytes.count + 2, "more events than bytes")
        var last = -1
        for line in lines {
            switch line {
            case .start(_, let position), .element(_, let position):
                require(position.offset > last, "positions go back in \(self)")
                last = position.offset
                require(bytes[position.offset] == UInt8(ascii: "<"), "an element does not begin with its tag")
            case .rejected(let stanza):
                require(stanza.position.offset > last, "positions go back in \(self)")
                last = stanza.position.offset
                require(bytes[last] == UInt8(ascii: "<"), "a rejected stanza does not begin with its tag")
            case .error(let error):
                // Errors at the input's end have this place; the parser may still find other fragments after them.
                require((0...bytes.count).contains(error.position.offset), "\(error) is outside of the input")
                require(!error.description.isEmpty && !error.streamCondition.rawValue.isEmpty, "an error without words")
            case .end: break
            }
            if case .start(_, let position) = line { checkPosition(position, bytes) }
            if case .element(let element, let position) = line {
                checkPosition(position, bytes)
                require(depth(of: element) <= setting.limits.depth, "deeper than its limit")
                require(count(of: element) <= setting.limits.elements, "more elements than the limit")
            }
            if case .rejected(let stanza) = line { checkPosition(stanza.position, bytes) }
            if case .error(let error) = line { checkPosition(error.position, bytes) }
        }
    }

    private func checkPosition(_ position: SourcePosition, _ bytes: [UInt8]) {
        let before = bytes.prefix(position.offset)
        // A byte order mark is not a character.
        let start = before.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? start
        require(position.line == before.count { $0 == UInt8(ascii: "\n") } + 1, "not that line")
        require(position.column == before[lineStart...].count { $0 & 0xC0 != 0x80 } + 1, "not that column")
    }

    private func count(of element: Element) -> Int { element.children.reduce(1) { $0 + count(of: $1) } }

    private func depth(of element: Element) -> Int { 1 + (element.children.map(depth).max() ?? 0) }
}
