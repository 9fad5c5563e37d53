// Queries of a file or of standard input, one in each line.

import SafeText

/// Splits bytes into lines.
struct InputLines {
    /// Something between two line ends.
    enum Line: Equatable {
        case text(String)
        /// Too long, or not UTF-8.
        case unreadable(String)
    }

    /// Typed lines are shorter.
    static let typedBytes = 1 << 16

    /// A longer line is not a query.
    private let maximumBytes: Int
    /// The source of more bytes; `nil` after its end.
    private var source: (any ByteSource)?
    private var bytes: ArraySlice<UInt8> = []
    /// Whether no line was taken yet. A byte order mark before the first line is not part of it: some editors write
    /// one.
    private var isAtBeginning = true

    /// The lines of a source, as they arrive.
    init(_ source: any ByteSource) {
        self.source = source
        maximumBytes = Self.typedBytes
    }

    /// The lines of a text.
    init(_ text: [UInt8]) {
        bytes = text[...]
        maximumBytes = text.count
    }

    /// The next line; `nil` at the end.
    mutating func next() throws(SystemError) -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        while true {
            if bytes.isEmpty {
                try fill()
                if bytes.isEmpty { return line.isEmpty && !isTooLong ? nil : finished(line, isTooLong) }
            }
            let part = bytes.prefix { $0 != UInt8(ascii: "\n") }
            isTooLong = isTooLong || line.count + part.count > maximumBytes
            if !isTooLong { line += part }
            let isEnded = part.endIndex < bytes.endIndex
            bytes = bytes[min(part.endIndex + 1, bytes.endIndex)...]
            if isEnded { return finished(line, isTooLong) }
        }
    }

    private mutating func finished(_ line: [UInt8], _ isTooLong: Bool) -> Line {
        let isFirst = isAtBeginning
        isAtBeginning = false
        if isTooLong { return .unreadable("a line of more than \(maximumBytes) bytes: is this a query?") }
        var line = line[...]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        let mark = FormatRecognizer.byteOrderMark
        if isFirst, line.starts(with: mark) { line.removeFirst(mark.count) }
        return String(validUTF8: line).map { .text($0) }
            ?? .unreadable("not UTF-8; encode it as UTF-8")
    }

    private mutating func fill() throws(SystemError) {
        guard let source else { return }
        var buffer = [UInt8](repeating: 0, count: 1 << 12)
        let count = try buffer.withUnsafeMutableBufferPointer { buffer throws(SystemError) in
            try source.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
        if count == 0 { self.source = nil }
        bytes = buffer.prefix(count)
    }
}
