// Logs: the elements that LogScanner finds, parsed. Everything else is passed over, and counted.
//
// Most entries of a log are a line's beginning and one element. The parser gets those without a scan of their tags; the
// scanner reads them only if that fails.

import QueryTools
import StanzaQuery
import XMLTree

/// Reads any text, and gives the elements in it.
final class LogInput: StanzaInput {
    private let settings: ReadingSettings
    private let limits: ParserLimits
    private var scanner: LogScanner
    private var escapedTags = EscapedTags()
    private var batch: LineBatch
    /// The entries whose only elements are in the batch.
    private var entries: [Range<Int>] = []
    /// The state before the first of them.
    private var before: Progress
    /// Finds literals in strings with escapes, and in plain text.
    private var filter: MeasuredFilter

    /// The text from `base` on.
    private var text: [UInt8] = []
    private var base: Int
    private var progress: Progress
    private var statistics = InputStatistics()

    /// The state after an element.
    private struct Progress {
        /// The place up to which lines are counted.
        var place: InputPlace
        var origin = LogOrigin()
        /// The end of the last element.
        var lastEnd = 0
        /// The length of the elements.
        var stanzaBytes = 0
    }

    /// Unneeded text is kept up to this length: moving the rest takes time.
    private static let keptBytes = 1 << 18

    init(_ settings: ReadingSettings, at place: InputPlace) {
        self.settings = settings
        limits = settings.limits(for: .log)
        scanner = LogScanner(limits: limits, from: place.position.offset)
        batch = LineBatch(context: settings.context, limits: limits, allowsXML: true)
        filter = MeasuredFilter(settings.filter(for: .log))
        base = place.position.offset
        progress = Progress(place: place)
        before = progress
    }

    var hasEnded: Bool { false }

    /// An element may begin anywhere, and end anywhere after it.
    func endsBetweenStanzas() -> Bool { false }

    func takeStatistics() -> InputStatistics {
        defer { (statistics, progress.stanzaBytes) = (InputStatistics(), 0) }
        statistics.stanzaBytes = progress.stanzaBytes
        return statistics
    }

    /// An element that is not well-formed is not a stanza. One beyond a limit may be.
    func next() -> InputItem? {
        while let item = batch.next() {
            if case .problem(let problem) = item, !problem.isBeyondLimit {
                statistics.unreadable += 1
            } else {
                return item
            }
        }
        return nil
    }

    func feed(_ bytes: UnsafeRawBufferPointer) {
        text.append(contentsOf: bytes)
        statistics.bytes += bytes.count
        text.withUnsafeMutableBytes { escapedTags.reveal(in: $0, from: base) }
        scan(isEnd: false)
    }

    func finish() {
        scan(isEnd: true)
    }

    private func scan(isEnd: Bool) {
        text.withUnsafeBytes { bytes in
            filter.begin()
            for untilEntries in [true, false] {
                readEntries(bytes)
                let isEnd = isEnd && !untilEntries
                let found = scanner.scan(bytes, from: base, isEnd: isEnd, untilEntries: untilEntries)
                for element in found { take(element, bytes) }
            }
            batch.read()
        }
        let unneeded = scanner.neededFrom - base
        if unneeded > Self.keptBytes || unneeded > 0 && unneeded > text.count / 2 { drop(unneeded) }
    }

    private func drop(_ count: Int) {
        let end = base + count
        text.withUnsafeBytes { countLines(to: end, $0) }
        text.removeFirst(count)
        base = end
    }

    private func countLines(to end: Int, _ bytes: UnsafeRawBufferPointer) {
        let start = progress.place.position.offset
        if end <= start { return }
        UnsafeRawBufferPointer(rebasing: bytes[start - base..<end - base]).withMemoryRebound(to: UInt8.self) {
            progress.place.advance(over: $0)
        }
    }

    // MARK: Entries

    /// Reads whole entries of the log, apart from those in which the query has no result.
    private func readEntries(_ bytes: UnsafeRawBufferPointer) {
        let text = LogScanner.Text(bytes: bytes, base: base)
        while let (entry, element) = scanner.nextEntry(in: text) {
            if !scanner.isInside, !isNeeded(entry, bytes) {
                statistics.skipped += entry.count
                if element != nil { statistics.passedOver += 1 }
                scanner.skip(to: entry.upperBound)
            } else if let element {
                if entries.isEmpty {
                    batch.read()
                    before = progress
                }
                entries.append(entry)
                add(begin(element, bytes))
                scanner.skip(to: entry.upperBound)
                if batch.isFull { readBatch(bytes) }
            } else {
                scan(entry, with: &scanner, bytes)
            }
        }
        readBatch(bytes)
    }

    private func isNeeded(_ range: Range<Int>, _ bytes: UnsafeRawBufferPointer) -> Bool {
        filter.admits(range.lowerBound - base..<range.upperBound - base, of: bytes)
    }

    private func scan(_ entry: Range<Int>, with scanner: inout LogScanner, _ bytes: UnsafeRawBufferPointer) {
        let part = UnsafeRawBufferPointer(rebasing: bytes[..<(entry.upperBound - base)])
        let found = scanner.scan(part, from: base, isEnd: true)
        if !found.isEmpty { readBatch(bytes) }
        for element in found { take(element, bytes) }
    }

    /// Parses the elements. If entries have another one than expected, they are scanned.
    private func readBatch(_ bytes: UnsafeRawBufferPointer) {
        let entries = entries
        self.entries.removeAll(keepingCapacity: true)
        if batch.read(evenBad: entries.isEmpty) || entries.isEmpty { return }
        progress = before
        filter.begin()
        for entry in entries {
            var scanner = LogScanner(limits: limits, from: entry.lowerBound)
            scan(entry, with: &scanner, bytes)
        }
    }

    // MARK: Elements

    private func take(_ element: LogScanner.Found, _ bytes: UnsafeRawBufferPointer) {
        if !element.isTooLong, !isNeeded(element.range, bytes) {
            statistics.passedOver += 1
            return
        }
        let xml = begin(element, bytes)
        if element.isTooLong {
            let position = progress.place.position
            let error = XMLParseError(.limit(.bytes, maximum: limits.bytes), at: position)
            return batch.add(
                InputProblem(
                    line: position.line, column: position.column, message: error.advice, isBeyondLimit: true))
        }
        if element.isQuoted, xml.position(of: UInt8(ascii: "\\"), from: 0) != nil {
            return LogEscapes.resolved(xml).withUnsafeBytes { add($0) }
        }
        let (start, end) = (element.line.start - base, element.line.firstTag - base)
        if xml.position(of: UInt8(ascii: "\n"), from: 0) != nil,
            let whole = LogPrefix(bytes[max(start, end - LogScanner.context, 0)..<max(end, 0)])?.removed(from: xml)
        {
            return whole.withUnsafeBytes { add($0) }
        }
        add(xml)
    }

    /// Reads the text before an element. Returns the element.
    private func begin(_ element: LogScanner.Found, _ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let range = element.range.lowerBound - base..<element.range.upperBound - base
        if !settings.members.kept.isEmpty {
            let start = max(progress.lastEnd - base, range.lowerBound - LogScanner.context, 0)
            progress.origin.read(Array(bytes[start..<range.lowerBound]))
        }
        countLines(to: element.range.lowerBound, bytes)
        progress.lastEnd = element.range.upperBound
        progress.stanzaBytes += range.count
        return UnsafeRawBufferPointer(rebasing: bytes[range])
    }

    private func add(_ xml: UnsafeRawBufferPointer) {
        batch.add(xml: xml, at: progress.place.position, members: progress.origin.values(settings.members.kept))
        if batch.isFull, entries.isEmpty { batch.read() }
    }
}
