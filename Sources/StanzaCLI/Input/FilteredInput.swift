// Streams and fragments of which only some stanzas are parsed: those on which the query may have a result that their
// first tags do not give.
//
// Framing cuts the input, a filter looks at each stanza, then a reader of first tags, and the parser gets only the
// rest. The parser gets everything from the first mistake in the framing on, if neither of them saves work, and after
// the root's tag of another stream that no declaration precedes: framing reads no names, and takes that tag for a
// stanza's.

import QueryTools
import StanzaQuery
import XMLTree

/// Reads a stream or fragments, and passes over stanzas without results.
final class FilteredInput: StanzaInput {
    private let input: XMLInput
    private let limits: ParserLimits
    private var framing: Framing
    // Swift does not check these accesses for overlaps at run time, which would cost time for each stanza. No access to
    // one of these fields runs code that accesses the same field.
    @exclusivity(unchecked) private var filter: MeasuredFilter
    private let firstTag: FirstTag?
    /// Whether the first tags of enough stanzas are plain.
    @exclusivity(unchecked) private var tagBenefit = Benefit()
    /// Items that precede those of the parser.
    @exclusivity(unchecked) private var ready: ArraySlice<InputItem> = []
    /// The results of the last first tags.
    @exclusivity(unchecked) private var results = TagResults()
    /// Whether the parser gets all bytes as they come.
    private var isOff = false
    private let isStream: Bool
    /// Whether the tag of another root is inside what framing takes for a stanza.
    private var hasHiddenRoot = false
    /// Whether the parser has got the beginning of the open stanza.
    @exclusivity(unchecked) private var isPassing = false
    @exclusivity(unchecked) private var statistics = InputStatistics()
    @exclusivity(unchecked) private(set) var continuation: SourcePosition?

    /// The bytes of an incomplete stanza that are searched for its name, each time that more of it comes.
    private static let lookahead = 1 << 8

    /// A stanza of more bytes is parsed even without a result: it may be beyond a limit, and that is reported. A
    /// shorter one has fewer elements than the limit, because each has at least four bytes.
    private var longest: Int { min(limits.bytes, limits.elements.multipliedReportingOverflow(by: 4).partialValue) }

    init(
        _ input: XMLInput, _ filter: StanzaFilter?, _ firstTag: FirstTag? = nil, isStream: Bool, limits: ParserLimits,
        at place: InputPlace
    ) {
        self.input = input
        // A first tag takes less time than a filter that admits most stanzas.
        self.filter = MeasuredFilter(filter, firstTag == nil ? Benefit() : Benefit(sample: 1 << 16, mostRead: 40))
        self.firstTag = firstTag
        self.limits = limits
        self.isStream = isStream
        framing = Framing(isStream: isStream, isInside: place.isInside, mayRestart: true, depth: limits.depth)
        input.countsPlaces = true
        input.forgetsHeaders = false
    }

    func restart(at place: InputPlace) {
        input.restart(at: place)
        input.countsPlaces = true
        framing.restart(isInside: place.isInside)
        isOff = false
        hasHiddenRoot = false
        isPassing = false
        filter.restart()
        tagBenefit = Benefit()
        ready = []
        results = TagResults()
        statistics = InputStatistics()
        continuation = nil
    }

    var hasEnded: Bool { ready.isEmpty && input.hasEnded }

    func next() -> InputItem? {
        let item = ready.popFirst() ?? input.next()
        // A mistake may be inside an open stanza. Another reader would report it again.
        if case .problem? = item { continuation = nil }
        if case .none = item { input.forgetHeaders(exceptAt: continuation) }
        return item
    }

    func header(at position: SourcePosition) -> (tag: [UInt8], position: SourcePosition)? {
        input.header(at: position)
    }

    func takeStatistics() -> InputStatistics {
        defer { statistics = InputStatistics() }
        return statistics
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
        let length = framing.withBytes(and: TagBytes.lookahead, take)
        framing.drop(length)
        let isUseful = filter.isUseful || firstTag != nil && tagBenefit.isUseful
        if framing.isLost || !isUseful || hasHiddenRoot { turnOff() }
    }

    /// Passes on or skips all complete stanzas. Returns their length.
    ///
    /// - Parameter all: The bytes, and some more without a meaning.
    private func take(_ all: UnsafeRawBufferPointer) -> Int {
        let bytes = UnsafeRawBufferPointer(rebasing: all.dropLast(TagBytes.lookahead))
        filter.begin()
        var run = Run(bytes, input)
        for stop in framing.stops {
            let stanza = run.end..<stop.end
            if isStream, !isPassing, !stop.isRoot, mayEndStream(stanza, of: bytes), beginsStream(stanza, of: bytes) {
                hasHiddenRoot = true
                break
            }
            var isRead = isPassing || stop.isRoot || stop.depth > limits.depth || stanza.count > longest
            switch isRead ? .unknown : answer(stanza, of: all) {
            case .noResult: statistics.passedOver += 1
            case .result(let value):
                if results.count == 0 { takeParsed(&run) }
                // A stream ends at its first mistake.
                isRead = input.hasEnded
                if !isRead { add(bytes[value]) }
            case .unknown:
                isRead = true
                endResults()
            }
            isPassing = false
            if !stop.isRoot {
                if isRead { continuation = nil }
            } else if !run.isRead {
                // A root after it changes nothing: the stanza has been counted.
                run.finish()
                continuation = input.end
            }
            run.add(stop.end, isRead: isRead)
        }
        run.finish()
        endResults()
        if !run.isRead { continuation = input.end }
        let rest = run.end..<min(bytes.count, run.end + Self.lookahead)
        if framing.isInside, isStream, !isPassing, beginsStream(rest, of: bytes) { hasHiddenRoot = true }
        if isPassing || bytes.count - run.end > longest {
            isPassing = true
            run.add(bytes.count, isRead: true)
            run.finish()
        }
        return run.end
    }

    /// Whether the name of the first tag is `stream`, with any prefix.
    private func beginsStream(_ range: Range<Int>, of bytes: UnsafeRawBufferPointer) -> Bool {
        let text = bytes[range].drop { FormatRecognizer.isSpace($0) }
        guard text.first == UInt8(ascii: "<") else { return false }
        return FormatRecognizer.localName(ofTag: text)?.elementsEqual("stream".utf8) ?? false
    }

    /// Whether the last tag may be that of an element called `stream`, or is empty.
    @inline(__always)
    private func mayEndStream(_ stanza: Range<Int>, of bytes: UnsafeRawBufferPointer) -> Bool {
        let last = bytes[stanza.upperBound - 2]
        return last == UInt8(ascii: "m") || last == UInt8(ascii: "/") || FormatRecognizer.isSpace(last)
    }

    /// Answers the query for a stanza, if the filter or the first tag is enough.
    ///
    /// - Parameter bytes: They include `TagBytes.lookahead` bytes after the stanza.
    @inline(__always)
    private func answer(_ stanza: Range<Int>, of bytes: UnsafeRawBufferPointer) -> FirstTag.Answer {
        if !isNeeded(stanza, of: bytes) { return .noResult }
        guard let firstTag, tagBenefit.isUseful else { return .unknown }
        let answer = firstTag.answer(for: stanza, of: bytes)
        tagBenefit.add(stanza.count, isRead: answer == .unknown)
        return answer
    }

    /// Takes the items of the stanzas that the parser has got.
    private func takeParsed(_ run: inout Run) {
        run.finish()
        while let item = input.next() { ready.append(item) }
    }

    /// Adds a result to those of the last first tags.
    @inline(__always)
    private func add(_ value: Slice<UnsafeRawBufferPointer>) {
        results.count += 1
        if firstTag?.printsResults != true { return }
        results.lines.append(contentsOf: value)
        results.lines.append(UInt8(ascii: "\n"))
    }

    /// Makes an item of them.
    private func endResults() {
        if results.count == 0 { return }
        ready.append(.results(results))
        results = TagResults()
    }

    private func isNeeded(_ stanza: Range<Int>, of bytes: UnsafeRawBufferPointer) -> Bool {
        if filter.admits(stanza, of: bytes) { return true }
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

/// Consecutive stanzas: all parsed, or all skipped.
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

/// Decides whether something saves work, by the part of the first bytes that the parser still has to read.
struct Benefit {
    /// The bytes after which it is decided.
    static let sample = 1 << 20

    private let sample: Int
    /// The percentage of read bytes above which looking for others costs more than it saves.
    private let mostRead: Int
    private var all = 0
    private var read = 0
    private(set) var isUseful = true

    init(sample: Int = Self.sample, mostRead: Int = 80) {
        self.sample = sample
        self.mostRead = mostRead
    }

    @inline(__always)
    mutating func add(_ count: Int, isRead: Bool) {
        if all >= sample { return }
        all += count
        if isRead { read += count }
        if all >= sample, read > all / 100 * mostRead { isUseful = false }
    }
}

/// A filter that is dropped if it turns out to save no work.
struct MeasuredFilter {
    private let whole: StanzaFilter?
    private let unknownBenefit: Benefit
    private var filter: StanzaFilter?
    private var benefit: Benefit

    init(_ filter: StanzaFilter?, _ benefit: Benefit = Benefit()) {
        whole = filter
        self.filter = filter
        unknownBenefit = benefit
        self.benefit = benefit
    }

    mutating func restart() {
        self = MeasuredFilter(whole, unknownBenefit)
    }

    /// Whether it may save work.
    var isUseful: Bool { filter != nil }

    /// Begins with other bytes.
    mutating func begin() {
        filter?.begin()
    }

    /// As `StanzaFilter.admits`.
    mutating func admits(_ range: Range<Int>, of bytes: UnsafeRawBufferPointer) -> Bool {
        guard let isAdmitted = filter?.admits(range, of: bytes) else { return true }
        benefit.add(range.count, isRead: isAdmitted)
        if !benefit.isUseful { filter = nil }
        return isAdmitted
    }
}
