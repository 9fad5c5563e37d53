// Logs: the elements that LogScanner finds, parsed. Everything else is passed over, and counted.

import QueryTools
import StanzaQuery
import XMLTree

/// Reads any text, and gives the elements in it.
final class LogInput: StanzaInput {
    private let settings: ReadingSettings
    private let limits: ParserLimits
    private var scanner: LogScanner
    private var batch: LineBatch
    /// Filters of elements as they are, and of elements with escapes.
    private var filters: (plain: StanzaFilter, escaped: StanzaFilter)?
    private var benefit = FilterBenefit()
    private var passedOver = 0
    private var items: [InputItem] = []
    private var firstItem = 0

    /// The text from `base` on.
    private var text: [UInt8] = []
    private var base: Int
    /// The place up to which lines are counted.
    private var place: InputPlace
    private var origin = LogOrigin()
    /// The end of the last element.
    private var lastEnd = 0
    private var statistics = LogStatistics()

    /// Unneeded text is kept up to this length: moving the rest takes time.
    private static let keptBytes = 1 << 18

    init(_ settings: ReadingSettings, at place: InputPlace) {
        self.settings = settings
        limits = settings.limits(for: .log)
        scanner = LogScanner(limits: limits, from: place.position.offset)
        batch = LineBatch(context: settings.context, limits: limits, allowsXML: true)
        self.place = place
        base = place.position.offset
        makeFilters()
    }

    private func makeFilters() {
        filters = StanzaFilter(settings.prefilters, .xml).flatMap { plain in
            StanzaFilter(settings.prefilters, .json).map { (plain, $0) }
        }
    }

    func restart(at place: InputPlace) {
        scanner = LogScanner(limits: limits, from: place.position.offset)
        makeFilters()
        benefit = FilterBenefit()
        passedOver = 0
        items = []
        firstItem = 0
        text = []
        base = place.position.offset
        self.place = place
        origin = LogOrigin()
        lastEnd = 0
        statistics = LogStatistics()
    }

    var hasEnded: Bool { false }

    /// An element may begin anywhere, and end anywhere after it.
    func endsBetweenStanzas() -> Bool { false }

    func takePassedOver() -> Int {
        defer { passedOver = 0 }
        return passedOver
    }

    func takeLogStatistics() -> LogStatistics {
        defer { statistics = LogStatistics() }
        return statistics
    }

    func next() -> InputItem? {
        guard firstItem < items.count else {
            items.removeAll(keepingCapacity: true)
            firstItem = 0
            return nil
        }
        defer { firstItem += 1 }
        return items[firstItem]
    }

    func feed(_ bytes: UnsafeRawBufferPointer) {
        text.append(contentsOf: bytes)
        statistics.bytes += bytes.count
        scan(isEnd: false)
    }

    func finish() {
        scan(isEnd: true)
    }

    private func scan(isEnd: Bool) {
        text.withUnsafeBytes { bytes in
            filters?.plain.begin()
            filters?.escaped.begin()
            passOverEntries(bytes)
            for element in scanner.scan(bytes, from: base, isEnd: isEnd) { take(element, bytes) }
        }
        readBatch()
        if !benefit.isLikely { filters = nil }
        let unneeded = scanner.neededFrom - base
        if unneeded > Self.keptBytes || unneeded > 0 && unneeded > text.count / 2 { drop(unneeded) }
    }

    /// Scans only entries of the log in which the query may have a result, some of them at a time.
    private func passOverEntries(_ bytes: UnsafeRawBufferPointer) {
        guard filters != nil else { return }
        let text = LogScanner.Text(bytes: bytes, base: base)
        while benefit.isLikely, let end = scanner.nextEntry(from: scanner.position + Self.unitBytes, in: text) {
            let start = scanner.position
            // A search for literals in strings also finds those in plain text.
            if scanner.isInside || filters?.escaped.admits(start - base..<end - base, of: bytes) == true {
                let part = UnsafeRawBufferPointer(rebasing: bytes[..<(end - base)])
                for element in scanner.scan(part, from: base, isEnd: true) { take(element, bytes) }
            } else {
                scanner.skip(to: end)
                statistics.skipped += end - start
                benefit.add(end - start, isRead: false)
            }
        }
    }

    /// The least bytes of entries that are passed over together.
    private static let unitBytes = 1 << 11

    private func drop(_ count: Int) {
        let end = base + count
        text.withUnsafeBufferPointer { countLines(to: end, $0) }
        text.removeFirst(count)
        base = end
    }

    private func countLines(to end: Int, _ bytes: UnsafeBufferPointer<UInt8>) {
        let start = place.position.offset
        if end > start { place.advance(over: UnsafeBufferPointer(rebasing: bytes[start - base..<end - base])) }
    }

    private func take(_ element: LogScanner.Found, _ bytes: UnsafeRawBufferPointer) {
        let range = element.range.lowerBound - base..<element.range.upperBound - base
        let xml = UnsafeRawBufferPointer(rebasing: bytes[range])
        defer { lastEnd = element.range.upperBound }
        statistics.stanzaBytes += xml.count
        if !settings.members.kept.isEmpty {
            let start = max(lastEnd - base, range.lowerBound - LogScanner.context, 0)
            origin.read(Array(bytes[start..<range.lowerBound]))
        }
        bytes.withMemoryRebound(to: UInt8.self) { countLines(to: element.range.lowerBound, $0) }
        if element.isQuoted, xml.position(of: UInt8(ascii: "\\"), from: 0) != nil {
            guard isNeeded(range, bytes, isEscaped: true) else { return }
            return add(LogEscapes.resolved(xml))
        }
        let lineStart = max(element.lineStart - base, range.lowerBound - LogScanner.context, 0)
        if xml.position(of: UInt8(ascii: "\n"), from: 0) != nil,
            let whole = LogPrefix(bytes[lineStart..<max(element.firstTag - base, lineStart)])?.removed(from: xml)
        {
            return add(whole)
        }
        if isNeeded(range, bytes, isEscaped: false) { add(xml) }
    }

    private func isNeeded(_ range: Range<Int>, _ bytes: UnsafeRawBufferPointer, isEscaped: Bool) -> Bool {
        guard
            let isNeeded = isEscaped
                ? filters?.escaped.admits(range, of: bytes) : filters?.plain.admits(range, of: bytes)
        else { return true }
        benefit.add(range.count, isRead: isNeeded)
        if !isNeeded { passedOver += 1 }
        return isNeeded
    }

    private func add(_ xml: [UInt8]) {
        xml.withUnsafeBytes { add($0) }
    }

    private func add(_ xml: UnsafeRawBufferPointer) {
        batch.add(xml: xml, at: place.position, members: origin.values(settings.members.kept))
        if batch.isFull { readBatch() }
    }

    /// Parses the elements. One that is not well-formed is not a stanza.
    private func readBatch() {
        var read: [InputItem] = []
        batch.read(into: &read)
        for item in read {
            if case .problem = item { statistics.unreadable += 1 } else { items.append(item) }
        }
    }
}

/// The parts of logs that are not stanzas.
struct LogStatistics: Equatable, Sendable {
    /// The length of the input, and of the elements in it.
    var bytes = 0
    var stanzaBytes = 0
    /// Elements that are not well-formed.
    var unreadable = 0
    /// The length of the lines without names and values that the query needs.
    var skipped = 0

    static func += (statistics: inout LogStatistics, others: LogStatistics) {
        statistics.bytes += others.bytes
        statistics.stanzaBytes += others.stanzaBytes
        statistics.unreadable += others.unreadable
        statistics.skipped += others.skipped
    }
}
