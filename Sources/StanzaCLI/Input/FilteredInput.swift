// Streams and fragments of which only some stanzas are parsed: those on which the query may have a result.
//
// Framing cuts the input, a filter looks at each stanza, and the parser gets only those that pass. The parser gets
// everything from the first mistake in the framing on, and if most stanzas pass.

import StanzaQuery
import XMLTree

/// Reads a stream or fragments, and passes over stanzas without results.
final class FilteredInput: StanzaInput {
    private let input: XMLInput
    private let limits: ParserLimits
    private var framing: Framing
    // Swift does not check these accesses for overlaps at run time, which would cost time for each stanza. No access to
    // one of these fields runs code that accesses the same field.
    @exclusivity(unchecked) private var filter: StanzaFilter
    @exclusivity(unchecked) private var benefit = FilterBenefit()
    /// Whether the parser gets all bytes as they come.
    private var isOff = false
    /// Whether the parser has got the beginning of the open stanza.
    @exclusivity(unchecked) private var isPassing = false
    @exclusivity(unchecked) private var passedOver = 0
    @exclusivity(unchecked) private(set) var continuation: SourcePosition?

    /// A stanza of more bytes is parsed even without a result: it may be beyond a limit, and that is reported. A
    /// shorter one has fewer elements than the limit, because each has at least four bytes.
    private var longest: Int { min(limits.bytes, limits.elements.multipliedReportingOverflow(by: 4).partialValue) }

    init(_ input: XMLInput, _ filter: StanzaFilter, isStream: Bool, limits: ParserLimits, at place: InputPlace) {
        self.input = input
        self.filter = filter
        self.limits = limits
        framing = Framing(isStream: isStream, isInside: place.isInside, depth: limits.depth)
        input.countsPlaces = true
    }

    func restart(at place: InputPlace) {
        input.restart(at: place)
        input.countsPlaces = true
        framing.restart(isInside: place.isInside)
        isOff = false
        isPassing = false
        benefit = FilterBenefit()
        passedOver = 0
        continuation = nil
    }

    var hasEnded: Bool { input.hasEnded }

    func next() -> InputItem? {
        let item = input.next()
        // A mistake may be inside an open stanza. Another reader would report it again.
        if case .problem? = item { continuation = nil }
        return item
    }

    func takePassedOver() -> Int {
        defer { passedOver = 0 }
        return passedOver
    }

    func feed(_ bytes: UnsafeRawBufferPointer) {
        if isOff {
            continuation = nil
            return input.feed(bytes)
        }
        framing.feed(bytes)
        takeComplete()
    }

    func room(_ length: Int) -> UnsafeMutableRawBufferPointer? { isOff ? nil : framing.room(length) }

    func feed(written length: Int) {
        precondition(!isOff)
        framing.feed(written: length)
        takeComplete()
    }

    func finish() {
        turnOff()
        input.finish()
    }

    func endsBetweenStanzas() -> Bool {
        turnOff()
        return input.endsBetweenStanzas()
    }

    /// The parser gets the rest, too.
    private func turnOff() {
        if isOff { return }
        isOff = true
        framing.withBytes { if !$0.isEmpty { input.feed($0) } }
        framing.drop(framing.count)
        input.countsPlaces = false
    }

    private func takeComplete() {
        let length = framing.withBytes(take)
        framing.drop(length)
        if framing.isLost || !benefit.isLikely { turnOff() }
    }

    /// Passes on or skips all complete stanzas. Returns their length.
    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        filter.begin()
        var run = Run(bytes, input)
        if let header = framing.header { run.add(header.upperBound, isRead: true) }
        for stop in framing.stops {
            let stanza = run.end..<stop.end
            let isRead = isPassing || stop.depth > limits.depth || isNeeded(stanza, of: bytes)
            if !isRead { passedOver += 1 }
            isPassing = false
            run.add(stop.end, isRead: isRead)
            benefit.add(stanza.count, isRead: isRead)
        }
        run.finish()
        if !framing.stops.isEmpty { continuation = run.isRead ? nil : input.end }
        if isPassing || bytes.count - run.end > longest {
            isPassing = true
            run.add(bytes.count, isRead: true)
            run.finish()
        }
        return run.end
    }

    private func isNeeded(_ stanza: Range<Int>, of bytes: UnsafeRawBufferPointer) -> Bool {
        if stanza.count > longest || filter.admits(stanza, of: bytes) { return true }
        // Only white space precedes a stanza in good input.
        for index in stanza {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: continue
            case UInt8(ascii: "<"):
                return bytes[index + 1] == UInt8(ascii: "!") || bytes[index + 1] == UInt8(ascii: "?")
            default: return true
            }
        }
        return true
    }
}

/// Stanzas one after the other that are all read, or all passed over.
private struct Run {
    private let bytes: UnsafeRawBufferPointer
    private let input: XMLInput
    private var start = 0
    private(set) var end = 0
    private(set) var isRead = true

    init(_ bytes: UnsafeRawBufferPointer, _ input: XMLInput) {
        self.bytes = bytes
        self.input = input
    }

    /// Adds the bytes up to an index.
    mutating func add(_ end: Int, isRead: Bool) {
        if isRead != self.isRead { finish() }
        self.isRead = isRead
        self.end = end
    }

    mutating func finish() {
        if start == end { return }
        let part = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        if isRead { input.feed(part) } else { input.skip(part) }
        start = end
    }
}

/// Measures whether a filter saves work.
struct FilterBenefit {
    private var all = 0
    private var read = 0

    /// The bytes after which the filter is judged.
    static let sample = 1 << 20
    /// The percentage of read bytes above which filtering costs more than it saves.
    static let mostRead = 80

    mutating func add(_ count: Int, isRead: Bool) {
        if all >= Self.sample { return }
        all += count
        if isRead { read += count }
    }

    /// False if most of the sample was read.
    var isLikely: Bool { all < Self.sample || read <= all / 100 * Self.mostRead }
}
