// Cuts an input into blocks of whole stanzas that any thread can read separately.

import XMLTree

/// A piece of an input.
struct Block: Sendable {
    let bytes: [UInt8]
    /// Where it begins.
    let place: InputPlace
    /// Whether the input ends with it.
    let isLast: Bool

    /// Whether it is the whole input.
    var isAlone: Bool { isLast && place.isBeginning }
}

/// Takes the bytes of an input as they arrive, and returns blocks.
///
/// The ends of stanzas are guesses (StanzaScanner.swift); the ends of lines are exact.
struct BlockCutter {
    /// The bytes that are not cut yet.
    private(set) var bytes: [UInt8] = []
    /// The place of their beginning.
    private(set) var place: InputPlace
    private let settings: ReadingSettings
    private var recognizer = FormatRecognizer()
    private var scanner: StanzaScanner?
    /// Whether all bytes are scanned. They are after a block was taken back: its end was guessed wrongly, or it has a
    /// mistake or too many results.
    private var scansAll: Bool
    /// The number of bytes searched without a line end.
    private var searched = 0

    /// The least length of a block.
    private let blockLength: Int

    /// Long enough to outweigh the handover of a block and the setup of a parser, short enough for the cache of a core.
    static let blockLength = 1 << 18

    /// - Parameter scansAll: For tests.
    init(_ settings: ReadingSettings, blockLength: Int = Self.blockLength, scansAll: Bool = false) {
        self.settings = settings
        self.blockLength = blockLength
        self.scansAll = scansAll
        place = InputPlace(format: settings.format)
        if let format = settings.format { begin(format) }
    }

    /// Adds the next bytes.
    mutating func add(_ new: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: new)
        if place.format == nil, let format = recognizer.recognize(new) { begin(format) }
        if place.format == .stream, place.header.isEmpty {
            bytes.withUnsafeBytes { scanner?.scan($0) }
            if let scanner, !scanner.header.isEmpty {
                var start = place
                bytes[..<scanner.headerStart].withUnsafeBufferPointer { start.advance(over: $0) }
                (place.header, place.headerPosition) = (scanner.header, start.position)
            }
        }
    }

    /// Whether a wait for the end of a stanza is useless: the bytes exceed the maximum length of a stanza without one.
    var isStuck: Bool {
        guard let format = place.format else { return false }
        // A caller without a limit passes a number to which nothing can be added.
        return !format.hasBlocks || bytes.count - 2 * blockLength >= settings.limits(for: format).bytes
    }

    /// Whether there are enough bytes to call `cut`.
    var hasEnough: Bool { bytes.count >= blockLength && !isStuck }

    /// Cuts off whole stanzas; `nil` if there are none.
    mutating func cut() -> Block? {
        guard let end = boundary, end > 0 else { return nil }
        return take(end, isLast: false)
    }

    /// Cuts off everything, at the end of the input.
    mutating func rest() -> Block {
        take(bytes.count, isLast: true)
    }

    // MARK: Turning back

    /// Takes back blocks that were cut off last, in their order.
    mutating func takeBack(_ blocks: [Block]) {
        guard let first = blocks.first else { return }
        scansAll = true
        bytes = blocks.flatMap(\.bytes) + bytes
        place.position = first.place.position
        restart()
    }

    /// Drops the bytes before a stanza that certainly begins there. Returns whether blocks can begin with it.
    ///
    /// - Parameter header: The start tag of the root around it, if the reader that found it knows that.
    mutating func go(to position: SourcePosition, header: (tag: [UInt8], position: SourcePosition)?) -> Bool {
        guard place.format?.hasBlocks != false, position.offset >= place.position.offset else { return false }
        bytes.removeFirst(position.offset - place.position.offset)
        place.position = position
        if let header { (place.header, place.headerPosition) = header }
        restart()
        return true
    }

    /// Drops everything.
    mutating func dropAll() {
        bytes.withUnsafeBufferPointer { place.advance(over: $0) }
        bytes.removeAll(keepingCapacity: true)
        restart()
    }

    /// Starts again with other first bytes.
    private mutating func restart() {
        scanner?.restart()
        searched = 0
    }

    private mutating func begin(_ format: InputFormat) {
        place.format = format
        recognizer = FormatRecognizer()
        if format == .stream || format == .fragments { scanner = StanzaScanner(isStream: format == .stream) }
    }

    /// Where the last complete stanza ends, or probably ends.
    private var boundary: Int? {
        mutating get {
            switch place.format {
            case .stream, .fragments:
                // Longer than most stanzas, and a small part of a block.
                let guessLength = blockLength / 8
                if !scansAll, let end = bytes.withUnsafeBytes({ scanner?.probableEnd($0, guessLength: guessLength) }) {
                    return end
                }
                bytes.withUnsafeBytes { scanner?.scan($0) }
                return scanner?.boundary
            case .jsonl, .lines:
                let end = bytes[searched...].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
                if end == nil { searched = bytes.count }
                return end
            case .document, .log, nil: return nil
            }
        }
    }

    private mutating func take(_ count: Int, isLast: Bool) -> Block {
        var rest: [UInt8] = []
        rest.reserveCapacity(2 * blockLength)
        rest += bytes[count...]
        var taken = rest
        swap(&bytes, &taken)
        taken.removeLast(rest.count)
        let block = Block(bytes: taken, place: place, isLast: isLast)
        taken.withUnsafeBufferPointer { place.advance(over: $0) }
        restart()
        return block
    }
}
